import type { Clock } from "../../base/core/clock.ts";
import { TelemetrydError } from "../../base/core/errors.ts";
import { runStages, type Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import { projectNameProblem } from "../../exporter/policy/plane.ts";
import type { PolicyStore } from "../../exporter/policy/store.ts";
import { type ApiOptions, openApi, openKubeconfig } from "./api/api-access.ts";
import type { BearerSnapshot, TokenProvider } from "./api/token-provider.ts";
import { createControlPlaneWatcher } from "./control-plane-watcher.ts";
import { createEventWriter } from "./events/event-writer.ts";
import { createProjectSource, projectsPath, tenantOf } from "./project-source.ts";
import { createStatusWriter, type WantedStatus, type WrittenPlane } from "./status-writer.ts";

interface CommonOptions {
  readonly groupDomain: string;
  readonly store: PolicyStore;
  /** `metrics.tenantLabel`: policies must not name it. */
  readonly tenantLabel?: string | undefined;
  /** Statuses of all known policies; read about once a second. */
  statuses(): Iterable<WantedStatus>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
}

export interface ControlPlaneOptions extends CommonOptions, ApiOptions {
  /** The organization whose projects are followed, unless `projects` names them. */
  readonly organization?: string | undefined;
  readonly projects: readonly string[];
  /** Called with the tenant that a Project of the organization is annotated with, or undefined. */
  onTenant?(project: string, tenant: string | undefined): void;
}

export interface KubeconfigPlaneOptions extends CommonOptions {
  /** `controlPlane.kubeconfig`. */
  readonly kubeconfig: string;
  /** The project behind this kubeconfig; policies are filed under this name. */
  readonly project: string;
}

export interface ControlPlane {
  readonly service: Service;
  /** For `/readyz` and the logs: whether there is a bearer token, and if not, why. */
  bearer(): BearerSnapshot;
}

/**
 * The exporter's side of the platform: exchanges the access token, follows the projects' policies and
 * Secrets, and writes conditions and events back. The store files a project's policies under the project's
 * name.
 *
 * @throws FILE_UNREADABLE for `caFile`, INVALID_CONFIGURATION for a project that cannot be exported under its
 * name
 */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  for (const project of options.projects) requireProjectName(project);
  const { random = Math.random } = options;
  const { bearer, client, close } = openApi(options);
  const planes = new Map<string, WrittenPlane>();
  const common = { ...options, random };
  const planeSource = (project: string): Service => {
    const own = client("projects", project);
    const source = createControlPlaneWatcher({ ...common, plane: project, client: own });
    planes.set(project, { client: own, source });
    return source;
  };
  const { organization = "" } = options;
  const sources =
    organization === ""
      ? options.projects.map(planeSource)
      : [
          createProjectSource({
            ...common,
            client: client("organizations", organization),
            nameProblem: projectNameProblem,
            planeSource,
            onGone(project) {
              planes.delete(project);
              options.store.removePlane(project);
            },
          }),
        ];
  return compose(options, sources, (plane) => planes.get(plane), bearer, close);
}

/**
 * The tenant that a Project of the organization is annotated with now; undefined when there is none.
 *
 * @throws INVALID_ARGUMENT when there is no such Project, UNREACHABLE when it cannot be read
 */
export async function readTenantOfProject(
  options: ApiOptions & { readonly organization: string },
  project: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client, close } = openApi(options);
  try {
    const path = `${projectsPath(options.groupDomain)}/${encodeURIComponent(project)}`;
    const found = await client("organizations", options.organization).send("GET", path, {}, signal);
    if (found.outcome === "ok") return tenantOf(found.json, options.groupDomain);
    const message = `the project ${JSON.stringify(project)} cannot be read: ${found.message}`;
    const isMissing = found.outcome === "rejected" && found.code === 404;
    throw new TelemetrydError(isMissing ? "INVALID_ARGUMENT" : "UNREACHABLE", message);
  } finally {
    await close();
  }
}

/**
 * The same for any Kubernetes API server that has the CRD, reached through a kubeconfig.
 *
 * @throws FILE_UNREADABLE, INVALID_CONFIGURATION for the kubeconfig and the files it names
 */
export function createKubeconfigPlane(options: KubeconfigPlaneOptions): ControlPlane {
  requireProjectName(options.project);
  const { random = Math.random } = options;
  const { bearer, client, close } = openKubeconfig(options);
  const source = createControlPlaneWatcher({ ...options, random, plane: options.project, client });
  const planeOf = (plane: string) => (plane === options.project ? { client, source } : undefined);
  return compose(options, [source], planeOf, bearer, close);
}

function requireProjectName(project: string): void {
  const problem = projectNameProblem(project);
  if (problem === undefined) return;
  throw new TelemetrydError("INVALID_CONFIGURATION", `controlPlane.projects: ${problem}`);
}

function compose(
  options: CommonOptions,
  sources: readonly Service[],
  planeOf: (plane: string) => WrittenPlane | undefined,
  bearer: TokenProvider,
  close: () => Promise<void>,
): ControlPlane {
  const { groupDomain, clock, log } = options;
  const clientOf = (plane: string) => planeOf(plane)?.client;
  const events = createEventWriter({ component: "telemetryd", clientOf, clock, log });
  const writer = createStatusWriter({
    groupDomain,
    planeOf,
    clock,
    log,
    wanted: () => options.statuses(),
    onEvents({ plane, ...policy }, reports) {
      const subject = { apiVersion: `telemetry.${groupDomain}/v1alpha1`, kind: "ExportPolicy", ...policy };
      for (const { sink, report } of reports) events.report(plane, subject, sink, report);
    },
  });
  return {
    bearer: () => bearer.snapshot(),
    service: {
      name: "control plane",
      snapshot: () => ({ bearer: bearer.snapshot(), sources: sources.map((source) => source.snapshot?.()) }),
      async run(signal) {
        try {
          await runStages([sources, [writer, events]], signal);
        } finally {
          await close();
        }
      },
    },
  };
}
