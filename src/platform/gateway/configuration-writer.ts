import { appendFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { isNameless } from "./backend-addresses.ts";
import { certificateLines, certificatesIn, placedCertificates, writeCertificates } from "./certificates.ts";
import { type BackendAddress, backendSection, respondWith, sectionName } from "./haproxy/backend-section.ts";
import { HaproxyError } from "./haproxy/command-socket.ts";
import { type GatewaySettings, hostKey, sharedConfiguration, slotDefaults } from "./haproxy/configuration.ts";
import { type Section, writeConfiguration, writeMap, writeText } from "./haproxy/configuration-file.ts";
import type { GatewayFiles } from "./haproxy/gateway-files.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import {
  type SlotServers,
  type SlotShape,
  slotLines,
  slotName,
  slotSection,
  unusedSlot,
} from "./haproxy/plain-section.ts";
import { requestScript } from "./haproxy/request-script.ts";
import { addressOf, type HeldProgram } from "./held-program.ts";
import type { HeldPrograms } from "./held-programs.ts";
import { placementBytes } from "./memory-shares.ts";
import { type PathTable, type Placement, placementOfLoad } from "./placement.ts";
import type { SectionChecks } from "./section-checks.ts";

export interface ConfigurationWriterOptions {
  readonly settings: GatewaySettings;
  readonly domain: string;
  readonly files: GatewayFiles;
  readonly haproxy: Pick<Haproxy, "check">;
  readonly checks: SectionChecks;
}

/** Characters of sections that are made before the event loop gets its turn. */
const madeAtOnce = 256 * 1024;

/**
 * Has HAProxy check the versions of programs that it has not checked yet, each project's apart.
 *
 * @returns what resolves when all are done; nobody has to wait for it
 */
