import type { BackendTarget, RouteProgram } from "../routing/route-program.ts";
import { type HostState, targetKey } from "./backend-addresses.ts";
import { isOneBackend, sectionName, serverName } from "./haproxy/backend-section.ts";
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
  const ofRules = after.length > 1 && isOneBackend(program) ? rules.slice(0, 1) : rules;
  return ofRules.flatMap((rule) =>
    after.flatMap((address, place) => {
      if (address === before[place]) return [];
      const sections = [sectionName(program.gateway)];
      if (program.rules[rule]?.retry !== undefined) sections.push(retrySectionName(program.gateway, rule));
      return sections.map((section) => {
        const server = `${section}/${serverName(rule, place)}`;
        return `set server ${server} addr ${address} port ${target.port}`;
      });
    }),
  );
}
