import type { RouteProgram } from "../routing/route-program.ts";
import type { ProgramAddresses } from "./address-lookups.ts";
import { type HostState, isNameless, targetKey, targetsOf } from "./backend-addresses.ts";
import type { BackendAddress } from "./haproxy/backend-section.ts";
import type { Section } from "./haproxy/configuration-file.ts";
import type { PlainRoute } from "./haproxy/plain-section.ts";

/** Why a program is not loaded. */
export interface Refusal {
  /** For its tenant: no words of the configuration, and no paths. */
  readonly why: string;
  /** It needs more time or memory than it may. */
  readonly isExcess?: true;
}

/** A path of a plain program, as `pathKey` has it, with the rule of its requests. */
export interface PlainPath {
  readonly key: string;
  readonly rule: number;
}

/** A version of a program, with what this gateway knows of it. */
export interface HeldProgram extends ProgramAddresses {
  /** Of a plain program, which is given to HAProxy as data, and has no section. */
  paths?: readonly PlainPath[] | undefined;
  /** The section of the configuration; absent: to be made. */
  section?: Section | undefined;
  /** The data of a plain program; absent: to be made. */
  route?: PlainRoute | undefined;
  /** Memory that HAProxy needs for it: see `versionBytes`, and `ownBytes` without its servers. */
  bytes?: number | undefined;
  ownBytes?: number | undefined;
  /** HAProxy accepts the version, whatever addresses its backends have. */
  isAccepted?: true | undefined;
  /** A check of the version is due or running. */
  isChecking?: true | undefined;
  /** Why this version is never loaded. */
  fault?: Refusal | undefined;
  /** Why this version does not fit into what its project may have, as of the last load. */
  excess?: Refusal | undefined;
  /** HAProxy has loaded it. */
  isLoaded?: boolean | undefined;
  /** HAProxy has what came later; this version is being checked, or waits for a load. */
  isPending?: boolean | undefined;
  /** What is served of the program, as long as HAProxy does not have this version. */
  earlier?: HeldProgram | undefined;
  /**
   * A version before this one whose check is due or running: one that is edited all the time would otherwise
   * never be loaded.
   */
  candidate?: HeldProgram | undefined;
  /** What is stored of its reports. */
  reported?: string | undefined;
}

/** Why the newest version is not loaded; undefined if it is, or will be. */
export function refusalOf({ fault, excess }: HeldProgram): Refusal | undefined {
  return fault ?? excess;
}

/** Whether HAProxy has yet to say if it accepts the version, which fits into its project's share. */
export function isUnchecked(held: HeldProgram): boolean {
  return held.isAccepted !== true && refusalOf(held) === undefined;
}

/** The address of a rule's backend, as it is now. */
export function addressOf({ program, states }: HeldProgram, rule: number): BackendAddress {
  const action = program.rules[rule]?.action;
  if (action?.type !== "forward") return { kind: "unresolved" };
  const state = states.get(targetKey(action.backend));
  if (state?.kind !== "address") return { kind: state?.kind ?? "unresolved" };
  if (isNameless(action.backend)) return { kind: "nameless" };
  return { kind: "address", addresses: state.servers };
}

/** What is known already of a program's targets; those that it no longer has are forgotten. */
export function statesOf(program: RouteProgram, before: HeldProgram | undefined): Map<string, HostState> {
  const states = new Map<string, HostState>();
  for (const key of targetsOf(program).keys()) {
    const state = before?.states.get(key);
    if (state !== undefined) states.set(key, state);
  }
  return states;
}
