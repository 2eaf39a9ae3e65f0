import type { Registry } from "prom-client";
import { nextDelay } from "../../base/core/backoff.ts";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import type { ProgramStore } from "../routing/program-store.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import type { BackendResolver } from "./backend-addresses.ts";
import { certificateChange, certificatesIn, certificatesOf, dropCertificates } from "./certificates.ts";
import {
  beginChecks,
  checkShared,
  checkVersions,
  makeSections,
  restoreVersions,
  writePlacement,
} from "./configuration-writer.ts";
import type { GatewaySettings } from "./haproxy/configuration.ts";
import type { GatewayFiles } from "./haproxy/gateway-files.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import { HeldPrograms } from "./held-programs.ts";
import { LoadPace } from "./load-pace.ts";
import { bytesByProject } from "./memory-shares.ts";
import { createGatewayRegistry } from "./metrics.ts";
import { type Placement, placementOfLoad } from "./placement.ts";
import { droppedHosts, placementChange } from "./placement-change.ts";
import { Presence } from "./presence.ts";
import { createRunningHaproxy } from "./running-haproxy.ts";
import { SectionChecks } from "./section-checks.ts";
import { type Traffic, TrafficCounts } from "./traffic.ts";

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  /** `gateway.domain`: hostnames are `<gateway uid>.<domain>`. */
  readonly domain: string;
  readonly files: GatewayFiles;
  readonly store: ProgramStore;
  readonly haproxy: Haproxy;
  readonly resolver: BackendResolver;
  /** Identity of this gateway among those of other daemons. */
  readonly runner: string;
  /** Writes the files of TLS if they have to be. @returns whether it has */
  readonly refreshTls: () => Promise<boolean>;
  /** Called with the programs that are loaded since, or whose state has changed. */
  readonly onChange: (programs: readonly RouteProgram[]) => Promise<void>;
  readonly shutdownTimeoutMs: number;
  /** `metrics.tenantLabel`, under which the traffic's metrics have the project. */
  readonly tenantLabel?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Gateway {
  readonly service: Service;
  /** Why the gateway does not serve the newest programs; undefined if all is well. */
  problem(): string | undefined;
  snapshot(): GatewaySnapshot;
  readonly registry: Registry;
}

export interface GatewaySnapshot {
  readonly programs: number;
  readonly refused: number;
  readonly problem: string | null;
}

const lookEveryMs = 150;
const heartbeatEveryMs = 2_000;
const tlsCheckMs = 60_000;
/** How long the first load waits for checks: what was served before the daemon started is to be served again. */
const checkWaitMs = 20_000;
/** How long a report waits for checks: most end sooner, and nobody has to see them. */
const reportWaitMs = 500;
/** How long changes without a load wait for others, at most. */
const longestRestMs = 400;
const retry = { baseMs: 1_000, maxMs: 30_000, jitter: 0 };

