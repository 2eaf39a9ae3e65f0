import { RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import type { EngineInventory } from "./engine-inventory.ts";
import type { ListedContainer } from "./engine-objects.ts";
import { labelOf } from "./labels.ts";
import { publishedPorts } from "./specification.ts";

/** More instances that are gone are not remembered. */
const maxRemembered = 4_096;

/** The machine's addresses on which open ports are published: each port of each address once. */
export class ExternalAddresses {
  readonly #addresses: readonly string[];
  readonly #inventory: EngineInventory;
  /** Addresses of instances whose containers were removed, by plane and name, the latest last. */
  readonly #remembered = new Map<string, string>();
  /** Ends when nobody chooses an address. */
  #choosing: Promise<unknown> = Promise.resolve();

  constructor(addresses: readonly string[], inventory: EngineInventory) {
    this.#addresses = addresses;
    this.#inventory = inventory;
  }

  /** To be called with each container that is removed: the next instance of its name gets its address. */
  remember({ Labels }: Pick<ListedContainer, "Labels">): void {
    const address = Labels[labelOf.publishedAddress];
    if (address === undefined) return;
    const name = instanceKey(Labels[labelOf.plane], Labels[labelOf.name]);
    this.#remembered.delete(name);
    this.#remembered.set(name, address);
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size > maxRemembered) this.#remembered.delete(oldest);
  }

  /** Creates the container with an external address whose ports are free; one caller at a time. */
  async create(
    instance: RuntimeInstance,
    create: (address: string | undefined) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const ports = publishedPorts(instance);
    if (ports.length === 0 || this.#addresses.length === 0) return create(undefined);
    const chosen = this.#choosing.then(async () => {
      const published = (await this.#inventory.containers({}, signal)).map(({ Labels }) => ({
        address: Labels[labelOf.publishedAddress] ?? "",
        ports: (Labels[labelOf.publishedPorts] ?? "").split(","),
      }));
      const own = instanceKey(instance.plane, instance.name);
      const before = this.#remembered.get(own) ?? instance.networks[0]?.reportedExternal;
      const others = [...this.#remembered].flatMap(([name, address]) => (name === own ? [] : [address]));
      const address = chooseAddress(this.#addresses, ports, published, before, new Set(others));
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

function instanceKey(plane = "", name = ""): string {
  return `${plane} ${name}`;
}

/**
 * An address on which ports are free: the one that the instance had, else one that is nobody's, best not that
 * of an instance which may come again, else one that is shared.
 *
 * @param published by the other instances
 * @param before the address that the instance had
 * @param remembered addresses of others that are gone
 * @returns undefined if there is none
 */
export function chooseAddress(
  addresses: readonly string[],
  ports: readonly string[],
  published: readonly { readonly address: string; readonly ports: readonly string[] }[],
  before: string | undefined,
  remembered: ReadonlySet<string>,
): string | undefined {
  const own = new Set(ports);
  const used = new Set(published.map(({ address }) => address));
  const taken = new Set(
    published.filter((other) => other.ports.some((port) => own.has(port))).map(({ address }) => address),
  );
  const free = addresses.filter((address) => !taken.has(address));
  const unused = free.filter((address) => !used.has(address));
  return (
    free.find((address) => address === before) ??
    unused.find((address) => !remembered.has(address)) ??
    unused[0] ??
    free[0]
  );
}
