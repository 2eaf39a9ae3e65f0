import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import type { Service } from "../../base/core/service.ts";
import { valueAt } from "../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../base/log/log.ts";
import { tenantAnnotation } from "../../exporter/policy/tenants/project-tenants.ts";
import type { PlaneClient } from "./api/plane-client.ts";
import { createReflector } from "./api/reflector.ts";
import type { PlaneObject, ReflectorEffect } from "./api/reflector-step.ts";

export interface ProjectSourceOptions {
  /** Client of the organization's control plane. */
  readonly client: PlaneClient;
  readonly groupDomain: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Whether a project that is being deleted is followed until it is gone. */
  readonly followsLeaving?: boolean;
  /** Called with a project's annotation `telemetry.<groupDomain>/tenant`; undefined when there is none. */
  onTenant?(project: string, tenant: string | undefined): void;
  /** The reason why a project of this name cannot be followed, or undefined. */
  nameProblem?(project: string): string | undefined;
  /** Creates the service that follows one project's control plane. */
  planeSource(project: string): Service;
  /** Called when a project is gone and its service has ended. */
  onGone(project: string): void;
  /** Called when the list of projects is complete, and again after each relist. */
  onListed?(): void;
}

interface RunningProject {
  readonly uid: string;
  readonly source: Service;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Delays the start of each hundred initial projects by this much, so that they do not all list at once. */
const spreadMsPerHundred = 2_000;

export function projectsPath(groupDomain: string): string {
  return `/apis/resourcemanager.${groupDomain}/v1alpha/projects`;
}

/**
 * Follows the control plane of every project in an organization for as long as the project exists. A deleted
 * project, or one recreated under another uid, ends with its service. A project that cannot be followed under
 * its name is reported.
 */
export function createProjectSource(options: ProjectSourceOptions): Service {
  const { client, groupDomain, clock, log, random } = options;
  const projects = new Map<string, RunningProject>();
  /** Uids of projects that cannot be followed; each is reported once. */
  const invalid = new Set<string>();

  const start = (name: string, uid: string, delayMs: number): void => {
    const stop = new AbortController();
    const source = options.planeSource(name);
    const run = async (): Promise<void> => {
      await clock.sleep(delayMs, stop.signal);
      await source.run(stop.signal);
    };
    const ended = run().catch((error: unknown) => {
      if (!stop.signal.aborted)
        log.error({ project: name, error: describeError(error) }, "a project cannot be followed");
    });
    projects.set(name, { uid, source, stop, ended });
  };
  const end = (name: string): void => {
    const project = projects.get(name);
    if (project === undefined) return;
    projects.delete(name);
    options.onTenant?.(name, undefined);
    project.stop.abort();
    // Only after its service has ended, which could put back what is removed. By then a project of the same
    // name may already be running again.
    void project.ended.then(() => {
      if (!projects.has(name)) options.onGone(name);
    });
  };
  const want = (object: PlaneObject, delayMs: number): void => {
    const { name, uid } = identity(object);
    const running = projects.get(name);
    const isLeaving =
      options.followsLeaving !== true && valueAt(object, ["metadata", "deletionTimestamp"]) !== undefined;
    if (isLeaving || (running !== undefined && running.uid !== uid)) end(name);
    if (isLeaving) return;
    // Before its policies are known, so that none of them is planned without its tenant.
    options.onTenant?.(name, tenantOf(object, groupDomain));
    if (projects.has(name)) return;
    const problem = options.nameProblem?.(name);
    if (problem === undefined) start(name, uid, delayMs);
    else if (!invalid.has(uid)) {
      invalid.add(uid);
      log.error({ project: name }, `a project is not followed: its name ${problem}`);
    }
  };

  return {
    name: "projects",
    snapshot: () => ({ projects: [...projects.values()].map(({ source }) => source.snapshot?.()) }),
    async run(signal) {
      const onEffect = (effect: ReflectorEffect): void => {
        if (effect.kind === "swap") {
          const listed = new Set(effect.items.map((object) => identity(object).name));
          for (const name of [...projects.keys()]) if (!listed.has(name)) end(name);
          const spreadMs = (effect.items.length / 100) * spreadMsPerHundred;
          for (const object of effect.items) want(object, random() * spreadMs);
          options.onListed?.();
        } else if (effect.kind === "put") want(effect.object, 0);
        else end(identity(effect.object).name);
      };
      const apiVersion = `resourcemanager.${groupDomain}/v1alpha`;
      const path = projectsPath(groupDomain);
      const reflector = createReflector({
        client,
        path,
        apiVersion,
        kind: "Project",
        clock,
        log,
        random,
        onEffect,
      });
      // Each project has its own signal: Node.js slows down with the number of listeners on a shared one.
      const stopAll = () => {
        for (const { stop } of projects.values()) stop.abort(signal.reason);
      };
      signal.addEventListener("abort", stopAll, { once: true });
      try {
        await reflector.run(signal);
      } finally {
        signal.removeEventListener("abort", stopAll);
        stopAll();
        const running = [...projects.values()];
        projects.clear();
        await Promise.all(running.map(({ ended }) => ended));
      }
    },
  };
}

/** The tenant that a Project is annotated with. */
export function tenantOf(object: PlaneObject, groupDomain: string): string | undefined {
  const tenant = valueAt(object, ["metadata", "annotations", tenantAnnotation(groupDomain)]);
  return typeof tenant === "string" ? tenant : undefined;
}

function identity(object: PlaneObject): { name: string; uid: string } {
  return {
    name: String(valueAt(object, ["metadata", "name"]) ?? ""),
    uid: String(valueAt(object, ["metadata", "uid"]) ?? ""),
  };
}
