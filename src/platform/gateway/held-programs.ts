import { defined } from "../../base/core/defined.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { BackendTarget, RouteProgram } from "../routing/route-program.ts";
import { addressCommands, sameCount, sameServers } from "./address-commands.ts";
import { AddressLookups } from "./address-lookups.ts";
import { type BackendResolver, type HostState, targetKey } from "./backend-addresses.ts";
import { programFault } from "./haproxy/backend-section.ts";
import { type HeldProgram, isUnchecked, type Refusal, refusalOf, statesOf } from "./held-program.ts";
import { mayBeServed, ownBytes, plainBytes, servedOf } from "./memory-shares.ts";
import { plainPaths } from "./plain-program.ts";
import { ProgramReports } from "./program-reports.ts";
import { ProgramVersions } from "./program-versions.ts";

/** Characters of programs that are compared before the event loop gets its turn. */
const comparedAtOnce = 2 ** 20;
/** Programs whose lookups are begun before the event loop gets its turn. */
const resolvedAtOnce = 200;
/** How long a load waits for names that are slow to resolve: until then they have no address. */
const firstLookupMs = 1_500;

/** The programs of this gateway, and the addresses of their backends. */
export class HeldPrograms {
  readonly #lookups: AddressLookups<HeldProgram>;
  readonly #onBlocked: (blocked: { gateway: string; host: string; reason: string }) => void;
  readonly #held = new Map<string, HeldProgram>();
  /** What of them has yet to be reported to the store. */
  readonly reports = new ProgramReports(this.#held);
  /** Programs whose configuration has to be rewritten; also removed ones. */
  #changed = new Map<string, RouteProgram>();
  readonly #versions = new ProgramVersions({
    onVersion: ({ program }) => this.#changed.set(program.gateway, program),
    onExcess: ({ program: { gateway } }) => this.reports.note(gateway),
  });
  readonly #unresolved = new Set<HeldProgram>();
  /** Gateways of which the store may have an earlier version. */
  readonly #edited = new Set<string>();
  #isTouched = false;
  readonly #commands: { readonly held: HeldProgram; readonly command: string }[] = [];

  /** @param onBlocked called with what an operator may know of a backend that is not connected to */
  constructor(
    resolver: BackendResolver,
    onBlocked: (blocked: { gateway: string; host: string; reason: string }) => void = () => undefined,
  ) {
    this.#onBlocked = onBlocked;
    this.#lookups = new AddressLookups({
      resolver,
      isCurrent: (held) => this.isCurrent(held),
      onState: (held, target, before) => this.#noteState(held, target, before),
    });
  }

  get size(): number {
    return this.#held.size;
  }

  /** How many programs are loaded in their newest version, and why the others are not. */
  counts(): Readonly<Record<"loaded" | "refused" | "over_share" | "checking", number>> {
    const counts = { loaded: 0, refused: 0, over_share: 0, checking: 0 };
    for (const held of this.#held.values()) {
      const refusal = refusalOf(held);
      if (refusal?.isExcess === true) counts.over_share++;
      else if (refusal !== undefined) counts.refused++;
      else if (held.isPending === true) counts.checking++;
      else counts.loaded++;
    }
    return counts;
  }

  /** Whether HAProxy has to be given something. */
  get isChanged(): boolean {
    return this.#isTouched || this.#changed.size > 0;
  }

  /** Whether that needs a load, whatever else has changed. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  all(): Iterable<HeldProgram> {
    return this.#held.values();
  }

  /** Whether a check of it is of use. */
  isToBeChecked(held: HeldProgram): boolean {
    const newest = this.#held.get(held.program.gateway);
    return newest === held || newest?.candidate === held;
  }

  /** Whether it is the newest version of its program, or the one that is served until that is loaded. */
  isCurrent(held: HeldProgram): boolean {
    const newest = this.#held.get(held.program.gateway);
    return newest === held || newest?.earlier === held;
  }

  program(gateway: string): RouteProgram | undefined {
    return this.newest(gateway)?.program;
  }

  /** The newest version of a program. */
  newest(gateway: string): HeldProgram | undefined {
    return this.#held.get(gateway);
  }

  /** Has the configuration rewritten, although no program has changed. */
  touch(): void {
    this.#isTouched = true;
  }

  /** Takes over all programs of a store, which come in parts. */
  async replaceAll(parts: AsyncIterable<readonly RouteProgram[]>): Promise<void> {
    const removed = new Set(this.#held.keys());
    let compared = 0;
    for await (const part of parts) {
      for (const program of part) {
        removed.delete(program.gateway);
        const text = JSON.stringify(program);
        if (text !== JSON.stringify(this.program(program.gateway))) this.apply([program], []);
        compared += text.length;
        if (compared < comparedAtOnce) continue;
        compared = 0;
        await yieldToEventLoop();
      }
    }
    this.apply([], [...removed]);
  }

  apply(programs: readonly RouteProgram[], removed: readonly string[]): void {
    for (const program of programs) {
      const { gateway } = program;
      const before = this.#held.get(gateway);
      const why = programFault(program);
      const paths = plainPaths(program);
      const held: HeldProgram = {
        program,
        states: statesOf(program, before),
        // Now, since the store's programs come in parts: all of them at once would hold up the event loop.
        ownBytes: paths === undefined ? ownBytes(program) : plainBytes(paths, program),
        ...(paths === undefined ? {} : { paths }),
        // Nothing of a plain program is configuration that HAProxy could refuse.
        ...(paths === undefined || program.certificates !== undefined ? {} : { isAccepted: true }),
        earlier: this.#servedUntil(program, before && servedOf(before)),
        candidate: before?.candidate ?? (before?.isChecking === true ? before : undefined),
        ...(why === undefined ? {} : { fault: { why } }),
        ...(before?.reported === undefined ? {} : { reported: before.reported }),
      };
      this.#held.set(gateway, held);
      if (before !== undefined) this.#edited.add(gateway);
      this.#versions.replace(before, held);
      this.#changed.set(gateway, program);
      this.#unresolved.add(held);
      this.reports.note(gateway);
    }
    for (const gateway of removed) {
      const before = this.#held.get(gateway);
      if (before === undefined) continue;
      this.#held.delete(gateway);
      this.#edited.delete(gateway);
      this.#versions.replace(before, undefined);
      this.#changed.set(gateway, before.program);
      // Each heartbeat keeps all reports alive: one that nobody takes back stays for ever.
      this.reports.note(gateway);
    }
  }

  /**
   * What is served until a new version is loaded. It does not keep private addresses and hostnames that are
   * no longer its own.
   */
  #servedUntil(newest: RouteProgram, earlier: HeldProgram | undefined): HeldProgram | undefined {
    const { ownRanges } = newest;
    if (earlier === undefined) return undefined;
    earlier.earlier = undefined;
    const { hostnames: names = [] } = earlier.program;
    const kept = new Set(newest.hostnames);
    const hostnames = names.filter((name) => kept.has(name));
    const isSame = JSON.stringify(earlier.program.ownRanges) === JSON.stringify(ownRanges);
    if (isSame && hostnames.length === names.length) return earlier;
    const certificates = earlier.program.certificates
      ?.map(({ pem, hostnames: all }) => ({ pem, hostnames: all.filter((name) => kept.has(name)) }))
      .filter((each) => each.hostnames.length > 0);
    const program = defined({ ...earlier.program, ownRanges, hostnames, certificates });
    const { paths, ownBytes: bytes } = earlier;
    const moved: HeldProgram = {
      program,
      states: statesOf(program, earlier),
      isAccepted: true,
      paths,
      ownBytes: bytes,
    };
    this.#unresolved.add(moved);
    return moved;
  }

  /** Programs that have changed, or have gone, from then on counted as done. */
  takeChanged(): ReadonlyMap<string, RouteProgram> {
    const taken = this.#changed;
    this.#changed = new Map();
    this.#isTouched = false;
    return taken;
  }

  /** They are still to be done. @param isTouched whether that needs a load */
  giveBack(taken: ReadonlyMap<string, RouteProgram>, isTouched: boolean): void {
    this.#isTouched ||= isTouched;
    this.#changed = new Map([...taken, ...this.#changed]);
  }

  /** HAProxy accepts the version, or it is never loaded. */
  noteVerdict(held: HeldProgram, fault: Refusal | undefined): void {
    const newest = this.#held.get(held.program.gateway);
    held.isChecking = undefined;
    if (fault === undefined) held.isAccepted = true;
    if (newest !== held) {
      if (newest?.candidate === held) this.#endCandidate(newest, held);
      return;
    }
    if (fault !== undefined) this.refuse(held, fault);
    this.#versions.unsettle(held);
    this.#changed.set(held.program.gateway, held.program);
  }

  /** Has an accepted version served until a newer one is. It must fit where the one before it did. */
  #endCandidate(newest: HeldProgram, held: HeldProgram): void {
    newest.candidate = undefined;
    if (newest.isAccepted === true || !mayBeServed(held, newest.earlier)) return;
    newest.earlier = this.#servedUntil(newest.program, held);
    this.#unresolved.add(newest.earlier ?? held);
    this.#versions.unsettle(newest);
  }

  /** The version is never loaded. */
  refuse(held: HeldProgram, fault: Refusal): void {
    held.fault = fault;
    this.#versions.unsettle(held);
    this.reports.note(held.program.gateway);
  }

  /** Newest versions that fit into their projects' shares, and of which HAProxy has not said whether it accepts them. */
  unchecked(): HeldProgram[] {
    this.versions();
    return [...this.#held.values()].filter((held) => isUnchecked(held) && held.isChecking !== true);
  }

  /**
   * What HAProxy may load now: of each program the newest version, or what is served until that is accepted
   * and fits into its project's share. Programs of which that is another one than before have changed.
   * The set is the same at each call; programs that are removed leave it.
   */
  versions(): ReadonlySet<HeldProgram> {
    return this.#versions.all();
  }

  /** Does most of what {@link versions} has to do, project by project. */
  async settle(): Promise<void> {
    await this.#versions.settle();
  }

  /** HAProxy was given a version without a load. */
  noteGiven(held: HeldProgram): void {
    held.isLoaded = true;
    held.earlier = undefined;
  }

  /** HAProxy has these versions of some programs, or of all. */
  noteLoaded(versions: ReadonlySet<HeldProgram>, gateways: Iterable<string> = this.#held.keys()): void {
    for (const gateway of gateways) {
      const held = this.#held.get(gateway);
      if (held === undefined) continue;
      const wasPending = held.isPending === true;
      held.isLoaded = versions.has(held);
      held.isPending = !held.isLoaded && refusalOf(held) === undefined;
      if (held.isLoaded) held.earlier = undefined;
      else if (held.earlier !== undefined && versions.has(held.earlier)) held.earlier.isLoaded = true;
      if (held.isPending !== wasPending) this.reports.note(gateway);
    }
  }

  /** Newest versions that are loaded, of programs of which the store may have an earlier one. */
  edited(): HeldProgram[] {
    const newest = [...this.#edited].flatMap((gateway) => this.#held.get(gateway) ?? []);
    return newest.filter(({ isLoaded }) => isLoaded === true);
  }

  /** The store has no version that is earlier than these. */
  noteForgotten(edited: readonly HeldProgram[]): void {
    for (const held of edited) {
      const { gateway } = held.program;
      if (this.#held.get(gateway) === held) this.#edited.delete(gateway);
    }
  }

  /**
   * Looks up the names of programs that are new, and every few seconds of all. Servers that have another
   * address now get a command ({@link takeCommands}); what needs more changes the configuration.
   */
  async resolve(nowMs: number): Promise<void> {
    const fresh = [...this.#unresolved].filter((held) => this.isCurrent(held));
    this.#unresolved.clear();
    const first: Promise<void>[] = [];
    for (const held of fresh) {
      if (first.push(this.#lookups.add(held)) % resolvedAtOnce === 0) await yieldToEventLoop();
    }
    this.#lookups.tick(nowMs);
    if (first.length === 0) return;
    await Promise.race([
      Promise.all(first),
      new Promise((resolve) => setTimeout(resolve, firstLookupMs).unref()),
    ]);
  }

  /** Commands for HAProxy since the last call, also those of lookups that have taken long. */
  takeCommands(): string[] {
    const taken = this.#commands.splice(0);
    return taken.flatMap(({ held, command }) => (this.#isServed(held) ? [command] : []));
  }

  /** Whether HAProxy has this version, as far as it has any of the program. */
  #isServed(held: HeldProgram): boolean {
    const newest = this.#held.get(held.program.gateway);
    return newest !== undefined && (newest.earlier ?? newest) === held && held.isLoaded !== false;
  }

  #noteState(held: HeldProgram, target: BackendTarget, before: HostState | undefined): void {
    const { gateway } = held.program;
    const after = held.states.get(targetKey(target));
    this.reports.note(gateway);
    if (after?.kind === "blocked") this.#onBlocked({ gateway, host: target.host, reason: after.reason });
    if (after === undefined || (before !== undefined && sameServers(before, after))) return;
    held.section = undefined;
    held.route = undefined;
    held.bytes = undefined;
    this.#versions.unsettle(held);
    const isMove =
      held.paths === undefined &&
      before?.kind === "address" &&
      after.kind === "address" &&
      sameCount(before, after);
    if (held.fault !== undefined) return;
    if (isMove) {
      const commands = addressCommands(held.program, target, before.servers, after.servers);
      this.#commands.push(...commands.map((command) => ({ held, command })));
    } else this.#changed.set(gateway, held.program);
  }
}
