import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { type PlacedCertificate, placedCertificates } from "./certificates.ts";
import type { Section } from "./haproxy/configuration-file.ts";
import {
  entryText,
  isPlainText,
  type PlacedBackend,
  type PlainBackend,
  type PlainRoute,
  type Slot,
  type SlotServers,
  type SlotShape,
  slotName,
  slotShapes,
  unusedSlot,
} from "./haproxy/plain-section.ts";
import type { HeldProgram } from "./held-program.ts";
import { plainRoute, slotShape } from "./plain-program.ts";

/** Where HAProxy has a program. */
export interface Place {
  /** Hostnames besides the gateway's own. */
  readonly hostnames: readonly string[];
  /** Those of the version that is served. */
  readonly certificates: readonly PlacedCertificate[];
  /** The version that is served; absent: responses say that it is left out. */
  readonly held?: HeldProgram | undefined;
  /** Of a plain program; absent: it has a section of its own. */
  readonly plain?: PlainPlace | undefined;
  /** The section that was loaded. */
  readonly section?: Section | undefined;
}

export interface PlainPlace {
  readonly slot: Slot;
  readonly route: PlainRoute;
  /** What the slot's servers have been given: also while nothing is forwarded to them. */
  readonly servers: SlotServers;
  /** What the map of hosts has for it. */
  readonly entry: string;
  /** Of a program with several paths. */
  readonly table?: PathTable | undefined;
}

/** The paths of a program in the map of paths. A table is never changed: another version has another one. */
export interface PathTable {
  /** What its keys begin with, and those of no other table. */
  readonly token: string;
  readonly entries: readonly (readonly [key: string, entry: string])[];
}

/** Where HAProxy's worker has all programs, from its load on. */
export interface Placement {
  /** Names the load: no two have slots of the same name. */
  readonly load: string;
  /** By the gateway's uid. */
  readonly places: ReadonlyMap<string, Place>;
  readonly pools: readonly SlotPool[];
  /** All that there are since the load: a request may still look for its path in one that was replaced. */
  readonly tables: readonly PathTable[];
  /** How many entries the tables have. */
  readonly pathCount: number;
  /** How many they may have. */
  readonly maxPaths: number;
  /**
   * The gateway of each slot that was given away. A slot is given away once in the life of a worker: whatever
   * is open or kept in it leads to its only program.
   */
  readonly owners: ReadonlyMap<string, string>;
}

export interface SlotPool {
  readonly shape: SlotShape;
  readonly size: number;
  readonly taken: number;
}

/** Slots that are free after a load, at least, by the name of their shape; and for each one that is taken. */
const leastFree: Readonly<Record<string, number>> = {
  1: 64,
  4: 16,
  8: 8,
  "mixed-4": 16,
  "mixed-16": 8,
  "mixed-64": 2,
};
const freeShare = 1 / 2;
/** Entries that the map of paths has room for after a load, and for each one that it has. */
const freePaths = { least: 10_000, share: 1 };

/** Programs that are placed before the event loop gets its turn. */
export const placedAtOnce = 200;

/** How a load places all programs. @param versions what it loads */
export async function placementOfLoad(
  load: string,
  programs: Iterable<HeldProgram>,
  versions: ReadonlySet<HeldProgram>,
): Promise<Placement> {
  const places = new Map<string, Place>();
  const owners = new Map<string, string>();
  const taken = new Map<SlotShape, number>(slotShapes.map((shape) => [shape, 0]));
  const tables: PathTable[] = [];
  let pathCount = 0;
  let placed = 0;
  for (const newest of programs) {
    if (++placed % placedAtOnce === 0) await yieldToEventLoop();
    const { gateway } = newest.program;
    if (!isPlainText(gateway)) continue;
    const held = servedOf(newest, versions);
    if (held?.paths === undefined) {
      places.set(gateway, placeOf(newest, held));
      continue;
    }
    held.route ??= plainRoute(held);
    const shape = slotShape(held.route);
    const index = taken.get(shape) ?? 0;
    taken.set(shape, index + 1);
    const slot = { name: slotName(load, shape, index), shape };
    const servers = placedBackends(unusedSlot, held.route.backends, false);
    const plain = plainPlace(slot, held.route, servers, () => tableToken(load, tables.length));
    if (plain.table !== undefined) {
      tables.push(plain.table);
      pathCount += plain.table.entries.length;
    }
    places.set(gateway, placeOf(newest, held, plain));
    owners.set(slot.name, gateway);
  }
  const pools = [...taken].map(([shape, count]) => {
    const free = Math.max(leastFree[shape.name] ?? 1, Math.ceil(count * freeShare));
    return { shape, size: count + free, taken: count };
  });
  const maxPaths = pathCount + Math.max(freePaths.least, pathCount * freePaths.share);
  return { load, places, pools, tables, pathCount, maxPaths, owners };
}

/** Letters and digits only: no token begins another one's keys. */
export function tableToken(load: string, index: number): string {
  return `${load}t${index}`;
}

/** @param before the place of the program until now, if it keeps its slot: a table that is the same stays */
export function plainPlace(
  slot: Slot,
  route: PlainRoute,
  servers: SlotServers,
  nextToken: () => string,
  before?: PlainPlace,
): PlainPlace {
  const entries = route.paths.map(({ key, entry }) => [key, entryText(entry, slot, servers)] as const);
  const isSame = JSON.stringify(before?.table?.entries) === JSON.stringify(entries);
  const table = entries.length === 0 ? undefined : isSame ? before?.table : { token: nextToken(), entries };
  return { slot, route, servers, entry: entryText(route.entry, slot, servers, table?.token), table };
}

/** A program that is left out keeps its hostnames: responses say so. */
export function placeOf(newest: HeldProgram, held: HeldProgram | undefined, plain?: PlainPlace): Place {
  const { hostnames = [] } = (held ?? newest).program;
  const certificates = held === undefined ? [] : placedCertificates(held.program);
  return { hostnames, certificates, held, plain, section: held?.section };
}

export function servedOf(newest: HeldProgram, versions: ReadonlySet<HeldProgram>): HeldProgram | undefined {
  return [newest, newest.earlier].find((each) => each !== undefined && versions.has(each));
}

/**
 * The servers of a slot with the backends that it has to have. Requests that are open, and connections that
 * are kept, lead to the addresses before: those of another version's backend must not come back with the new
 * one's requests. So a server has one backend in its life; a backend that is not needed now stays.
 *
 * @param isSameVersion of the program: a name that leads elsewhere does so in its place, as in a section
 */
export function placedBackends(
  before: SlotServers,
  backends: readonly PlainBackend[],
  isSameVersion: boolean,
): SlotServers {
  let { used } = before;
  const others = new Set(before.backends);
  const placed = backends.map((backend): PlacedBackend => {
    // Those of the version before come first.
    const kept = before.backends.find(
      ({ key, addresses }) =>
        key === backend.key &&
        addresses.length === backend.addresses.length &&
        (isSameVersion || String(addresses) === String(backend.addresses)),
    );
    if (kept !== undefined) {
      others.delete(kept);
      return { ...backend, first: kept.first };
    }
    used += backend.addresses.length;
    return { ...backend, first: used - backend.addresses.length };
  });
  return { backends: [...placed, ...others], used };
}
