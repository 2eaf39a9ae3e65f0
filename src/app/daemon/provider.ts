import { join } from "node:path";
import type { Clock } from "../../base/core/clock.ts";
import { defined } from "../../base/core/defined.ts";
import type { Logger } from "../../base/log/log.ts";
import { redact } from "../../base/log/redact.ts";
import { addressesOfSpan, parseSpan } from "../../base/net/address-span.ts";
import type { FollowedPlanes } from "../../platform/provider/provider.ts";
import type { Runtime } from "../../platform/provider/runtime/runtime.ts";
import type { Config } from "../config/schema.ts";
import { tokenHealth } from "./control-plane.ts";
import type { Part, PartContext } from "./parts.ts";

/**
 * The provider of a configuration, with its own access to the control planes.
 *
 * @param ca PEM of the authority to trust, unless `controlPlane.caFile` names another
 * @throws FILE_UNREADABLE, INVALID_CONFIGURATION for the files that `controlPlane` names
 */
export async function openProvider(context: PartContext, ca: string | undefined): Promise<Part | undefined> {
  const { config, clock, log, onClose } = context;
  const { controlPlane, provider: wanted, state, metrics } = config;
  if (controlPlane === undefined || wanted === undefined) return undefined;
  const [{ createProvider }, { providerId }] = await Promise.all([
    import("../../platform/provider/provider.ts"),
    import("../../platform/provider/provider-id.ts"),
  ]);
  const id = await providerId(state.directory);
  const runtime = await openRuntime(context, wanted, id);
  const { planes, bearer, close } = await openPlanes(controlPlane, { ca, clock, log });
  onClose(close);
  const provider = createProvider({
    planes,
    runtime,
    cloudProjectId: wanted.cloudProjectId,
    zones: wanted.zones,
    provider: id,
    groupDomain: controlPlane.groupDomain,
    tenantLabel: metrics?.tenantLabel || undefined,
    clock,
    log,
  });
  // With an exporter, the control plane's part shows the token.
  const token = metrics === undefined ? tokenHealth(() => bearer.snapshot()) : {};
  return {
    stage: "sources and servers",
    services: [provider.service],
    registries: [provider.registry],
    ...token,
    problems: { ...token.problems, provider: () => provider.problem() && redact(provider.problem() ?? "") },
  };
}

async function openRuntime(
  { config: { state, egress }, clock, log }: PartContext,
  { kind, engine, emulated }: NonNullable<Config["provider"]>,
  platform: string,
): Promise<Runtime> {
  if (kind === "emulated") {
    const { EmulatedRuntime } = await import("../../platform/provider/emulated/emulated-runtime.ts");
    return new EmulatedRuntime({ stepMs: emulated.stepMs, faults: emulated.faults, clock });
  }
  const [{ createEngineClient }, { EngineRuntime }] = await Promise.all([
    import("../../platform/provider/engine/engine-client.ts"),
    import("../../platform/provider/engine/engine-runtime.ts"),
  ]);
  const { socket, pull, registries, externalAddresses, ranges, firewall, egress: allow } = engine;
  if (firewall === "none") log.warn("provider.engine.firewall is none: all instances must be one tenant's");
  const { vmRunnerImage, vmImages, vmBootTimeoutMs } = engine;
  const machines = vmRunnerImage && {
    runnerImage: vmRunnerImage,
    images: vmImages,
    bootTimeoutMs: vmBootTimeoutMs,
  };
  // A prefix of NAT64 leads to every IPv4 address.
  const deny = [...egress.deny, ...egress.nat64Prefixes];
  return new EngineRuntime({
    client: createEngineClient(socket),
    platform,
    directory: join(state.directory, "provider"),
    pull,
    registries,
    externalAddresses: [...new Set(externalAddresses.flatMap(addressesOf))],
    networkRanges: ranges,
    firewall: firewall === "none" ? "none" : { deny, allow },
    machines: machines || undefined,
    clock,
    log,
  });
}

function addressesOf(text: string): string[] {
  const span = parseSpan(text);
  return span === undefined ? [] : addressesOfSpan(span);
}

async function openPlanes(
  section: NonNullable<Config["controlPlane"]>,
  { ca, clock, log }: { readonly ca: string | undefined; readonly clock: Clock; readonly log: Logger },
) {
  const { openApi, openKubeconfig } = await import("../../platform/client/api/api-access.ts");
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
