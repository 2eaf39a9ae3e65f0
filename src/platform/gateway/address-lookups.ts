import { isIP } from "node:net";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { BackendTarget, RouteProgram } from "../routing/route-program.ts";
import { type BackendResolver, type HostState, targetsOf } from "./backend-addresses.ts";

/** A program with what is known of its targets' addresses, by `targetKey`. */
export interface ProgramAddresses {
  readonly program: RouteProgram;
  readonly states: Map<string, HostState>;
}

export interface AddressLookupsOptions<Held extends ProgramAddresses> {
  readonly resolver: Pick<BackendResolver, "resolve">;
  /** False for a program that is gone, or was replaced by another version. */
  readonly isCurrent: (held: Held) => boolean;
  /** Called after a target's state has changed. */
  readonly onState: (held: Held, target: BackendTarget, before: HostState | undefined) => void;
}

/** How often names are looked up again: their responses are kept for as long as their TTL says. */
const lookUpEveryMs = 5_000;
/** Lookups of one project at the same time: its slow name servers delay no other project's. */
const lookupsOfPlane = 64;
/** Lookups that are started before the event loop gets its turn: most have a response in a cache. */
const startedAtOnce = 200;
/** A name that leads to a forbidden address now and then would cause a reload each time. */
const staysBlockedMs = 60_000;

/** A target of a program, which is looked up again and again. */
interface Lookup<Held> {
  readonly held: Held;
  readonly key: string;
  readonly target: BackendTarget;
  /** Called after the first time; absent from then on. */
  onFirst?: (() => void) | undefined;
  dueAtMs: number;
  blockedAtMs: number;
}

/** The lookups of one project. */
interface PlaneLookups<Held> {
  readonly waiting: Set<Lookup<Held>>;
  running: number;
}

/** Keeps the addresses of all programs' targets. Projects take turns. */
export class AddressLookups<Held extends ProgramAddresses> {
  readonly #options: AddressLookupsOptions<Held>;
  /** By uid; those that have something to do. */
  readonly #planes = new Map<string, PlaneLookups<Held>>();
  /** Those that may start one of the lookups that wait. */
  readonly #ready = new Set<PlaneLookups<Held>>();
  /** In the order in which they are due, since all pauses are equal. */
  #later: Lookup<Held>[] = [];
  #nowMs = 0;
  #isStarting = false;
  /** Over all calls of `#start`: each cached response ends a lookup, and so starts another, at once. */
  #started = 0;

  constructor(options: AddressLookupsOptions<Held>) {
    this.#options = options;
  }

  /** Looks up the targets of a program from now on. Resolves when each was looked up once. */
  async add(held: Held): Promise<void> {
    const all = [...targetsOf(held.program)].map(([key, target]) => {
      return new Promise<void>((onFirst) => {
        this.#enqueue({ held, key, target, onFirst, dueAtMs: 0, blockedAtMs: 0 });
      });
    });
    void this.#start();
    await Promise.all(all);
  }

  /** Starts what is due. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    let count = 0;
    while ((this.#later[count]?.dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) count++;
    for (const lookup of this.#later.splice(0, count)) this.#enqueue(lookup);
    void this.#start();
  }

  #enqueue(lookup: Lookup<Held>): void {
    const { uid } = lookup.held.program.plane;
    const plane = this.#planes.get(uid) ?? { waiting: new Set(), running: 0 };
    this.#planes.set(uid, plane);
    plane.waiting.add(lookup);
    if (plane.running < lookupsOfPlane) this.#ready.add(plane);
  }

  async #start(): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    // A plane that is added again during the loop has its next turn after all others.
    for (const plane of this.#ready) {
      this.#ready.delete(plane);
      const [lookup] = plane.waiting;
      if (lookup === undefined) continue;
      plane.waiting.delete(lookup);
      plane.running++;
      if (plane.waiting.size > 0 && plane.running < lookupsOfPlane) this.#ready.add(plane);
      void this.#run(lookup, plane);
      if (++this.#started % startedAtOnce === 0) await yieldToEventLoop();
    }
    this.#isStarting = false;
  }

  async #run(lookup: Lookup<Held>, plane: PlaneLookups<Held>): Promise<void> {
    try {
      if (this.#options.isCurrent(lookup.held)) await this.#lookUp(lookup);
    } finally {
      lookup.onFirst?.();
      lookup.onFirst = undefined;
      plane.running--;
      if (plane.waiting.size > 0) this.#ready.add(plane);
      else if (plane.running === 0) this.#planes.delete(lookup.held.program.plane.uid);
      void this.#start();
    }
  }

  async #lookUp(lookup: Lookup<Held>): Promise<void> {
    const { resolver, isCurrent, onState } = this.#options;
    const { held, key, target, onFirst } = lookup;
    const before = held.states.get(key);
    const found = await resolver.resolve(target, held.program, before);
    if (!isCurrent(held)) return;
    // A change of the program is loaded in any case.
    const isNew = onFirst !== undefined;
    const after = isNew ? found : settledState(before, found, this.#nowMs - lookup.blockedAtMs);
    if (after.kind === "blocked" && (isNew || before?.kind !== "blocked")) lookup.blockedAtMs = this.#nowMs;
    // What an address stands for does not change.
    if (isIP(target.host) === 0) {
      lookup.dueAtMs = this.#nowMs + lookUpEveryMs;
      this.#later.push(lookup);
    }
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    held.states.set(key, after);
    onState(held, target, before);
  }
}

/**
 * The state of a host that counts: it is blocked at once, and stays so for a while.
 *
 * @param blockedForMs for how long it has been blocked, if it is
 */
export function settledState(
  before: HostState | undefined,
  found: HostState,
  blockedForMs: number,
): HostState {
  const isHeld = before?.kind === "blocked" && found.kind !== "blocked" && blockedForMs < staysBlockedMs;
  return isHeld ? before : found;
}
