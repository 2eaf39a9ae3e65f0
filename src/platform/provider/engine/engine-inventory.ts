import { type EngineClient, unlessRefused } from "./engine-client.ts";
import {
  type InspectedContainer,
  inspectedContainer,
  type ListedContainer,
  listedContainers,
  listedNetworks,
  listedVolumes,
  readResponse,
} from "./engine-objects.ts";
import { hasLabels, labelOf, positionOf, withLabels } from "./labels.ts";

/** What an engine holds of one platform's provider, by labels. */
export class EngineInventory {
  readonly #client: EngineClient;
  readonly #platform: string;

  constructor(client: EngineClient, platform: string) {
    this.#client = client;
    this.#platform = platform;
  }

  /** Labels of what this platform's provider makes. */
  labels(further: Readonly<Record<string, string>>): Record<string, string> {
    return { [labelOf.platform]: this.#platform, ...further };
  }

  /** The containers of an instance. */
  async instanceContainers(uid: string, signal: AbortSignal): Promise<ListedContainer[]> {
    return this.containers({ [labelOf.instance]: uid }, signal);
  }

  /** This platform's containers with these labels; a label with an empty value may have any. */
  async containers(
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ListedContainer[]> {
    const query = { all: "true", filters: withLabels(this.labels(labels)) };
    const response = await this.#client.send("GET", "/containers/json", { query }, signal);
    return readResponse(listedContainers, response).filter((container) => this.#isOurs(container, labels));
  }

  /** This platform's volumes with these labels; as {@link containers}. */
  async volumes(labels: Readonly<Record<string, string>>, signal: AbortSignal) {
    const query = { filters: withLabels(this.labels(labels)) };
    const { Volumes } = readResponse(
      listedVolumes,
      await this.#client.send("GET", "/volumes", { query }, signal),
    );
    return (Volumes ?? []).filter((volume) => this.#isOurs(volume, labels));
  }

  /** This platform's networks with these labels. */
  async networks(further: Readonly<Record<string, string>>, signal: AbortSignal) {
    const labels = this.labels(further);
    const response = await this.#client.send(
      "GET",
      "/networks",
      { query: { filters: withLabels(labels) } },
      signal,
    );
    return readResponse(listedNetworks, response).filter((network) => hasLabels(network, labels));
  }

  #isOurs(
    object: { readonly Labels: Readonly<Record<string, string>> },
    labels: Readonly<Record<string, string>>,
  ): boolean {
    const exact = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ""));
    return (
      hasLabels(object, this.labels(exact)) && Object.keys(labels).every((name) => name in object.Labels)
    );
  }

  /** The containers of an instance in its order. */
  async inspectAll(uid: string, signal: AbortSignal): Promise<InspectedContainer[]> {
    const found: InspectedContainer[] = [];
    for (const { Id } of await this.instanceContainers(uid, signal)) {
      const response = await unlessRefused(
        [404],
        this.#client.send("GET", `/containers/${Id}/json`, {}, signal),
      );
      if (response !== undefined) found.push(readResponse(inspectedContainer, response));
    }
    return found.sort((a, b) => positionOf(a.Config.Labels) - positionOf(b.Config.Labels));
  }
}
