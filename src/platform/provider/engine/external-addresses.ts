import { RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import type { EngineInventory } from "./engine-inventory.ts";
import { labelOf } from "./labels.ts";
import { publishedPorts } from "./specification.ts";

/** The machine's addresses on which open ports are published: each port of each address once. */
export class ExternalAddresses {
  readonly #addresses: readonly string[];
  readonly #inventory: EngineInventory;
  /** Ends when nobody chooses an address. */
  #choosing: Promise<unknown> = Promise.resolve();

  constructor(addresses: readonly string[], inventory: EngineInventory) {
    this.#addresses = addresses;
    this.#inventory = inventory;
  }

  /** Creates the container with the first external address whose ports are free; one caller at a time. */
  async create(
    instance: RuntimeInstance,
    create: (address: string | undefined) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const ports = publishedPorts(instance);
    if (ports.length === 0 || this.#addresses.length === 0) return create(undefined);
    const chosen = this.#choosing.then(async () => {
      const taken = new Set(
        (await this.#inventory.containers({}, signal)).flatMap(({ Labels }) =>
          (Labels[labelOf.publishedPorts] ?? "")
            .split(",")
            .map((port) => `${Labels[labelOf.publishedAddress]} ${port}`),
        ),
      );
      const address = this.#addresses.find((candidate) =>
        ports.every((port) => !taken.has(`${candidate} ${port}`)),
      );
      if (address === undefined) {
        const message = `other instances publish ${ports.join(", ")} on each external address of this provider`;
        throw new RuntimeError("refused", "ExternalPortInUse", message);
      }
      await create(address);
    });
    this.#choosing = chosen.catch(() => undefined);
    return chosen;
  }
}
