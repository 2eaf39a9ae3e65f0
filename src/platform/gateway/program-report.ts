import { isIP, isIPv6 } from "node:net";
import type { ProgramReport } from "../routing/program-store.ts";
import { isNameless, targetsOf } from "./backend-addresses.ts";
import { type HeldProgram, refusalOf } from "./held-program.ts";

const namelessReason =
  "its certificate can be verified only by a host name: use the one that the certificate has";

/** What is reported of a program; undefined if all is well and nothing was resolved. */
export function reportOf(held: HeldProgram): ProgramReport | undefined {
  const { program, states } = held;
  const refusal = refusalOf(held);
  const served = held.earlier === undefined ? "" : "; an earlier version is served";
  const blocked: Record<string, string> = {};
  const resolved: Record<string, string> = {};
  for (const [key, { host }] of targetsOf(program)) {
    const state = states.get(key);
    if (state?.kind === "blocked") blocked[host] = state.publicReason;
    if (state?.kind === "unresolved") blocked[host] = "the name has no address";
    if (state?.kind === "address" && isIP(host) === 0) resolved[host] = [...state.all].sort().join(", ");
  }
  // Of rules, since plain HTTP to the same address is forwarded.
  for (const { action } of program.rules) {
    if (action.type !== "forward" || !isNameless(action.backend)) continue;
    const { host } = action.backend;
    blocked[`https://${isIPv6(host) ? `[${host}]` : host}`] = namelessReason;
  }
  const report = {
    ...(refusal === undefined ? {} : { refused: `${refusal.why}${served}` }),
    ...(refusal?.isExcess === true ? { reason: "NoResources" as const } : {}),
    ...(refusal === undefined && held.isPending === true
      ? { pending: `its configuration is being checked${served}` }
      : {}),
    ...(Object.keys(blocked).length === 0 ? {} : { blocked }),
    ...(Object.keys(resolved).length === 0 ? {} : { resolved }),
  };
  return Object.keys(report).length === 0 ? undefined : report;
}
