import type { Mirror, ProgramRule, RouteProgram } from "../../routing/route-program.ts";
import { innerLines, unlessLeaving } from "./inner-hop.ts";
import { word } from "./quote.ts";
import { maxMirroredBytes, mirrorMs } from "./request-script.ts";
import { standIn } from "./server-lines.ts";

/**
 * HAProxy sends a request to one backend. Its Lua script sends the copies for mirrors, to a section of each
 * mirror, and drops their responses: no request waits for them.
 */

export function mirrorSectionName(gateway: string, rule: number): string {
  return `mirror-${gateway}-${rule}`;
}

/** What HAProxy's complaint about {@link mirrorNeeds} says. */
export const luaIsMissing = "the gateway's HAProxy has no Lua, which RequestMirror needs";

/** A section with these is not accepted where no copy could be sent. */
export const mirrorNeeds: readonly string[] = [".if !feature(LUA)", `.alert "${luaIsMissing}"`, ".endif"];

const length = "req.hdr_val(content-length)";

/** In the program's section, after all changes to the request. @param chosen condition of the rule's requests */
export function mirrorLines(
  { gateway, plane }: RouteProgram,
  { mirrors = [] }: ProgramRule,
  chosen: string,
): string[] {
  const some = mirrors.filter(({ numerator }) => numerator > 0);
  if (some.length === 0) return [];
  const isCopied = `${chosen} ${unlessLeaving} !{ var(txn.websocket) -m found }`;
  return [
    // Only what has arrived can be copied.
    `http-request wait-for-body time 60s if ${isCopied} { ${length} gt 0 } { ${length} le ${maxMirroredBytes} }`,
    ...some.map((mirror) => {
      const action = `lua.mirror ${mirrorSectionName(gateway, mirror.rule)} ${word(plane.uid)}`;
      return `http-request ${action} if ${isCopied}${chance(mirror)}`;
    }),
  ];
}

function chance({ numerator, denominator }: Mirror): string {
  return numerator >= denominator ? "" : ` { rand(${denominator}) lt ${numerator} }`;
}

/** The section of a mirror. @param servers lines of the backend's servers */
export function mirrorSection(
  gateway: string,
  _rule: ProgramRule,
  index: number,
  servers: readonly string[],
): string[][] {
  return [
    [
      `backend ${mirrorSectionName(gateway, index)}`,
      ...innerLines,
      `timeout server ${mirrorMs}ms`,
      ...(servers.length > 1 ? standIn : ["retries 0"]),
      ...servers,
    ],
  ];
}
