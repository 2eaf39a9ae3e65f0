import type { ProgramMatch, ProgramRule, RouteProgram } from "../routing/route-program.ts";
import { targetKey } from "./backend-addresses.ts";
import type { SlotShape } from "./haproxy/plain-section.ts";
import { type HeldProgram, type PlainPath, type Refusal, refusalOf } from "./held-program.ts";
import type { Placement } from "./placement.ts";
import { plainRoute, slotShape } from "./plain-program.ts";

/** HAProxy's memory for the sections of one project: each worker has them, also those that only end requests. */
export const memoryOfProject = 32 * 2 ** 20;

export const overShare: Refusal = {
  why:
    `the project's proxies need more than ${memoryOfProject / 2 ** 20} MiB of the gateway's memory; ` +
    "older proxies come first. Use fewer matches, header filters and https backends, or delete proxies",
  isExcess: true,
};

/** What HAProxy 2.6 needs, in bytes: resident memory with many lines of a kind, less that with few. */
const bytesOf = {
  section: 20_000,
  acl: 1_000,
  rule: 1_500,
  redirect: 4_000,
  server: 6_500,
  tls: 20_000,
  certificate: 40_000,
  percent: 80,
};

const percent = "%".charCodeAt(0);

const bytesOfSlot = { section: 12_500, server: 6_000, mixed: 5_000 };
/** An entry in the map of hosts or of paths, in HAProxy and before it. */
const entryBytes = 1_500;

/** Memory that HAProxy needs for a plain program but for its slot. */
export function plainBytes(paths: readonly PlainPath[], program: RouteProgram): number {
  const names = (1 + (program.hostnames?.length ?? 0)) * entryBytes + certificateBytes(program);
  return paths.reduce((sum, { key }) => sum + entryBytes + 3 * key.length, names);
}

function certificateBytes({ certificates = [] }: RouteProgram): number {
  return certificates.reduce((sum, { pem }) => sum + bytesOf.certificate + pem.length, 0);
}

/** Memory that HAProxy needs for a slot of plain programs. */
export function slotBytes({ width, isMixed }: SlotShape): number {
  return bytesOfSlot.section + width * bytesOfSlot.server + (isMixed ? bytesOfSlot.mixed : 0);
}

/** Memory that a worker of HAProxy needs for all that a placement has, free slots as well. */
export function placementBytes({ places, pools }: Placement): number {
  let bytes = pools.reduce((sum, { shape, size }) => sum + size * slotBytes(shape), 0);
  for (const { held, plain } of places.values()) {
    if (plain !== undefined) bytes += held === undefined ? 0 : plainBytes(held.paths ?? [], held.program);
    else if (held !== undefined) bytes += versionBytes(held);
  }
  return bytes;
}

/** Memory that HAProxy needs for a program but for its servers, within a third. */
export function ownBytes(program: RouteProgram): number {
  let acls = program.matches.reduce((sum, match) => sum + conditionCount(match), 0);
  let rules = program.rules.reduce((sum, rule) => sum + lineCount(rule), program.matches.length);
  const redirects = program.rules.filter(({ action }) => action.type === "redirect").length;
  const names = (program.hostnames?.length ?? 0) * entryBytes + certificateBytes(program);
  const { certificates: _, ...others } = program;
  const { tlsListeners = [] } = program;
  const text = JSON.stringify(others);
  let percents = 0;
  // Each is a part of its own in a log-format string.
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === percent) percents++;
  // A listener's name is compared with the connection's and the request's.
  acls += 4 * tlsListeners.length;
  rules += 2 * tlsListeners.length;
  const lines = acls * bytesOf.acl + rules * bytesOf.rule + redirects * bytesOf.redirect;
  return bytesOf.section + names + text.length + lines + percents * bytesOf.percent;
}

function conditionCount({ path, method, headers, queryParams, ...match }: ProgramMatch): number {
  const { listeners, host, exceptHosts = [] } = match;
  const paths = path.type === "PathPrefix" && path.value === "/" ? 0 : 1;
  const others = [method, listeners, host].filter((each) => each !== undefined).length;
  return paths + others + exceptHosts.length + headers.length + 2 * queryParams.length;
}

