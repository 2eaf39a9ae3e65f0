import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { openApi } from "../../../src/platform/client/api/api-access.ts";
import { EmulatedRuntime } from "../../../src/platform/provider/emulated/emulated-runtime.ts";
import { createProvider, type Provider } from "../../../src/platform/provider/provider.ts";
import type { Runtime } from "../../../src/platform/provider/runtime/runtime.ts";
import { type ConnectedKubectl, connectKubectl, kubectlBinary } from "../plane/connected-kubectl.ts";
import { groupDomain, startTestPlatform, type TestPlatform } from "../plane/platform.ts";
import type { SetUp } from "../set-up.ts";

export interface TestProviderOptions {
  readonly runtime?: Runtime;
  readonly stepMs?: number;
  /** Identity of the provider. */
  readonly provider?: string;
  readonly zones?: readonly string[];
  readonly clock?: Clock;
}

export interface TestProvider {
  readonly provider: Provider;
  stop(): Promise<void>;
}

/** A provider that follows all projects of the organization of the test platform; emulated by default. */
export async function startTestProvider(
  platform: TestPlatform,
  options: TestProviderOptions = {},
): Promise<TestProvider> {
  const accessTokenFile = join(platform.stateDirectory, "provider-token");
  await writeFile(accessTokenFile, platform.providerToken);
  const { clock = systemClock } = options;
  const log = silentLogger;
  const ca = join(platform.stateDirectory, "platform", "ca.crt");
  const api = openApi({ apiUrl: platform.url, groupDomain, accessTokenFile, caFile: ca, clock, log });
  const faults = { missingRoles: [], domainRestricted: false, failInstances: [], hang: [] };
  const provider = createProvider({
    provider: options.provider ?? "test",
    ...{ groupDomain, clock, log },
    cloudProjectId: "local",
    zones: options.zones ?? [],
    planes: {
      kind: "organization",
      organization: "acme",
      client: api.client("organizations", "acme"),
      projectClient: (project) => api.client("projects", project),
    },
    runtime: options.runtime ?? new EmulatedRuntime({ stepMs: options.stepMs ?? 50, faults, clock }),
  });
  const stopping = new AbortController();
  const running = provider.service.run(stopping.signal);
  return {
    provider,
    async stop() {
      stopping.abort();
      await running.catch(() => undefined);
      await api.close();
    },
  };
}

/** A platform with an emulated provider, and kubectl that is connected with its project `web`. */
export async function startComputePlatform({
  keep,
}: SetUp): Promise<ConnectedKubectl & { readonly platform: TestPlatform }> {
  const platform = await keep(startTestPlatform());
  const kubectl = await keep(connectKubectl(platform));
  if (kubectlBinary !== undefined) {
    await keep(startTestProvider(platform));
    await kubectl.createProject();
  }
  return { ...kubectl, platform };
}
