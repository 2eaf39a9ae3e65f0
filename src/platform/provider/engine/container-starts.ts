import { type BackoffPolicy, nextDelay } from "../../../base/core/backoff.ts";
import type { InstanceState, RuntimeInstance } from "../runtime/runtime.ts";
import { refusedAs } from "./engine-client.ts";
import type { InspectedContainer } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import { labelOf, networkName } from "./labels.ts";
import { engineTime, isEnded, type ObservedContainer, observe, restMs } from "./observation.ts";
import type { ProbedContainer, Probes } from "./probes/probes.ts";
import type { RestartRecord, SeenStart } from "./restart-record.ts";
import { endpoint } from "./specification.ts";

/** When the provider starts a container again that has ended, and the engine does not. */
const startBackoff: BackoffPolicy = { baseMs: 10_000, maxMs: 300_000, jitter: 0.1 };
/** A container that ran for this long has recovered. */
const recoveredMs = 600_000;

/** Starts containers, and those again that have ended: at once, then with growing pauses. */
export class ContainerStarts {
  readonly #parts: EngineParts;
  readonly #probes: Probes;
  readonly #restarts: RestartRecord;
  readonly #minReadyMs: number;
  /** Starts of containers that had ended, by the engine's id. */
  readonly #starts = new Map<string, { count: number; atMs: number }>();

  constructor(parts: EngineParts, probes: Probes, restarts: RestartRecord, minReadyMs: number) {
    this.#parts = parts;
    this.#restarts = restarts;
    this.#probes = probes;
    this.#minReadyMs = minReadyMs;
  }

  /** Forgets a container that is removed. */
  forget(id: string): void {
    this.#starts.delete(id);
    this.#probes.forget(id);
  }

  /** Starts what is to be started, in order. @returns the state seen afterwards */
  async start(instance: RuntimeInstance, signal: AbortSignal): Promise<InstanceState> {
    const { client, inventory, clock, graceMs } = this.#parts;
    let againMs: number | undefined;
    let containers = await inventory.inspectAll(instance.uid, signal);
    await this.#restarts.note(instance.uid, containers);
    for (const { Id } of containers) {
      const container = containers.find((other) => other.Id === Id);
      if (container === undefined) continue;
      const waitMs = this.#startsIn(container, containers[0]);
      if (waitMs === undefined) continue;
      if (waitMs > 0) {
        againMs = Math.min(againMs ?? waitMs, waitMs);
        continue;
      }
      if (container.Config.Labels[labelOf.position] === "0") await this.#join(instance, container, signal);
      const [verb, query] =
        container.State.Status === "running" ? ["restart", { t: Math.ceil(graceMs / 1000) }] : ["start", {}];
      const request = { query, limitMs: graceMs + 30_000 };
      await refusedAs("StartFailed", client.send("POST", `/containers/${Id}/${verb}`, request, signal));
      containers = await inventory.inspectAll(instance.uid, signal);
    }
    const seen = await this.#restarts.note(instance.uid, containers);
    this.#probes.set(instance, containers.flatMap(running));
    const observed = containers.map((each) => this.#probed(instance, each, seen));
    const state = observe(observed, instance.containers.length, clock.nowMs(), this.#minReadyMs);
    const soonestMs = Math.min(state.againMs ?? Infinity, againMs ?? Infinity);
    const address = containers[0]?.Config.Labels[labelOf.publishedAddress];
    return {
      ...state,
      externalAddresses: address === undefined ? [] : [address],
      ...(Number.isFinite(soonestMs) ? { againMs: soonestMs } : {}),
    };
  }

  #probed(
    { containers }: RuntimeInstance,
    inspected: InspectedContainer,
    seen: ReadonlyMap<string, SeenStart>,
  ): ObservedContainer {
    const observed = observedContainer(inspected);
    const { readiness, startup } = containers.find(({ name }) => name === observed.name)?.probes ?? {};
    return {
      ...observed,
      restartsInAll: seen.get(observed.name)?.restarts,
      hasReadiness: readiness !== undefined || startup !== undefined,
      unready: this.#probes.unready(inspected.Id),
      restartedFor: this.#probes.restartOf(inspected.Id),
    };
  }

  /** After how many ms a container is to be (re)started; undefined: not at all. */
  #startsIn(container: InspectedContainer, holder: InspectedContainer | undefined): number | undefined {
    // It is looked at again when that has ended.
    if (this.#probes.isRestarting(container.Id)) return undefined;
    const { Status } = container.State;
    const isHolder = holder === undefined || holder.Id === container.Id;
    // There is no namespace to join.
    if (!isHolder && holder.State.Status !== "running") return undefined;
    if (["created", "configured", "initialized"].includes(Status)) return 0;
    if (Status === "restarting") return undefined;
    const nowMs = this.#parts.clock.monotonicMs();
    if (isEnded(Status)) {
      const last = this.#starts.get(container.Id) ?? { count: 0, atMs: nowMs };
      const fresh = nowMs - last.atMs > recoveredMs ? { count: 0, atMs: nowMs } : last;
      const dueMs = fresh.count === 0 ? nowMs : fresh.atMs + nextDelay(fresh.count, startBackoff, 0);
      if (dueMs > nowMs) return dueMs - nowMs;
      this.#starts.set(container.Id, { count: fresh.count + 1, atMs: nowMs });
      return 0;
    }
    if (Status !== "running" || isHolder) return undefined;
    // A holder that was started later may have another network namespace than those that joined it.
    const own = observedContainer(container).startedMs;
    const held = observedContainer(holder).startedMs;
    if (own === undefined || held === undefined || own >= held) return undefined;
    return restMs(observedContainer(holder), this.#parts.clock.nowMs());
  }

  /** Connects the container that holds the namespace with the networks beside its first one. */
  async #join(instance: RuntimeInstance, holder: InspectedContainer, signal: AbortSignal): Promise<void> {
    for (const attachment of instance.networks.slice(1)) {
      const name = networkName(attachment.networkUid);
      if (Object.hasOwn(holder.NetworkSettings.Networks ?? {}, name)) continue;
      const body = { Container: holder.Id, EndpointConfig: endpoint(attachment) };
      await refusedAs(
        "NetworkRefused",
        this.#parts.client.send("POST", `/networks/${name}/connect`, { body }, signal),
      );
    }
  }
}

function running(container: InspectedContainer): ProbedContainer[] {
  const { name, status, startedMs } = observedContainer(container);
  return status === "running" && startedMs !== undefined ? [{ name, id: container.Id, startedMs }] : [];
}

function observedContainer({ State, RestartCount, Config }: InspectedContainer): ObservedContainer {
  return {
    name: Config.Labels[labelOf.container] ?? "",
    status: State.Status,
    exitCode: State.ExitCode,
    outOfMemory: State.OOMKilled,
    startedMs: engineTime(State.StartedAt),
    restarts: RestartCount,
  };
}