function lineCount({
  requestHeaders,
  responseHeaders,
  rewritePath,
  rewriteHostname,
  timeoutMs,
  cors,
  mirrors = [],
  action,
}: ProgramRule) {
  const changes = [...requestHeaders, ...responseHeaders];
  const filters = changes.reduce(
    (sum, { set, add, remove }) => sum + set.length + add.length + remove.length,
    0,
  );
  const rewrites = [rewritePath, rewritePath, rewriteHostname, timeoutMs];
  const shares = action.type === "split" ? 1 + action.shares.length : 0;
  const origins = cors === undefined ? 0 : 12 + cors.origins.length;
  return (
    1 + 2 * mirrors.length + origins + filters + shares + rewrites.filter((each) => each !== undefined).length
  );
}

/** Memory that HAProxy needs for a version with the addresses that its backends have. */
export function versionBytes(held: HeldProgram): number {
  if (held.bytes !== undefined) return held.bytes;
  held.ownBytes ??= ownBytes(held.program);
  if (held.paths !== undefined) {
    held.route ??= plainRoute(held);
    held.bytes = held.ownBytes + slotBytes(slotShape(held.route));
    return held.bytes;
  }
  let bytes = held.ownBytes;
  for (const { action, retry, isMirror } of held.program.rules) {
    if (action.type !== "forward") continue;
    const state = held.states.get(targetKey(action.backend));
    const servers = state?.kind === "address" ? state.servers.length : 1;
    // Each of several is named twice.
    const choices = servers > 1 ? servers * bytesOf.rule : 0;
    const own = choices + servers * (bytesOf.server + (action.backend.scheme === "https" ? bytesOf.tls : 0));
    // Its servers are in a section of its own, too, to which another server leads.
    bytes += retry === undefined ? own : 2 * own + bytesOf.section + bytesOf.server;
    if (isMirror === true) bytes += bytesOf.section;
  }
  held.bytes = bytes;
  return bytes;
}

/** Memory that HAProxy needs for what it has loaded, by the project's name. */
export function bytesByProject(programs: Iterable<HeldProgram>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const held of programs) {
    const loaded = held.isLoaded === true ? held : held.earlier;
    if (loaded === undefined) continue;
    const { name } = held.program.plane;
    sums.set(name, (sums.get(name) ?? 0) + versionBytes(loaded));
  }
  return sums;
}

/**
 * The versions that fit into their projects' shares, the oldest programs first: of each program the newest
 * one, the one that is served if only that fits, or none.
 */
export function fittingVersions(
  programs: Iterable<HeldProgram>,
  limit = memoryOfProject,
): Map<HeldProgram, HeldProgram | undefined> {
  const projects = new Map<string, HeldProgram[]>();
  for (const held of programs) {
    const { uid } = held.program.plane;
    const project = projects.get(uid);
    if (project === undefined) projects.set(uid, [held]);
    else project.push(held);
  }
  const fitting = new Map<HeldProgram, HeldProgram | undefined>();
  for (const project of projects.values()) {
    let left = limit;
    const fits = (held: HeldProgram | undefined): held is HeldProgram =>
      held !== undefined && versionBytes(held) <= left;
    for (const held of project.sort(byAge)) {
      const newest = held.fault === undefined ? held : undefined;
      const version = [newest, held.earlier].find(fits);
      left -= version === undefined ? 0 : versionBytes(version);
      fitting.set(held, version);
    }
  }
  return fitting;
}

function byAge({ program: a }: HeldProgram, { program: b }: HeldProgram): number {
  const [first, second] = [a.created ?? "", b.created ?? ""];
  if (first === second) return a.gateway < b.gateway ? -1 : 1;
  return first < second ? -1 : 1;
}

/**
 * The version of a program that is served until a newer one is: also one that waits for its load, since a
 * program that is edited more often than HAProxy loads would otherwise never be loaded.
 */
export function servedOf(held: HeldProgram): HeldProgram | undefined {
  return held.isLoaded === true || mayBeServed(held, held.earlier) ? held : held.earlier;
}

/** Whether a version may be loaded in the place of the one that is served. */
export function mayBeServed(held: HeldProgram, earlier: HeldProgram | undefined): boolean {
  if (held.isAccepted !== true || refusalOf(held) !== undefined) return false;
  return earlier === undefined || versionBytes(held) <= versionBytes(earlier);
}
