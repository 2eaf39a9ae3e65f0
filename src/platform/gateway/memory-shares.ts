import type { HeldProgram, Refusal } from "./held-program.ts";

/** HAProxy's memory for the sections of one project: each worker has them, also those that only end requests. */
export const memoryOfProject = 32 * 2 ** 20;

export const overShare: Refusal = {
  why:
    `the project's proxies need more than ${memoryOfProject / 2 ** 20} MiB of the gateway's memory; ` +
    "older proxies come first. Use fewer matches, header filters and https backends, or delete proxies",
  isExcess: true,
};

/** What HAProxy 2.6 needs, in bytes. Resident memory of sections with many lines of a kind, less that with few. */
const bytesOf = {
  section: 9_000,
  acl: 1_000,
  rule: 1_500,
  server: 5_000,
  tls: 20_000,
  fetch: 500,
  percent: 40,
};

const percent = "%".charCodeAt(0);

/** Memory that HAProxy needs for a section, within a third. */
export function sectionBytes(text: string): number {
  let bytes = bytesOf.section + text.length;
  for (let from = 0; from < text.length; ) {
    const at = text.indexOf("\n", from);
    const end = at < 0 ? text.length : at;
    if (text.startsWith("  acl ", from)) bytes += bytesOf.acl;
    else if (text.startsWith("  server ", from)) {
      bytes += bytesOf.server;
      if (text.slice(from, end).includes(" ssl verify ")) bytes += bytesOf.tls;
    } else bytes += bytesOf.rule;
    from = end + 1;
  }
  // Each escaped one is a part of its own in a log-format string, as each fetch is.
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === percent) bytes += text[at + 1] === "[" ? bytesOf.fetch : bytesOf.percent;
  }
  return bytes;
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
      held !== undefined && (held.bytes ?? 0) <= left;
    for (const held of project.sort(byAge)) {
      const newest = held.fault === undefined ? held : undefined;
      const version = [newest, held.earlier].find(fits);
      left -= version?.bytes ?? 0;
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
