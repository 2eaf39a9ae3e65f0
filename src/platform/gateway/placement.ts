import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import {
  entryText,
  isPlainText,
  type PlacedBackend,
  type PlainBackend,
  type PlainRoute,
  type Slot,
  type SlotServers,
  type SlotShape,
  serverCommands,
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
  /** The version that is served; absent: responses say that it is left out. */
  readonly held?: HeldProgram | undefined;
  /** Of a plain program; absent: it has a section of its own. */
  readonly plain?: PlainPlace | undefined;
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
const placedAtOnce = 200;

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
      places.set(gateway, { held, hostnames: hostnamesOf(newest, held) });
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
    places.set(gateway, { held, plain, hostnames: hostnamesOf(newest, held) });
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
function tableToken(load: string, index: number): string {
  return `${load}t${index}`;
}

/** @param before the place of the program until now, if it keeps its slot: a table that is the same stays */
function plainPlace(
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

/** Changes of a placement that a running HAProxy can be given. */
export interface PlacementChange {
  readonly next: Placement;
  /** To be carried out before `tables`, as these before `maps`: what an entry leads to must be there. */
  readonly servers: readonly string[];
  /** Whose entries are new. */
  readonly tables: readonly PathTable[];
  /** Versions that are served afterwards. */
  readonly given: readonly HeldProgram[];
  /** Gateways whose entry is new, another one, or gone. */
  readonly maps: readonly MapChange[];
  /** Whether nothing else has changed; otherwise the rest needs a load. */
  readonly isComplete: boolean;
}

export interface MapChange extends HostOfGateway {
  readonly change: "add" | "set" | "del";
}

export interface HostOfGateway {
  readonly gateway: string;
  /** Absent: the gateway's own. */
  readonly hostname?: string | undefined;
}

/** Hostnames that a later placement no longer has for the same gateway. */
export function droppedHosts(before: Placement, next: Placement): HostOfGateway[] {
  return [...before.places].flatMap(([gateway, { hostnames }]): HostOfGateway[] => {
    const after = next.places.get(gateway);
    const dropped = hostnames.filter((name) => after?.hostnames.includes(name) !== true);
    const own: HostOfGateway[] = after === undefined ? [{ gateway }] : [];
    return [...own, ...dropped.map((hostname) => ({ gateway, hostname }))];
  });
}

/** Those of what is served, or of a program that is left out: responses say so. */
function hostnamesOf(newest: HeldProgram, held: HeldProgram | undefined): readonly string[] {
  return (held ?? newest).program.hostnames ?? [];
}

/** Changes of a gateway's entries in the map of hosts. */
function mapChanges(
  gateway: string,
  before: Place | undefined,
  after: Place | undefined,
  isNewEntry: boolean,
): MapChange[] {
  const names = (place: Place | undefined): (string | undefined)[] =>
    place === undefined ? [] : [undefined, ...place.hostnames];
  const [old, now] = [new Set(names(before)), names(after)];
  const dropped = [...old].filter((name) => !now.includes(name));
  const kept = now.filter((name) => isNewEntry || !old.has(name));
  return [
    ...dropped.map((hostname): MapChange => ({ gateway, hostname, change: "del" })),
    ...kept.map((hostname): MapChange => ({ gateway, hostname, change: old.has(hostname) ? "set" : "add" })),
  ];
}

/**
 * What of the programs' changes needs no load.
 *
 * @param programs the newest versions, by gateway
 * @param versions what HAProxy should have now
 * @param changed gateways whose programs, their addresses or versions have changed, or that are gone
 */
export async function placementChange(
  now: Placement,
  programs: { newest(gateway: string): HeldProgram | undefined },
  versions: ReadonlySet<HeldProgram>,
  changed: Iterable<string>,
): Promise<PlacementChange> {
  const places = new Map(now.places);
  const owners = new Map(now.owners);
  const pools = new Map(now.pools.map((pool) => [pool.shape, pool]));
  const tables: PathTable[] = [];
  let { pathCount } = now;
  const servers: string[] = [];
  const given: HeldProgram[] = [];
  const maps: MapChange[] = [];
  let isComplete = true;

  const takeSlot = (shape: SlotShape, gateway: string): Slot | undefined => {
    const pool = pools.get(shape);
    if (pool === undefined || pool.taken >= pool.size) return undefined;
    pools.set(shape, { ...pool, taken: pool.taken + 1 });
    const slot = { name: slotName(now.load, shape, pool.taken), shape };
    owners.set(slot.name, gateway);
    return slot;
  };
  const giveRoute = (gateway: string, held: HeldProgram, route: PlainRoute): void => {
    const before = places.get(gateway);
    const kept = keptServers(before, held, route);
    const hasRoom = pathCount + route.paths.length <= now.maxPaths;
    const slot = !hasRoom ? undefined : kept === undefined ? takeSlot(slotShape(route), gateway) : kept.slot;
    if (slot === undefined) {
      isComplete = false;
      return;
    }
    const next = kept?.servers ?? placedBackends(unusedSlot, route.backends, false);
    servers.push(...serverCommands(slot, next, kept?.before));
    const nextToken = (): string => tableToken(now.load, now.tables.length + tables.length);
    const plain = plainPlace(slot, route, next, nextToken, before?.plain);
    if (plain.table !== undefined && plain.table !== before?.plain?.table) {
      tables.push(plain.table);
      pathCount += plain.table.entries.length;
    }
    const place = { held, plain, hostnames: held.program.hostnames ?? [] };
    maps.push(...mapChanges(gateway, before, place, plain.entry !== before?.plain?.entry));
    places.set(gateway, place);
  };

  let placed = 0;
  for (const gateway of changed) {
    if (++placed % placedAtOnce === 0) await yieldToEventLoop();
    const newest = programs.newest(gateway);
    const before = places.get(gateway);
    if (newest === undefined) {
      // The section of one that was not plain stays in memory until the next load.
      maps.push(...mapChanges(gateway, before, undefined, false));
      places.delete(gateway);
      continue;
    }
    if (!isPlainText(gateway)) continue;
    const held = servedOf(newest, versions);
    if (isUnchecked(newest)) {
      // A load has it checked; one that is being checked since the last load is served as before until then.
      if (newest.isPending !== true) isComplete = false;
    } else if (held === undefined) {
      if (before === undefined || before.held !== undefined) {
        const place = { hostnames: hostnamesOf(newest, held) };
        maps.push(...mapChanges(gateway, before, place, true));
        places.set(gateway, place);
      }
    } else if (held.paths === undefined) {
      isComplete = false;
    } else {
      held.route ??= plainRoute(held);
      if (before?.held === held && before.plain?.route === held.route) continue;
      giveRoute(gateway, held, held.route);
      if (places.get(gateway)?.held === held) given.push(held);
    }
  }
  // One that moves to another gateway is there twice until it is dropped, and a deletion takes both.
  maps.sort((a, b) => Number(b.change === "del") - Number(a.change === "del"));
  const next = {
    ...now,
    places,
    pools: [...pools.values()],
    owners,
    tables: [...now.tables, ...tables],
    pathCount,
  };
  return { next, servers, tables, given, maps, isComplete };
}

/** Whether HAProxy has yet to say if it accepts the version, which fits into its project's share. */
function isUnchecked({ isAccepted, fault, excess }: HeldProgram): boolean {
  return isAccepted !== true && fault === undefined && excess === undefined;
}

function servedOf(newest: HeldProgram, versions: ReadonlySet<HeldProgram>): HeldProgram | undefined {
  return [newest, newest.earlier].find((each) => each !== undefined && versions.has(each));
}

interface KeptServers {
  readonly slot: Slot;
  readonly before: SlotServers;
  readonly servers: SlotServers;
}

/** What a program's slot has with another route; undefined if it cannot continue with that. */
function keptServers(
  before: Place | undefined,
  held: HeldProgram,
  route: PlainRoute,
): KeptServers | undefined {
  if (before?.plain === undefined) return undefined;
  const { slot, servers } = before.plain;
  if (route.backends.length > 0 && route.isMixed !== slot.shape.isMixed) return undefined;
  const next = placedBackends(servers, route.backends, before.held === held);
  // Servers that are no backend's of an entry still stand in for the others.
  const isOther = !slot.shape.isMixed && next.used !== servers.used && servers.used > 0;
  return next.used > slot.shape.width || isOther ? undefined : { slot, before: servers, servers: next };
}

/**
 * The servers of a slot with the backends that it has to have. Requests that are open, and connections that
 * are kept, lead to the addresses before: those of another version's backend must not come back with the new
 * one's requests. So a server has one backend in its life; a backend that is not needed now stays.
 *
 * @param isSameVersion of the program: a name that leads elsewhere does so in its place, as in a section
 */
function placedBackends(
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
