import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { runLoop, Wakeup } from "../../base/core/loop.ts";
import { runServices, type Service } from "../../base/core/service.ts";
import { withLimit } from "../../base/core/signals.ts";
import type { Logger } from "../../base/log/log.ts";
import type { PlaneClient } from "../client/api/plane-client.ts";
import type { PlaneObject } from "../client/api/reflector-step.ts";
import { createProjectSource } from "../client/project-source.ts";
import { ConfigContents } from "./instance/config-contents.ts";
import { WorkloadNames } from "./instance/workload-names.ts";
import { createProviderRegistry } from "./metrics.ts";
import { Networks } from "./network/networks.ts";
import { ClaimWatch } from "./plane/claim-watch.ts";
import { FollowedPlane, type WorkKind } from "./plane/followed-plane.ts";
import { roleNeeded } from "./plane/object-writer.ts";
import { PlaneEvents } from "./plane/plane-events.ts";
import { uidOf } from "./plane/plane-object.ts";
import { Served, type ServedOptions } from "./plane/served.ts";
import { Leftovers } from "./runtime/leftovers.ts";
import { type InstanceStats, type Runtime, RuntimeError } from "./runtime/runtime.ts";
import { RuntimeHealth } from "./runtime/runtime-health.ts";
import { InstanceLogs } from "./work/instance-logs.ts";
import type { ProviderParts } from "./work/provider-parts.ts";
import { workOnContext } from "./work/work-on-context.ts";
import { workOnInstance } from "./work/work-on-instance.ts";
import { workOnLocation } from "./work/work-on-location.ts";
import { workOnSubnet } from "./work/work-on-subnet.ts";
import { WorkQueue } from "./work/work-queue.ts";

/** The control planes to follow: of all projects of an organization, or of some projects. */
export type FollowedPlanes =
  | {
      readonly kind: "organization";
      readonly organization: string;
      readonly client: PlaneClient;
      projectClient(project: string): PlaneClient;
    }
  | {
      readonly kind: "projects";
      readonly projects: readonly { readonly project: string; readonly client: PlaneClient }[];
    };

export interface ProviderOptions extends ServedOptions {
  readonly planes: FollowedPlanes;
  readonly runtime: Runtime;
  /** `metrics.tenantLabel`. */
  readonly tenantLabel?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
}

export interface Provider {
  readonly service: Service;
  readonly registry: Registry;
  /** What is degraded, one sentence; undefined if nothing is. */
  problem(): string | undefined;
}

/** Objects that are worked on at once; one plane's never take more than half. */
const places = 32;
const lookEveryMs = 30_000;
const statsLimitMs = 5_000;