export async function beginChecks(
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Promise<{ readonly ended: Promise<unknown> }> {
  const { files, checks, settings } = options;
  const unchecked = programs.unchecked();
  if (unchecked.length === 0) return { ended: Promise.resolve() };
  const shared = sharedConfiguration(settings, files);
  await writeCertificates(
    files,
    unchecked.flatMap(({ program }) => placedCertificates(program)),
  );
  const checked = unchecked.map((held) => {
    held.isChecking = true;
    return checks.add(held, () => checkedSection(held, programs, options), shared);
  });
  return { ended: Promise.all(checked) };
}

/**
 * The same, after a check of what all of them share.
 *
 * @param waitMs how long the checks are waited for; longer ones continue
 * @throws HaproxyError when HAProxy does not accept what all share; the signal's reason
 */
export async function checkVersions(
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  await checkShared(options, signal);
  const { ended } = await beginChecks(programs, options);
  const waited = setTimeout(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
  await Promise.race([ended, waited]);
  signal.throwIfAborted();
}

/**
 * Takes over the versions that were served before a restart, as far as HAProxy accepts them: each is served
 * until a newer version of its program is loaded.
 */
export async function restoreVersions(
  kept: AsyncIterable<readonly RouteProgram[]>,
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  for await (const part of kept) programs.apply(part, []);
  if (programs.size === 0) return;
  await checkVersions(programs, options, waitMs, signal);
  programs.noteLoaded(programs.versions());
}

/** Makes the sections that there are not yet. */
export async function makeSections(
  versions: ReadonlySet<HeldProgram>,
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Promise<void> {
  const missing = [...versions].filter(({ section, paths }) => paths === undefined && section === undefined);
  await eachSection(missing, (held) => servedSection(held, programs, options)?.text.length ?? 0);
}

/** @param make returns how much it made */
async function eachSection(all: Iterable<HeldProgram>, make: (held: HeldProgram) => number): Promise<void> {
  let made = 0;
  for (const held of all) {
    made += make(held);
    if (made < madeAtOnce) continue;
    made = 0;
    await yieldToEventLoop();
  }
}

/** Replaces the configuration that HAProxy reads when it starts or reloads. */
export async function writePlacement(
  placement: Placement,
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Promise<void> {
  const { settings, files, domain } = options;
  const places = [...placement.places.values()];
  // At once: what lookups change from now on is for the next load, or a command to the running HAProxy.
  const sections = places.flatMap(({ held, plain }) =>
    held === undefined || plain !== undefined ? [] : (servedSection(held, programs, options) ?? []),
  );
  const shared = sharedConfiguration(settings, files, placementBytes(placement));
  const slots = slotSections(placement, settings.limits.requestsPerProxy);
  await writeConfiguration(files.configuration, `${shared}\n${leftOutText}`, sections, function* () {
    yield slotDefaults(settings);
    yield* slots;
  });
  await writeCertificates(files, certificatesIn(placement));
  await writeText(
    files.certificateList,
    certificateLines(placement)
      .map((line) => `${line}\n`)
      .join(""),
  );
  // What entries lead to is there before them, whenever HAProxy reads the files.
  await writeMap(files.paths, function* () {
    for (const table of placement.tables) yield* pathEntries(table);
  });
  await writeMap(files.hosts, function* () {
    for (const [gateway, { hostnames }] of placement.places) {
      const entry = hostEntry(placement, gateway);
      yield [`${gateway}.${domain}`, entry] as const;
      for (const name of hostnames) yield [hostKey(name), entry] as const;
    }
  });
}

/** What the map of paths has for a program. */
export function pathEntries({ token, entries }: PathTable): (readonly [key: string, entry: string])[] {
  return entries.map(([key, entry]) => [`${token}${key}`, entry]);
}

/** What the map of hosts has for a program. */
export function hostEntry({ places }: Placement, gateway: string): string {
  const { held, plain } = places.get(gateway) ?? {};
  if (plain !== undefined) return plain.entry;
  // A program that is left out keeps its hostname, which then says so.
  return held === undefined ? leftOutSection : sectionName(gateway);
}

/** Lines of slots, by what only one of them has been given: an edit changes few of thousands. */
const linesOfSlots = new WeakMap<SlotServers, string>();

function* slotSections({ load, pools, places }: Placement, requestsPerProxy: number): Iterable<string> {
  const owned = new Map<string, SlotServers>();
  const ownLines = (shape: SlotShape, servers: SlotServers): string => {
    const lines = linesOfSlots.get(servers) ?? slotLines(shape, servers, requestsPerProxy);
    linesOfSlots.set(servers, lines);
    return lines;
  };
  for (const { plain } of places.values()) if (plain !== undefined) owned.set(plain.slot.name, plain.servers);
  for (const { shape, size } of pools) {
    const freeLines = slotLines(shape, unusedSlot, requestsPerProxy);
    for (let index = 0; index < size; index++) {
      const slot = { name: slotName(load, shape, index), shape };
      const servers = owned.get(slot.name);
      yield slotSection(slot, servers === undefined ? freeLines : ownLines(shape, servers));
    }
  }
}

const leftOutSection = "left-out";
const leftOutText = `backend ${leftOutSection}\n  ${respondWith(503, "the proxy cannot be carried out", "")}\n`;

/**
 * Writes what the sections need, and has HAProxy check what all of them share.
 *
 * @throws HaproxyError when HAProxy does not accept it; the signal's reason
 */
export async function checkShared(
  { files, settings, haproxy }: ConfigurationWriterOptions,
  signal: AbortSignal,
): Promise<void> {
  await writeText(files.script, requestScript(files.innerSocket, settings.limits.connections));
  for (const map of [files.hosts, files.paths]) await appendFile(map, "", { mode: 0o600 });
  const shared = sharedConfiguration(settings, files);
  const candidate = `${files.configuration}.next`;
  const empty = await placementOfLoad("check", [], new Set());
  await writeConfiguration(candidate, shared, [], function* () {
    yield slotDefaults(settings);
    yield* slotSections(empty, settings.limits.requestsPerProxy);
  });
  const outcome = await haproxy.check(candidate, signal);
  if (outcome.kind === "accepted") return;
  const why = outcome.kind === "refused" ? outcome.complaints[0]?.message : `its check is ${outcome.kind}`;
  throw new HaproxyError(`HAProxy does not accept the configuration: ${why}`);
}

/** The section with the addresses that the backends have now, made only once. */
function servedSection(
  held: HeldProgram,
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Section | undefined {
  held.section ??= makeSection(held, (rule) => addressOf(held, rule), programs, options);
  return held.section;
}

/** What HAProxy has to accept of a version: its section, unless it is a plain program, and its certificates. */
function checkedSection(
  held: HeldProgram,
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Section | undefined {
  const { program, paths } = held;
  const { gateway } = program;
  const section =
    paths === undefined ? makeSection(held, nominalAddress(held), programs, options) : { gateway, text: "" };
  const crt = placedCertificates(program).map(({ name }) => `crt ${name}`);
  if (section === undefined || crt.length === 0) return section;
  const frontend = `frontend certificates-${gateway}\n  bind 127.0.0.1:1 ssl ${crt.join(" ")}\n`;
  return { gateway, text: `${section.text}${frontend}` };
}

/** Undefined if there is none; the program is refused then. */
function makeSection(
  held: HeldProgram,
  addresses: (rule: number) => BackendAddress,
  programs: HeldPrograms,
  { settings, files }: ConfigurationWriterOptions,
): Section | undefined {
  const { program } = held;
  try {
    const text = backendSection(program, {
      requestsPerProxy: settings.limits.requestsPerProxy,
      connections: settings.limits.connections,
      authoritiesFile: files.authorities,
      innerSocket: files.innerSocket,
      addressOf: addresses,
    });
    return { gateway: program.gateway, text };
  } catch (error) {
    programs.refuse(held, { why: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** Addresses for documents (RFC 5737). */
const nominal: BackendAddress = { kind: "address", addresses: ["192.0.2.1", "192.0.2.2"] };

/** With these, a section has every line of its program: whatever names lead to later needs no other check. */
function nominalAddress({ program }: HeldProgram): (rule: number) => BackendAddress {
  return (rule) => {
    const action = program.rules[rule]?.action;
    if (action?.type !== "forward") return { kind: "unresolved" };
    return isNameless(action.backend) ? { kind: "nameless" } : nominal;
  };
}
