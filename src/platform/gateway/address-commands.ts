import type { BackendTarget, RouteProgram } from "../routing/route-program.ts";
import { type HostState, targetKey } from "./backend-addresses.ts";
import { isOneBackend, sectionName, serverName } from "./haproxy/backend-section.ts";
import { mirrorSectionName } from "./haproxy/mirror-section.ts";
import { retrySectionName } from "./haproxy/retry-section.ts";

type Servers = Pick<HostState & { kind: "address" }, "servers">;

export function sameCount(before: Servers, after: Servers): boolean {
  return before.servers.length === after.servers.length;
}

export function sameServers(before: HostState, after: HostState): boolean {
  if (before.kind === "address" && after.kind === "address")
    return String(before.servers) === String(after.servers);
  return before.kind === after.kind;
}

/** Whether HAProxy has done what a command of {@link addressCommands} asks for. */
export function isAddressSet(response: string): boolean {
  return /\bchanged from\b|\bno need to change\b/.test(response);
}

/** Whether HAProxy has done all of some commands for servers' addresses and states, and for maps. */
export function areDone(commands: readonly string[], response: string): boolean {
  const lines = response.split("\n").filter((line) => line.trim() !== "");
  const addresses = commands.filter((command) => / addr /.test(command)).length;
  // The others respond only if they fail.
  return lines.length === addresses && lines.every(isAddressSet);
}

/** Commands that give the servers of a target other addresses. @param before as many addresses as `after` */
export function addressCommands(
  program: RouteProgram,
  target: BackendTarget,
  before: readonly string[],
  after: readonly string[],
): string[] {
  const rules = program.rules.flatMap(({ action }, rule) =>
    action.type === "forward" && targetKey(action.backend) === targetKey(target) ? [rule] : [],
  );
  const isMirror = (rule: number): boolean => program.rules[rule]?.isMirror === true;
  const own = rules.filter((rule) => !isMirror(rule));
  const ofRules = after.length > 1 && isOneBackend(program) ? own.slice(0, 1) : own;
  return [...ofRules, ...rules.filter(isMirror)].flatMap((rule) =>
    after.flatMap((address, place) => {
      if (address === before[place]) return [];
      return sectionsOf(program, rule).map((section) => {
        const server = `${section}/${serverName(rule, place)}`;
        return `set server ${server} addr ${address} port ${target.port}`;
      });
    }),
  );
}

/** Names of the sections that have the servers of a rule. */
function sectionsOf({ gateway, rules }: RouteProgram, rule: number): string[] {
  const { isMirror, retry } = rules[rule] ?? {};
  if (isMirror === true) return [mirrorSectionName(gateway, rule)];
  return [sectionName(gateway), ...(retry === undefined ? [] : [retrySectionName(gateway, rule)])];
}
