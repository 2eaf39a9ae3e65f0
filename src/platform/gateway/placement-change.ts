import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import {
  isPlainText,
  type PlainRoute,
  type Slot,
  type SlotServers,
  type SlotShape,
  serverCommands,
  slotName,
  unusedSlot,
} from "./haproxy/plain-section.ts";
import { type HeldProgram, isUnchecked } from "./held-program.ts";
import {
  type PathTable,
  type Place,
  type Placement,
  placedAtOnce,
  placedBackends,
  placeOf,
  plainPlace,
  servedOf,
  tableToken,
} from "./placement.ts";
import { plainRoute, slotShape } from "./plain-program.ts";

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
  /** The projects of what needs a load, by uid; empty if nothing does. */
  readonly waiting: readonly string[];
  /** Whether HAProxy has yet to accept or refuse a version, which changes nothing until then. */
  readonly isChecking: boolean;
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

/** Whether a version differs from the one that is served in its certificates and hostnames only. */
function hasSameSection({ held: served, plain }: Place, held: HeldProgram): boolean {
  if (served?.section === undefined || plain !== undefined || served === held) return false;
  const text = ({ program }: HeldProgram) =>
    JSON.stringify({ ...program, certificates: undefined, hostnames: undefined });
  return text(served) === text(held);
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
  const waiting = new Set<string>();
  let isChecking = false;

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
      waiting.add(held.program.plane.uid);
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
    const place = placeOf(held, held, plain);
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
    isChecking ||= isUnchecked(newest);
    const held = servedOf(newest, versions);
    if (held === undefined) {
      if (isUnchecked(newest)) continue;
      if (before === undefined || before.held !== undefined) {
        const place = placeOf(newest, undefined);
        maps.push(...mapChanges(gateway, before, place, true));
        places.set(gateway, place);
      }
    } else if (held.paths !== undefined) {
      held.route ??= plainRoute(held);
      if (before?.held === held && before.plain?.route === held.route) continue;
      giveRoute(gateway, held, held.route);
      if (places.get(gateway)?.held === held) given.push(held);
    } else if (before?.held !== held || before.section !== held.section) {
      if (before === undefined || !hasSameSection(before, held)) waiting.add(held.program.plane.uid);
      else {
        held.section = before.held?.section;
        const place = { ...placeOf(held, held), section: before.section };
        maps.push(...mapChanges(gateway, before, place, false));
        places.set(gateway, place);
        given.push(held);
      }
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
  return { next, servers, tables, given, maps, waiting: [...waiting], isChecking };
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
