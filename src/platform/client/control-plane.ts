import type { SecureContext } from "node:tls";
import { Agent, buildConnector } from "undici";
import type { Clock } from "../../base/core/clock.ts";
import { TelemetrydError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/core/log.ts";
import { SecretFile } from "../../base/core/secrets/secret-file.ts";
import { runStages, type Service } from "../../base/core/service.ts";
import { lookOfFile, RenewedContext } from "../../base/net/renewed-context.ts";
import { systemAuthorities } from "../../base/net/tls-material.ts";
import { projectNameProblem } from "../../exporter/policy/plane.ts";
import type { PolicyStore } from "../../exporter/policy/store.ts";
import { createControlPlaneWatcher } from "./control-plane-watcher.ts";
import { type ExchangeOutcome, exchangeToken, jwtExpiry } from "./exchange.ts";
import { execCredential } from "./exec-credential.ts";
import { KubeconfigFile, readPem } from "./kubeconfig-file.ts";
import { createPlaneClient, type PlaneClient } from "./plane-client.ts";
import { createProjectSource, projectsPath, tenantOf } from "./project-source.ts";
import { createStatusWriter, type WantedStatus, type WrittenPlane } from "./status-writer.ts";
import {
  type BearerSnapshot,
  createExchangingSource,
  type ExchangingOptions,
  noBearer,
  type TokenProvider,
} from "./token-provider.ts";

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

export type ApiOptions = Pick<
  ControlPlaneOptions,
  "apiUrl" | "groupDomain" | "accessTokenFile" | "caFile" | "ca" | "clock" | "log" | "random"
>;

export interface ControlPlaneOptions extends CommonOptions {
  /** `controlPlane.apiUrl`. */
  readonly apiUrl: string;
  /** The organization whose projects are followed, unless `projects` names them. */
  readonly organization?: string | undefined;
  readonly projects: readonly string[];
  readonly accessTokenFile: string;
  readonly caFile?: string | undefined;
  /** Additional trusted authority (PEM), for a self-hosted platform. */
  readonly ca?: string | undefined;
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

/** The server sends a bookmark about once a minute: a longer silence means a lost connection. */
const silentMs = 150_000;
const connectLimitMs = 10_000;

/**
 * The exporter's side of the platform: exchanges the access token, follows the projects' policies and
 * Secrets, and writes conditions back. The store files a project's policies under the project's name.
 *
 * @throws FILE_UNREADABLE for `caFile`, INVALID_CONFIGURATION for a project that cannot be exported under its
 * name
 */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  for (const project of options.projects) requireProjectName(project);
  const { random = Math.random } = options;
  const { bearer, dispatcher, client } = openApi(options);
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
      : [createProjectSource({ ...common, client: client("organizations", organization), planeSource })];
  return compose(options, sources, (plane) => planes.get(plane), bearer, dispatcher);
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
  const { client, dispatcher } = openApi(options);
  try {
    const path = `${projectsPath(options.groupDomain)}/${encodeURIComponent(project)}`;
    const found = await client("organizations", options.organization).send("GET", path, {}, signal);
    if (found.outcome === "ok") return tenantOf(found.json, options.groupDomain);
    const message = `the project ${JSON.stringify(project)} cannot be read: ${found.message}`;
    const isMissing = found.outcome === "rejected" && found.code === 404;
    throw new TelemetrydError(isMissing ? "INVALID_ARGUMENT" : "UNREACHABLE", message);
  } finally {
    await dispatcher.destroy();
  }
}

/** The platform's API: its access token, exchanged, and clients of its control planes. */
function openApi(options: ApiOptions) {
  const { groupDomain, clock, log, random = Math.random } = options;
  const apiUrl = options.apiUrl.replace(/\/+$/, "");
  const { caFile = "", ca } = options;
  const context = new RenewedContext(
    () => lookOfFile(caFile),
    () => {
      const own = caFile === "" ? [] : [readPem({ file: caFile }, "controlPlane.caFile")];
      return { ca: [...systemAuthorities(), ...own, ...(ca === undefined ? [] : [ca])] };
    },
  );
  const dispatcher = createDispatcher(context, {});
  const bearer = createExchangingSource({
    accessToken: new SecretFile(options.accessTokenFile, clock),
    exchange: (token, signal) => exchangeToken(apiUrl, token, dispatcher, signal),
    clock,
    log,
    random,
  });
  const client = (kind: "organizations" | "projects", name: string): PlaneClient => {
    const base = `${apiUrl}/apis/resourcemanager.${groupDomain}/v1alpha/${kind}/${name}/control-plane`;
    return createPlaneClient({ base, bearer, dispatcher, silentMs });
  };
  return { bearer, dispatcher, client };
}

/**
 * The same for any Kubernetes API server that has the CRD, reached through a kubeconfig.
 *
 * @throws FILE_UNREADABLE, INVALID_CONFIGURATION for the kubeconfig and the files it names
 */
export function createKubeconfigPlane(options: KubeconfigPlaneOptions): ControlPlane {
  requireProjectName(options.project);
  const { clock, log, random = Math.random, kubeconfig } = options;
  const file = new KubeconfigFile(kubeconfig);
  const access = file.access();
  const context = new RenewedContext(
    () => file.tlsLook(),
    () => file.tls(),
  );
  const dispatcher = createDispatcher(context, {
    rejectUnauthorized: !access.insecureSkipVerify,
    servername: access.serverName,
  });
  const bearer = bearerOf(file, { clock, log, random });
  const client = createPlaneClient({ base: access.server, bearer, dispatcher, silentMs });
  const source = createControlPlaneWatcher({ ...options, random, plane: options.project, client });
  const planeOf = (plane: string) => (plane === options.project ? { client, source } : undefined);
  return compose(options, [source], planeOf, bearer, dispatcher);
}

function requireProjectName(project: string): void {
  const problem = projectNameProblem(project);
  if (problem === undefined) return;
  throw new TelemetrydError("INVALID_CONFIGURATION", `controlPlane.projects: ${problem}`);
}

/**
 * Every connection uses the current TLS context. A connector caches TLS sessions, which belong to the
 * certificates they began with: a new context gets a new connector.
 *
 * @throws the context's error when it cannot be created
 */
function createDispatcher(
  context: RenewedContext,
  options: { readonly rejectUnauthorized?: boolean; readonly servername?: string | undefined },
): Agent {
  const connectorWith = (secureContext: SecureContext) => ({
    secureContext,
    connect: buildConnector({ timeout: connectLimitMs, ...options, secureContext }),
  });
  let connector = connectorWith(context.current());
  return new Agent({
    connect: (to, callback) => {
      const secureContext = context.current();
      if (secureContext !== connector.secureContext) connector = connectorWith(secureContext);
      connector.connect(to, callback);
    },
  });
}

function compose(
  options: CommonOptions,
  sources: readonly Service[],
  planeOf: (plane: string) => WrittenPlane | undefined,
  bearer: TokenProvider,
  dispatcher: Agent,
): ControlPlane {
  const { groupDomain, clock, log } = options;
  const writer = createStatusWriter({ groupDomain, planeOf, wanted: () => options.statuses(), clock, log });
  return {
    bearer: () => bearer.snapshot(),
    service: {
      name: "control plane",
      snapshot: () => ({ bearer: bearer.snapshot(), sources: sources.map((source) => source.snapshot?.()) }),
      async run(signal) {
        try {
          await runStages([sources, [writer]], signal);
        } finally {
          await dispatcher.destroy();
        }
      },
    },
  };
}

function bearerOf(
  file: KubeconfigFile,
  common: Pick<ExchangingOptions, "clock" | "log" | "random">,
): TokenProvider {
  const { credentials, server } = file.access();
  const asItIs = async (text: string): Promise<ExchangeOutcome> => {
    const expiresMs = jwtExpiry(text);
    return { outcome: "exchanged", bearer: { text, expiresMs } };
  };
  const nothing = { value: async () => "" };
  switch (credentials.kind) {
    case "none":
    case "certificate":
      return noBearer;
    case "token": {
      const value = async () => {
        const now = file.access().credentials;
        return now.kind === "token" ? now.token : credentials.token;
      };
      return createExchangingSource({ ...common, accessToken: { value }, exchange: asItIs });
    }
    case "token-file": {
      const accessToken = new SecretFile(credentials.file, common.clock);
      return createExchangingSource({ ...common, accessToken, exchange: asItIs });
    }
    case "exec": {
      const exchange = (_: string, signal: AbortSignal) =>
        execCredential(credentials, { server, ca: file.authority() }, signal);
      return createExchangingSource({ ...common, accessToken: nothing, exchange });
    }
  }
}
