import { isIP } from "node:net";
import type { ProgramMatch, ProgramRule, RouteProgram } from "../routing/route-program.ts";
import { programFault } from "./haproxy/backend-section.ts";
import {
  isPlainText,
  type PlainAction,
  type PlainRoute,
  type SlotServers,
  slotWidths,
  unusedSlot,
} from "./haproxy/plain-section.ts";
import { addressOf, type HeldProgram } from "./held-program.ts";

/**
 * Whether all that a program asks for can be data: requests of any path are forwarded as they are to one
 * backend without TLS, under its name, or get one response of the gateway's own.
 */
export function isPlain(program: RouteProgram): boolean {
  const { gateway, plane, matches, rules } = program;
  if (programFault(program) !== undefined) return false;
  if (![gateway, plane.uid, plane.organization].every(isPlainText)) return false;
  if (matches.length === 0) return true;
  const [rule] = rules;
  if (rule === undefined || rules.length > 1 || matches.some((match) => match.rule !== 0)) return false;
  return matches.some(isEverything) && isPlainRule(rule);
}

function isEverything({ path, method, headers, queryParams, listeners }: ProgramMatch): boolean {
  const isAnyPath = path.type === "PathPrefix" && path.value === "/";
  const others = headers.length + queryParams.length;
  return isAnyPath && method === undefined && others === 0 && listeners === undefined;
}

function isPlainRule(rule: ProgramRule): boolean {
  const { requestHeaders, responseHeaders, rewriteHostname, rewritePath, timeoutMs, action } = rule;
  if (requestHeaders.length > 0 || responseHeaders.length > 0 || rewritePath !== undefined) return false;
  if (rewriteHostname !== undefined && !isPlainText(rewriteHostname)) return false;
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 0)) return false;
  if (action.type === "respond") return action.status === 500 || action.status === 503;
  if (action.type === "redirect") return false;
  const { scheme, port } = action.backend;
  return scheme === "http" && Number.isInteger(port) && port > 0 && port < 65_536;
}

/** The route of a plain program with the addresses that its backend has now. */
export function plainRoute(held: HeldProgram): PlainRoute {
  const { gateway, plane, listeners, matches, rules } = held.program;
  const rule = matches.length === 0 ? undefined : rules[0];
  const { action, servers } = outcomeOf(held, rule);
  const [first = "none", ...more] = new Set(listeners);
  return {
    entry: {
      ...{ gateway, action, project: plane.uid, organization: plane.organization },
      listeners: more.length > 0 ? "both" : first,
      hostname: rule?.rewriteHostname,
      timeoutMs: rule?.timeoutMs,
    },
    servers,
  };
}

const widest = Math.max(...slotWidths);

/** How many servers the slot of a route has. */
export function slotWidth({ servers }: PlainRoute): number {
  return slotWidths.find((width) => width >= servers.addresses.length) ?? widest;
}

function outcomeOf(
  held: HeldProgram,
  rule: ProgramRule | undefined,
): { readonly action: PlainAction; readonly servers: SlotServers } {
  if (rule === undefined) return { action: "404", servers: unusedSlot };
  if (rule.action.type !== "forward")
    return {
      action: rule.action.type === "respond" && rule.action.status === 503 ? "503" : "500",
      servers: unusedSlot,
    };
  const found = addressOf(held, 0);
  if (found.kind === "blocked") return { action: "blocked", servers: unusedSlot };
  if (found.kind !== "address" || !found.addresses.every(isAddress))
    return { action: "unresolved", servers: unusedSlot };
  return { action: "forward", servers: { addresses: found.addresses, port: rule.action.backend.port } };
}

/** Without a zone, whose text could be anything. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}
