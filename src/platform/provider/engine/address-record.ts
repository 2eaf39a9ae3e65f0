import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { addressDiffers, addressInUse, type RuntimeInstance } from "../runtime/runtime.ts";
import type { EngineInventory } from "./engine-inventory.ts";
import type { ListedContainer } from "./engine-objects.ts";
import type { InstanceFiles } from "./instance-files.ts";
import { addressesIn, labelOf, membershipLabel } from "./labels.ts";

const recordName = "addresses";

/**
 * The address that each instance has in each network, in a file of the provider's own and in the labels of
 * its containers. An instance keeps its address for as long as it is in the network, whatever its status
 * says.
 */
export class AddressRecord {
  readonly #files: InstanceFiles;
  readonly #inventory: EngineInventory;

  constructor(files: InstanceFiles, inventory: EngineInventory) {
    this.#files = files;
    this.#inventory = inventory;
  }

  /**
   * Records the addresses of an instance before it is made.
   *
   * @param found its containers
   * @throws RuntimeError if it has another address already, or another instance has this one
   */
  async keep(
    instance: RuntimeInstance,
    found: readonly ListedContainer[],
    signal: AbortSignal,
  ): Promise<void> {
    const written = addressesOf(await this.#files.readRecord(instance.uid, recordName));
    const known = written ?? new Map(found.flatMap(({ Labels }) => addressesIn(Labels)));
    for (const { networkUid, address } of instance.networks) {
      const has = known.get(networkUid);
      if (has === address) continue;
      if (has !== undefined) throw addressDiffers(has, address);
      const label = { [membershipLabel(networkUid)]: address };
      const holders = await this.#inventory.containers(label, signal);
      if (holders.some(({ Labels }) => Labels[labelOf.instance] !== instance.uid))
        throw addressInUse(address);
    }
    const next = instance.networks.map(({ networkUid, address }) => [networkUid, address] as const);
    if (written !== undefined && hasSame(written, next)) return;
    await this.#files.writeRecord(instance.uid, recordName, Object.fromEntries(next));
  }
}

function hasSame(record: ReadonlyMap<string, string>, next: readonly (readonly [string, string])[]): boolean {
  return record.size === next.length && next.every(([uid, address]) => record.get(uid) === address);
}

function addressesOf(record: unknown): ReadonlyMap<string, string> | undefined {
  if (!isObject(record)) return undefined;
  return new Map(
    Object.entries(record).filter((each): each is [string, string] => typeof each[1] === "string"),
  );
}
