import type { RuntimeContainer, RuntimeInstance } from "../runtime/runtime.ts";
import type { LayerLimits } from "./disk-limits.ts";
import { EngineRefusal, refusedAs, unlessRefused } from "./engine-client.ts";
import { createdObject, readResponse } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { Engine } from "./engine-version.ts";
import type { ExternalAddresses } from "./external-addresses.ts";
import type { InstanceFiles } from "./instance-files.ts";
import { volumeName } from "./labels.ts";
import { containerBody, instanceLabels, type MachineContainer, nameInEngine } from "./specification.ts";

interface ContainerCreationOptions extends Pick<EngineParts, "client" | "platform"> {
  readonly files: InstanceFiles;
  readonly layers: LayerLimits;
  readonly externalAddresses: ExternalAddresses;
  engine(signal: AbortSignal): Promise<Engine>;
}

/** Containers of an instance that are to be made. */
export interface MissingContainers {
  readonly instance: RuntimeInstance;
  readonly missing: readonly RuntimeContainer[];
  /** The engine's ids of the others, by name; those that are made join them. */
  readonly present: Map<string | undefined, string>;
  /** Ids of their images, by the container's name. */
  readonly images: ReadonlyMap<string, string>;
  readonly machine: MachineContainer | undefined;
}

/** Makes containers and their disks. They do not run yet. */
export class ContainerCreation {
  readonly #options: ContainerCreationOptions;

  constructor(options: ContainerCreationOptions) {
    this.#options = options;
  }

  async create(made: MissingContainers, signal: AbortSignal): Promise<void> {
    const [holder] = made.instance.containers;
    for (const container of made.missing) {
      await this.#createVolumes(made.instance, container, signal);
      const create = (externalAddress: string | undefined) =>
        this.#create(made, container, externalAddress, signal);
      if (container.name !== holder?.name) await create(undefined);
      else await this.#options.externalAddresses.create(made.instance, create, signal);
    }
  }

  async #createVolumes(
    instance: RuntimeInstance,
    { mounts }: RuntimeContainer,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, platform } = this.#options;
    for (const mount of mounts) {
      if (mount.kind !== "disk") continue;
      const body = {
        Name: volumeName(instance.uid, mount.volume),
        Labels: instanceLabels(instance, platform),
      };
      await refusedAs("DiskRefused", client.send("POST", "/volumes/create", { body }, signal));
    }
  }

  async #create(
    { instance, present, images, machine }: MissingContainers,
    container: RuntimeContainer,
    externalAddress: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { platform, files, engine } = this.#options;
    const { isPodman } = await engine(signal);
    const holderName = instance.containers[0]?.name;
    const settings = {
      platform,
      imageId: images.get(container.name) ?? "",
      holder: container.name === holderName ? undefined : present.get(holderName),
      filesFolder: (volume: string) => files.folder(instance.uid, container.name, volume),
      hostsFile: files.hostsFile(instance.uid),
      // A few times at once, then the provider does it, with a backoff. Not after a restart of the
      // machine, where a container that the engine started would run before there is a firewall: with any
      // policy, Docker starts those that had not ended well.
      restartPolicy: isPodman ? { Name: "on-failure", MaximumRetryCount: 3 } : { Name: "no" },
      externalAddress,
      machine,
    };
    const body = (layerBytes: number | undefined): object =>
      containerBody(instance, container, { ...settings, layerBytes });
    present.set(container.name, await this.#make(nameInEngine(instance, container), body, signal));
  }

  /** @param body of the request, by what the engine limits the container's layer to @returns the engine's id */
  async #make(
    name: string,
    body: (layerBytes: number | undefined) => object,
    signal: AbortSignal,
  ): Promise<string> {
    const { client, layers, engine } = this.#options;
    const { limitsLayers } = await engine(signal);
    const create = (): Promise<string> =>
      layers.make(limitsLayers, async (layerBytes) => {
        const request = { query: { name }, body: body(layerBytes) };
        const created = await client.send("POST", "/containers/create", request, signal);
        return readResponse(createdObject, created).Id;
      });
    return await refusedAs(
      "ContainerRefused",
      create().catch(async (error: unknown) => {
        if (!(error instanceof EngineRefusal) || !/already in use/.test(error.message)) throw error;
        const path = `/containers/${encodeURIComponent(name)}`;
        const inspection = client.send("GET", `${path}/json`, {}, signal);
        if ((await unlessRefused([404], inspection)) !== undefined) throw error;
        // A Podman that was killed while it made the container has its storage, and nothing else of it.
        const query = { force: "true", v: "true" };
        await unlessRefused([404], client.send("DELETE", path, { query }, signal));
        return await create();
      }),
    );
  }
}
