import {
  entryText,
  isPlainText,
  type PlainRoute,
  type Slot,
  type SlotServers,
  serverCommands,
  slotName,
  slotWidths,
} from "./haproxy/plain-section.ts";
import type { HeldProgram } from "./held-program.ts";
import { plainRoute, slotWidth } from "./plain-program.ts";

/** Where HAProxy has a program. */
export interface Place {
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
}

/** Where HAProxy's worker has all programs, from its load on. */
export interface Placement {
  /** Names the load: no two have slots of the same name. */
  readonly load: string;
  /** By the gateway's uid. */
  readonly places: ReadonlyMap<string, Place>;
  /** By the slots' width. */
  readonly pools: readonly SlotPool[];
  /**
   * The gateway of each slot that was given away. A slot is given away once in the life of a worker: whatever
   * is open or kept in it leads to its only program.
   */
  readonly owners: ReadonlyMap<string, string>;
}

export interface SlotPool {
  readonly width: number;
  readonly size: number;
  readonly taken: number;
}

/** Slots that are free after a load, at least; and for each one that is taken. */
const leastFree: Readonly<Record<number, number>> = { 1: 64, 4: 16, 8: 8 };
const freeShare = 1 / 2;

/** How a load places all programs. @param versions what it loads */
export function placementOfLoad(
  load: string,
  programs: Iterable<HeldProgram>,
  versions: ReadonlySet<HeldProgram>,
): Placement {
  const places = new Map<string, Place>();
  const owners = new Map<string, string>();
  const taken = new Map<number, number>(slotWidths.map((width) => [width, 0]));
  for (const newest of programs) {
    const { gateway } = newest.program;
    if (!isPlainText(gateway)) continue;
    const held = servedOf(newest, versions);
    if (held?.isPlain !== true) {
      places.set(gateway, { held });
      continue;
    }
    held.route ??= plainRoute(held);
    const width = slotWidth(held.route);
    const index = taken.get(width) ?? 0;
    taken.set(width, index + 1);
    const slot = { name: slotName(load, width, index), width };
    places.set(gateway, { held, plain: { slot, route: held.route, servers: held.route.servers } });
    owners.set(slot.name, gateway);
  }
  const pools = [...taken].map(([width, count]) => {
    const free = Math.max(leastFree[width] ?? 1, Math.ceil(count * freeShare));
    return { width, size: count + free, taken: count };
  });
  return { load, places, pools, owners };
}

/** Changes of a placement that a running HAProxy can be given. */
export interface PlacementChange {
  readonly next: Placement;
  /** To be carried out before `maps`: what these lead to must be there. */
  readonly servers: readonly string[];
  /** Versions that are served afterwards. */
  readonly given: readonly HeldProgram[];
  /** Gateways whose entry is new, another one, or gone. */
  readonly maps: readonly MapChange[];
  /** Whether nothing else has changed; otherwise the rest needs a load. */
  readonly isComplete: boolean;
}

export interface MapChange {
  readonly gateway: string;
  readonly change: "add" | "set" | "del";
}

/**
 * What of the programs' changes needs no load.
 *
 * @param versions what HAProxy should have now
 * @param changed gateways whose section has to be rewritten
 */
export function placementChange(
  now: Placement,
  programs: Iterable<HeldProgram>,
  versions: ReadonlySet<HeldProgram>,
  changed: ReadonlySet<string>,
): PlacementChange {
  const places = new Map(now.places);
  const owners = new Map(now.owners);
  const pools = new Map(now.pools.map((pool) => [pool.width, pool]));
  const servers: string[] = [];
  const given: HeldProgram[] = [];
  const maps: MapChange[] = [];
  let isComplete = true;

  const takeSlot = (width: number, gateway: string): Slot | undefined => {
    const pool = pools.get(width);
    if (pool === undefined || pool.taken >= pool.size) return undefined;
    pools.set(width, { ...pool, taken: pool.taken + 1 });
    const slot = { name: slotName(now.load, width, pool.taken), width };
    owners.set(slot.name, gateway);
    return slot;
  };
  const giveRoute = (gateway: string, held: HeldProgram, route: PlainRoute): void => {
    const before = places.get(gateway);
    const kept = before?.plain !== undefined && keepsSlot(before, held, route) ? before.plain : undefined;
    const slot = kept?.slot ?? takeSlot(slotWidth(route), gateway);
    if (slot === undefined) {
      isComplete = false;
      return;
    }
    const isForwarding = route.servers.addresses.length > 0;
    if (isForwarding) servers.push(...serverCommands(slot, route.servers, kept?.servers.addresses));
    const isSameEntry =
      kept !== undefined && entryText(kept.route.entry, slot) === entryText(route.entry, slot);
    if (!isSameEntry) maps.push({ gateway, change: before === undefined ? "add" : "set" });
    const given = isForwarding ? route.servers : (kept?.servers ?? route.servers);
    places.set(gateway, { held, plain: { slot, route, servers: given } });
  };

  const gone = new Set(places.keys());
  for (const newest of programs) {
    const { gateway } = newest.program;
    gone.delete(gateway);
    if (!isPlainText(gateway)) continue;
    const before = places.get(gateway);
    const held = servedOf(newest, versions);
    if (isUnchecked(newest)) {
      // A load has it checked; one that is being checked since the last load is served as before until then.
      if (newest.isPending !== true) isComplete = false;
    } else if (held === undefined) {
      if (before === undefined || before.held !== undefined) {
        maps.push({ gateway, change: before === undefined ? "add" : "set" });
        places.set(gateway, {});
      }
    } else if (held.isPlain !== true) {
      const isServed = before?.held === held && !changed.has(gateway);
      if (!isServed) isComplete = false;
    } else {
      held.route ??= plainRoute(held);
      if (before?.held === held && before.plain?.route === held.route) continue;
      giveRoute(gateway, held, held.route);
      if (places.get(gateway)?.held === held) given.push(held);
    }
  }
  // The section of one that was not plain stays in memory until the next load.
  for (const gateway of gone) {
    places.delete(gateway);
    maps.push({ gateway, change: "del" });
  }
  const next = { load: now.load, places, pools: [...pools.values()], owners };
  return { next, servers, given, maps, isComplete };
}

/** Whether HAProxy has yet to say if it accepts the version, which fits into its project's share. */
function isUnchecked({ isAccepted, fault, excess }: HeldProgram): boolean {
  return isAccepted !== true && fault === undefined && excess === undefined;
}

function servedOf(newest: HeldProgram, versions: ReadonlySet<HeldProgram>): HeldProgram | undefined {
  return [newest, newest.earlier].find((each) => each !== undefined && versions.has(each));
}

/**
 * Whether a slot can continue with another route. Requests that are open, and connections that are kept,
 * lead to the addresses before: those of another version's backend must not come back with the new one's
 * requests.
 */
function keepsSlot({ held: version, plain }: Place, held: HeldProgram, { servers }: PlainRoute): boolean {
  if (plain === undefined || servers.addresses.length > plain.slot.width) return false;
  const before = plain.servers;
  if (servers.addresses.length === 0 || before.addresses.length === 0) return true;
  if (before.port !== servers.port || before.addresses.length !== servers.addresses.length) return false;
  // A name that leads elsewhere, as in a section.
  return version === held || String(before.addresses) === String(servers.addresses);
}
