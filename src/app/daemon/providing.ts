import { join } from "node:path";
import type { Clock } from "../../base/core/clock.ts";
import { defined } from "../../base/core/defined.ts";
import type { Logger } from "../../base/log/log.ts";
import { openApi, openKubeconfig } from "../../platform/client/api/api-access.ts";
import type { BearerSnapshot } from "../../platform/client/api/token-provider.ts";
import { EmulatedRuntime } from "../../platform/provider/emulated/emulated-runtime.ts";
import { createEngineClient } from "../../platform/provider/engine/engine-client.ts";
import { EngineRuntime } from "../../platform/provider/engine/engine-runtime.ts";
import { createProvider, type FollowedPlanes, type Provider } from "../../platform/provider/provider.ts";
import { providerId } from "../../platform/provider/provider-id.ts";
import type { Runtime } from "../../platform/provider/runtime/runtime.ts";
import type { Config } from "../config/schema.ts";

/** A provider, wired by hand, with its own access to the control planes. */
export interface OpenedProvider {
  readonly provider: Provider;
  bearer(): BearerSnapshot;
  close(): Promise<void>;
}

/**
 * The provider of a configuration.
 *
 * @throws FILE_UNREADABLE, INVALID_CONFIGURATION for the files that `controlPlane` names
 */
export async function openProvider(
  { state, metrics, egress }: Config,
  section: NonNullable<Config["controlPlane"]>,
  wanted: NonNullable<Config["provider"]>,
  parts: { readonly ca: string | undefined; readonly clock: Clock; readonly log: Logger },
): Promise<OpenedProvider> {
  const { clock, log } = parts;
  const { cloudProjectId, zones } = wanted;
  const id = await providerId(state.directory);
  const runtime = openRuntime(wanted, { platform: id, stateDirectory: state.directory, egress, clock, log });
  const { planes, bearer, close } = openPlanes(section, parts);
  const provider = createProvider({
    ...{ planes, runtime, cloudProjectId, zones, clock, log },
    provider: id,
    groupDomain: section.groupDomain,
    tenantLabel: metrics?.tenantLabel || undefined,
  });
  return { provider, bearer: () => bearer.snapshot(), close };
}

function openRuntime(
  { kind, engine, emulated }: NonNullable<Config["provider"]>,
  parts: {
    readonly platform: string;
    readonly stateDirectory: string;
    readonly egress: Config["egress"];
    readonly clock: Clock;
    readonly log: Logger;
  },
): Runtime {
  const { platform, stateDirectory, egress, clock, log } = parts;
  if (kind === "emulated") {
    return new EmulatedRuntime({ stepMs: emulated.stepMs, faults: emulated.faults, clock });
  }
  const { socket, pull, registries, externalAddresses, ranges } = engine;
  const client = createEngineClient(socket);
  const directory = join(stateDirectory, "provider");
  // A prefix of NAT64 leads to every IPv4 address.
  const deny = [...egress.deny, ...egress.nat64Prefixes];
  if (engine.firewall === "none")
    log.warn("provider.engine.firewall is none: all instances must be one tenant's");
  return new EngineRuntime({
    ...{ client, clock, log, platform, directory, pull, registries, externalAddresses },
    networkRanges: ranges,
    firewall: engine.firewall === "none" ? "none" : { deny, allow: engine.egress },
  });
}

function openPlanes(
  section: NonNullable<Config["controlPlane"]>,
  { ca, clock, log }: { readonly ca: string | undefined; readonly clock: Clock; readonly log: Logger },
) {
  const { apiUrl = "", groupDomain, organization, projects, accessTokenFile = "", caFile } = section;
  if (section.kubeconfig !== undefined) {
    const { client, ...access } = openKubeconfig({ kubeconfig: section.kubeconfig, clock, log });
    const project = projects[0] ?? "cluster";
    return { ...access, planes: { kind: "projects", projects: [{ project, client }] } as FollowedPlanes };
  }
  const options = defined({ apiUrl, groupDomain, accessTokenFile, caFile, ca, clock, log });
  const { client, ...access } = openApi(options);
  const projectClient = (project: string) => client("projects", project);
  const planes: FollowedPlanes =
    organization === undefined
      ? {
          kind: "projects",
          projects: projects.map((project) => ({ project, client: projectClient(project) })),
        }
      : {
          kind: "organization",
          organization,
          client: client("organizations", organization),
          projectClient,
        };
  return { ...access, planes };
}