/**
 * A provider: a client of the control planes that runs their instances. It claims the Locations of its cloud
 * project, does what NetworkContexts, Subnets and Instances ask for, and writes what it saw
 * (docs/providers.md). Everything it has to know after a restart is in the objects and in the runtime.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { runtime, clock, log, groupDomain, random = Math.random } = options;
  const planes = new Map<string, FollowedPlane>();
  let isListed = options.planes.kind === "projects";

  const addAll = (): void => {
    for (const plane of planes.values()) plane.addAll();
  };
  const health = new RuntimeHealth(clock, addAll);
  const served = new Served(options);
  const networks = new Networks(runtime, health);
  const parts: ProviderParts & { readonly claims: ClaimWatch } = {
    runtime,
    health,
    served,
    networks,
    groupDomain,
    clock,
    log,
    configs: new ConfigContents(),
    workloads: new WorkloadNames(),
    events: new PlaneEvents(clock),
    claims: new ClaimWatch(clock),
  };
  const work = { location: workOnLocation, context: workOnContext, subnet: workOnSubnet };
  const queue = new WorkQueue({
    places,
    async work(name, item, signal) {
      const plane = planes.get(name);
      if (plane === undefined) return undefined;
      const [kind, key] = split(item);
      // What would wait in mid-work would report what it saw before.
      await plane.client.ready(signal);
      // Comes again with the end of the lists: until then, an absent object may merely be unknown.
      if (kind !== "location" && !plane.isListed) return undefined;
      if (kind === "instance") return await workOnInstance(plane, key, parts, signal);
      return await work[kind](plane, key, parts, signal);
    },
    onFailure(plane, object, error, retryMs) {
      // Every object of the plane fails alike, which was logged once.
      const isForbidden = planes.get(plane)?.writer.isForbidden === true;
      const isRefused = error instanceof RuntimeError && error.outcome === "refused";
      const level = isForbidden ? "debug" : isRefused ? "info" : "warn";
      log[level]({ plane, object, error: describeError(error), retryMs }, "an object cannot be worked on");
    },
    clock,
    log,
    random,
  });

  const logs = new InstanceLogs({ runtime, clock, log });
  const follow = (project: string, client: PlaneClient): FollowedPlane => {
    const plane =
      options.planes.kind === "organization" ? `${options.planes.organization}/${project}` : project;
    const add = (kind: WorkKind, key: string) => queue.add(plane, `${kind} ${key}`);
    const onLogRequest = (request: PlaneObject): void => {
      logs.take(followed, request);
    };
    const followed: FollowedPlane = new FollowedPlane({
      plane,
      client,
      groupDomain,
      served,
      add,
      onLogRequest,
      clock,
      log,
      random,
    });
    planes.set(plane, followed);
    return followed;
  };
  const sources = planesOf(options, follow, {
    onListed() {
      isListed = true;
    },
    onGone(plane) {
      planes.delete(plane);
      queue.removeQueue(plane);
    },
  });

  /** @returns whether it is known what a plane wants: all of it is listed, or the plane is gone */
  const knownPlanes = (): ((plane: string | undefined) => boolean) => {
    const areAll = isListed && [...planes.values()].every((plane) => plane.isListed);
    const prefix = options.planes.kind === "organization" ? `${options.planes.organization}/` : undefined;
    return (plane) => {
      const followed = plane === undefined ? undefined : planes.get(plane);
      if (areAll || followed?.isListed === true) return true;
      const isGone = isListed && followed === undefined && prefix !== undefined;
      return isGone && plane?.startsWith(prefix) === true;
    };
  };
  const leftovers = new Leftovers();
  let isOutageShown = false;
  const look = async (signal: AbortSignal): Promise<number> => {
    const inventory = await runtime.inventory(signal);
    health.responded();
    isOutageShown = false;
    const networksThere = new Set(inventory.networks.map(({ uid }) => uid));
    const instancesThere = new Set(inventory.instances.map(({ uid }) => uid));
    networks.notice(networksThere);
    const wanted = new Set<string>();
    for (const plane of planes.values()) {
      for (const object of plane.contexts.values()) {
        if (plane.ownership(object) !== "other") wanted.add(uidOf(object));
      }
      for (const [key, object] of plane.instances.entries()) {
        const ownership = plane.ownership(object);
        if (ownership !== "other") wanted.add(uidOf(object));
        if (ownership === "own" && !instancesThere.has(uidOf(object)))
          queue.add(plane.plane, `instance ${key}`);
      }
    }
    const unwanted = leftovers.look(inventory, wanted, knownPlanes());
    for (const { uid } of unwanted.instances) {
      log.info({ uid }, "an instance that is not wanted is removed");
      await runtime.removeInstance(uid, signal);
    }
    for (const { uid } of unwanted.networks) {
      try {
        await networks.remove(uid, signal);
      } catch (error) {
        // Instances that take more than one step to remove are still in it.
        if (!(error instanceof RuntimeError) || error.outcome !== "refused") throw error;
      }
    }
    return lookEveryMs;
  };
  const wakeup = new Wakeup();
  const looker: Service = {
    name: "provider inventory",
    run(signal) {
      const onError = (error: unknown) => {
        if (error instanceof RuntimeError && error.outcome === "unavailable") health.failed(error.message);
        log.warn({ error: describeError(error) }, "what the runtime holds cannot be looked at");
        if (health.problem === undefined || isOutageShown) return;
        // An unavailable runtime reports nothing else: each object says so once.
        isOutageShown = true;
        addAll();
      };
      return runLoop(look, { clock, pauseAfterErrorMs: lookEveryMs, onError, wakeup }, signal);
    },
  };
  const watcher: Service = {
    name: "provider events",
    run: (signal) =>
      runtime.watch((uid) => {
        const found = uid === undefined ? undefined : instanceOf(planes.values(), uid);
        if (found !== undefined) queue.add(found.plane, `instance ${found.key}`);
        if (uid !== undefined) return;
        addAll();
        if (health.failure === undefined) return;
        leftovers.reset();
        wakeup.wake();
      }, signal),
  };
  const taken = () => [...planes.values()].flatMap((plane) => [...plane.taken.keys()]);
  const measured = async (): Promise<readonly InstanceStats[]> => {
    const limit = new AbortController().signal;
    const asked = withLimit(limit, statsLimitMs, async (limited) => (await runtime.stats?.(limited)) ?? []);
    // Without a response the metrics are absent; whether the runtime responds is a metric of its own.
    return await asked.catch(() => []);
  };
  return {
    registry: createProviderRegistry(
      {
        work: () => queue.snapshot(),
        takenLocations: () => taken().length,
        runtimeResponds: () => health.problem === undefined,
        instances: measured,
      },
      options.tenantLabel,
    ),
    problem() {
      if (health.failure !== undefined) return `the provider's runtime does not respond: ${health.failure}`;
      const problem = runtime.problem?.();
      if (problem !== undefined) return problem;
      const [refusing] = [...planes.values()].filter(({ writer }) => writer.isForbidden);
      if (refusing !== undefined) return `${refusing.plane}: ${roleNeeded}`;
      const locations = taken();
      if (locations.length === 0) return undefined;
      return `another provider serves ${locations.length} of this provider's locations, such as ${locations[0]}`;
    },
    service: {
      name: "provider",
      snapshot: () => ({
        runtime: runtime.kind,
        problem: health.problem,
        work: queue.snapshot(),
        planes: [...planes.values()].map((plane) => plane.snapshot()),
      }),
      async run(signal) {
        if (runtime.kind === "emulated") {
          log.warn("the provider is emulated: instances are shown as running, but nothing runs");
        }
        const worker: Service = { name: "provider work", run: (stop) => queue.run(stop) };
        try {
          await runServices([...sources, worker, looker, watcher, logs], signal);
        } finally {
          await runtime.close?.();
        }
      },
    },
  };
}

/** @returns services that follow the planes for as long as their projects exist */
function planesOf(
  { planes, groupDomain, clock, log, random = Math.random }: ProviderOptions,
  follow: (project: string, client: PlaneClient) => Service,
  events: { onListed(): void; onGone(plane: string): void },
): Service[] {
  if (planes.kind === "projects")
    return planes.projects.map(({ project, client }) => follow(project, client));
  const { organization, client, projectClient } = planes;
  return [
    createProjectSource({
      client,
      groupDomain,
      clock,
      log,
      random,
      // What runs in it is removed by its provider.
      followsLeaving: true,
      planeSource: (project) => follow(project, projectClient(project)),
      onGone: (project) => events.onGone(`${organization}/${project}`),
      onListed: () => events.onListed(),
    }),
  ];
}

function split(item: string): [WorkKind, string] {
  const space = item.indexOf(" ");
  return [item.slice(0, space) as WorkKind, item.slice(space + 1)];
}

function instanceOf(
  planes: Iterable<FollowedPlane>,
  uid: string,
): { readonly plane: string; readonly key: string } | undefined {
  for (const { plane, instanceKey } of planes) {
    const key = instanceKey.get(uid);
    if (key !== undefined) return { plane, key };
  }
  return undefined;
}
