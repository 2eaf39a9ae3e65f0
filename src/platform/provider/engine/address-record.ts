import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoCode } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { addressDiffers, addressInUse, RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import type { EngineInventory } from "./engine-inventory.ts";
import type { ListedContainer } from "./engine-objects.ts";
import type { InstanceFiles } from "./instance-files.ts";
import { addressesIn, labelOf, membershipLabel } from "./labels.ts";

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
    const file = this.#files.addressFile(instance.uid);
    const written = await read(file);
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
    if (written === undefined || !hasSame(written, next)) await write(file, Object.fromEntries(next));
  }
}

function hasSame(record: ReadonlyMap<string, string>, next: readonly (readonly [string, string])[]): boolean {
  return record.size === next.length && next.every(([uid, address]) => record.get(uid) === address);
}

/** @returns undefined if there is none; what a crash has left unreadable is none */
async function read(file: string): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isObject(value)) return undefined;
    return new Map(
      Object.entries(value).filter((each): each is [string, string] => typeof each[1] === "string"),
    );
  } catch (error) {
    if (error instanceof SyntaxError || errnoCode(error) === "ENOENT") return undefined;
    throw unusable(error);
  }
}

async function write(file: string, addresses: Readonly<Record<string, string>>): Promise<void> {
  try {
    const folder = dirname(file);
    await makeDirectory(folder);
    await chmod(dirname(folder), 0o700);
    await writeFile(`${file}.next`, JSON.stringify(addresses), { mode: 0o600 });
    await rename(`${file}.next`, file);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): RuntimeError {
  const message = `the provider cannot keep its record of addresses (${errnoCode(error) ?? "unknown error"})`;
  return new RuntimeError("unavailable", "FilesUnwritable", message);
}