/** Keeps a HAProxy that carries out all programs of the store. */
export function createGateway(options: GatewayOptions): Gateway {
  const { store, haproxy, clock, log, runner, onChange } = options;
  const programs = new HeldPrograms(options.resolver, (blocked) => log.info(blocked, "backend blocked"));
  const presence = new Presence({ store, programs, runner, onChange, clock });
  const checks = new SectionChecks({
    haproxy,
    log,
    file: options.files.configuration,
    isCurrent: (held) => programs.isToBeChecked(held),
    onVerdict: (held, refusal) => programs.noteVerdict(held, refusal),
  });
  const writing = { ...options, checks };
  const running = createRunningHaproxy(options);
  const counts = new TrafficCounts(haproxy);
  const loadCounts = { succeeded: 0, failed: 0 };
  const pace = new LoadPace();
  let loadNumber = 0;
  let placement: Placement | undefined;
  /** Whether HAProxy may have something else than the placement. */
  let isInDoubt = false;
  let version = 0;
  /** At which of its returns all programs were read; before the first, they have to be. */
  let readAtReturn: number | undefined;
  let isRunning = false;
  let isTlsNew = false;
  let tlsCheckedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when a report waits for checks. */
  let waitsSinceMs: number | undefined;
  let giveAtMs = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let failures = 0;
  let retryAtMs = 0;

  const noted = (what: string) => (error: unknown) => log.debug({ error: describeError(error) }, what);

  const readAll = async (signal: AbortSignal): Promise<void> => {
    const { returns } = presence;
    const newest = await store.version();
    if (readAtReturn === undefined)
      await restoreVersions(store.earlier(), programs, writing, checkWaitMs, signal);
    await programs.replaceAll(store.all());
    version = newest;
    readAtReturn = returns;
  };

  const readPrograms = async (signal: AbortSignal): Promise<void> => {
    // A version that goes back is that of a store that has lost its newest writes.
    if (presence.returns !== readAtReturn || (await store.version()) < version) return await readAll(signal);
    while ((await store.version()) > version) {
      const changes = await store.changesAfter(version);
      if (changes === undefined) return await readAll(signal);
      if (changes.version <= version) return;
      programs.apply(changes.programs, changes.removed);
      version = changes.version;
    }
  };

  /** No other load has it, nor one of an earlier daemon whose HAProxy is still there. */
  const loadName = (): string => `${Math.floor(clock.nowMs()).toString(36)}x${(++loadNumber).toString(36)}`;

  /** Keys that nothing has are not kept on the disk. */
  const dropUnused = (now: Placement): Promise<void> =>
    dropCertificates(options.files, [...certificatesIn(now), ...certificatesOf(programs.all())]);

  const load = async (signal: AbortSignal): Promise<void> => {
    const reaches = version;
    // What HAProxy runs with was accepted, unless files of TLS are new.
    if (!isRunning) await checkVersions(programs, writing, checkWaitMs, signal);
    else if (isTlsNew) await checkShared(writing, signal);
    isTlsNew = false;
    await makeSections(programs.versions(), programs, writing);
    const startedMs = clock.monotonicMs();
    const changed = programs.takeChanged();
    const versions = programs.versions();
    let next: Placement;
    try {
      next = await placementOfLoad(loadName(), programs.all(), versions);
      counts.noteOwners(next.load, next.owners);
      await writePlacement(next, programs, writing);
      // The next worker counts from zero.
      if (isRunning) await counts.refresh().catch(() => undefined);
      if (isRunning) await haproxy.reload(signal);
      else await haproxy.start(signal);
      loadCounts.succeeded++;
    } catch (error) {
      // It may have been loaded all the same, too late.
      isInDoubt = true;
      loadCounts.failed++;
      programs.giveBack(changed, true);
      throw error;
    }
    isRunning = true;
    const dropped = placement === undefined ? [] : droppedHosts(placement, next);
    placement = next;
    isInDoubt = false;
    programs.noteLoaded(versions);
    await running.forget(dropped);
    presence.loaded(reaches, changed.values());
    const endedMs = clock.monotonicMs();
    pace.note(startedMs, endedMs, new Set([...changed.values()].map(({ plane }) => plane.uid)));
    log.debug({ programs: programs.size, version: reaches, ms: Math.round(endedMs - startedMs) }, "loaded");
    await presence.announce();
    await dropUnused(next);
  };

  /**
   * Gives HAProxy what needs no load. Its files have it first: whatever starts or reloads it finds the same.
   *
   * @returns the projects of what needs a load, by uid; undefined if nothing does
   */
  const giveWithoutLoad = async (): Promise<readonly string[] | undefined> => {
    if (placement === undefined || isInDoubt) return [];
    const [reaches, versions] = [version, programs.versions()];
    let { isTouched } = programs;
    // Before they are looked at: what changes from now on is for the next time.
    const changed = programs.takeChanged();
    const change = await placementChange(placement, programs, versions, changed.keys());
    const { next, given, maps } = change;
    const certificates = certificateChange(placement, next);
    const { added, dropped } = certificates;
    isTouched ||= !certificates.isComplete;
    const isLoad = isTouched || change.waiting.length > 0;
    waitsSinceMs = change.isChecking ? (waitsSinceMs ?? clock.monotonicMs()) : undefined;
    const waitedMs = clock.monotonicMs() - (waitsSinceMs ?? Number.NEGATIVE_INFINITY);
    const isAll = !isLoad && waitedMs >= reportWaitMs;
    if (!isAll) programs.giveBack(changed, isTouched);
    if (change.servers.length + maps.length + added.length + dropped.length > 0) {
      // Until all of it is done, nobody knows what HAProxy has.
      isInDoubt = true;
      const startedMs = clock.monotonicMs();
      try {
        counts.noteOwners(next.load, next.owners);
        await writePlacement(next, programs, writing);
        await running.give(change, certificates);
      } catch (error) {
        programs.giveBack(changed, true);
        log.debug({ error: describeError(error) }, "HAProxy rejected a change without a reload");
        return [];
      }
      isInDoubt = false;
      // The files have all programs: with thousands, changes share a writing of them.
      const endedMs = clock.monotonicMs();
      giveAtMs = endedMs + Math.min(longestRestMs, 2 * (endedMs - startedMs));
    }
    placement = next;
    for (const held of given) programs.noteGiven(held);
    await running.forget(maps.filter(({ change: each }) => each === "del"));
    if (dropped.length > 0) await dropUnused(next);
    if (!isAll) return isLoad ? change.waiting : undefined;
    waitsSinceMs = undefined;
    programs.noteLoaded(versions, changed.keys());
    presence.loaded(reaches, changed.values());
    await presence.announce();
    return undefined;
  };

  const tick = async (signal: AbortSignal): Promise<number> => {
    const why = isRunning ? haproxy.ended() : undefined;
    if (why !== undefined) {
      isRunning = false;
      throw new Error(`HAProxy ended: ${why}`);
    }
    await readPrograms(signal);
    const nowMs = clock.monotonicMs();
    if (isRunning && haproxy.isSilent()) programs.touch();
    if (nowMs - tlsCheckedAtMs > tlsCheckMs) {
      isTlsNew ||= await options.refreshTls();
      if (isTlsNew) programs.touch();
      tlsCheckedAtMs = nowMs;
    }
    await programs.resolve(nowMs);
    const commands = programs.takeCommands();
    // A HAProxy that does not run reads the new addresses when it starts.
    if (isRunning && !(await running.setAddresses(commands))) programs.touch();
    await programs.settle();
    if (isRunning && programs.isChanged) await beginChecks(programs, writing);
    const isGiving = isRunning && programs.isChanged && nowMs >= giveAtMs;
    const waiting = isGiving ? await giveWithoutLoad() : undefined;
    const isLoadDue = waiting !== undefined && nowMs >= pace.dueAtMs(waiting);
    if (!isRunning || isLoadDue) await load(signal);
    else {
      // What was made and removed between two looks needs no load.
      const isNews = !programs.isChanged && presence.loadedVersion !== version;
      if (isNews) presence.loaded(version, []);
      await (isNews ? presence.announce() : presence.report());
    }
    problem = undefined;
    failures = 0;
    return lookEveryMs;
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const onError = (error: unknown): void => {
      const message = describeError(error);
      if (message !== problem)
        log.error({ error: message }, "the gateway does not serve the newest programs");
      problem = message;
      retryAtMs = clock.monotonicMs() + nextDelay(++failures, retry, 0);
    };
    const patientTick = async (stop: AbortSignal): Promise<number> => {
      const waitMs = retryAtMs - clock.monotonicMs();
      return problem !== undefined && waitMs > 0 ? waitMs : await tick(stop);
    };
    // In a loop of its own: a load takes longer than a gateway may be silent, and HAProxy serves meanwhile.
    const heartbeat = async (): Promise<number> => {
      if (isRunning && haproxy.ended() === undefined) await presence.announce();
      return heartbeatEveryMs;
    };
    const onSilence = noted("gateway heartbeat could not be stored");
    try {
      await Promise.all([
        runLoop(patientTick, { clock, pauseAfterErrorMs: 200, onError }, signal),
        runLoop(heartbeat, { clock, pauseAfterErrorMs: 1_000, onError: onSilence }, signal),
      ]);
    } finally {
      await checks.close();
      await store.leave(runner).catch(() => undefined);
      await haproxy.stop(options.shutdownTimeoutMs);
      isRunning = false;
    }
  };

  const traffic = async (): Promise<[RouteProgram, Traffic][]> => {
    if (!isRunning) return [];
    // While the master reloads, it does not respond: the last counts stay.
    await counts.refresh().catch(noted("the traffic of proxies cannot be read"));
    counts.keepOnly((gateway) => programs.program(gateway) !== undefined);
    return [...counts.byGateway()].flatMap(([gateway, each]): [RouteProgram, Traffic][] => {
      const program = programs.program(gateway);
      return program === undefined ? [] : [[program, each]];
    });
  };

  const snapshot = (): GatewaySnapshot => ({
    programs: programs.size,
    refused: programs.counts().refused,
    problem: problem ?? null,
  });
  return {
    service: { name: "gateway", run, snapshot },
    problem: () => problem,
    snapshot,
    registry: createGatewayRegistry(
      {
        isUp: () => isRunning && problem === undefined,
        programs: () => programs.counts(),
        loads: () => loadCounts,
        freeSlots: () =>
          new Map(placement?.pools.map(({ shape, size, taken }) => [shape.name, size - taken])),
        bytesByProject: () => bytesByProject(programs.all()),
        traffic,
      },
      options.tenantLabel,
    ),
  };
}
