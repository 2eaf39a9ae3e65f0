import type { RuntimeInventory, RuntimePart } from "./runtime.ts";

/**
 * Which parts of a runtime's inventory nobody wants. A part counts only if it was unwanted in the look before
 * as well: what was made during a look is never taken for a leftover.
 */
export class Leftovers {
  #suspects: ReadonlySet<string> = new Set();

  /**
   * @param wanted uids of the Instances and NetworkContexts of all planes
   * @param isKnown whether everything that a plane wants is in `wanted`; undefined: a part whose plane is not
   *   known
   */
  look(
    inventory: RuntimeInventory,
    wanted: ReadonlySet<string>,
    isKnown: (plane: string | undefined) => boolean,
  ): RuntimeInventory {
    const unwanted = (parts: readonly RuntimePart[]) =>
      parts.filter(({ uid, plane }) => !wanted.has(uid) && isKnown(plane));
    const [instances, networks] = [unwanted(inventory.instances), unwanted(inventory.networks)];
    const before = this.#suspects;
    this.#suspects = new Set([...instances, ...networks].map(({ uid }) => uid));
    return {
      instances: instances.filter(({ uid }) => before.has(uid)),
      networks: networks.filter(({ uid }) => before.has(uid)),
    };
  }

  /** Forgets what was unwanted so far. */
  reset(): void {
    this.#suspects = new Set();
  }
}
