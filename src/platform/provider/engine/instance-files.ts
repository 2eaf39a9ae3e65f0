import { chmod, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errnoCode } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import { replaceFile } from "../../../base/core/replace-file.ts";
import { addressesOf, RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import { nestedMounts } from "./container-mounts.ts";
import { writeFiles } from "./mounted-files.ts";
import { isUid } from "./specification.ts";

const localNames = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback"];

/** The files of ConfigMaps and Secrets that instances mount: a folder for each, in one that only root reads. */
export class InstanceFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  /** Writes the file of names and the files of all volumes. @throws RuntimeError */
  async write(instance: RuntimeInstance): Promise<void> {
    try {
      await this.#writeHosts(instance);
      for (const container of instance.containers) {
        for (const { mount, mountPoints } of nestedMounts(container.mounts)) {
          if (mount.kind !== "files") continue;
          const folder = this.folder(instance.uid, container.name, mount.volume);
          await writeFiles(folder, mount.files, mountPoints);
        }
      }
    } catch (error) {
      if (error instanceof RuntimeError) throw error;
      const message = `the provider cannot write the files of volumes (${errnoCode(error) ?? "unknown error"})`;
      throw new RuntimeError("unavailable", "FilesUnwritable", message);
    }
  }

  /** In place of the machine's own file: the instance's name, and nothing else. */
  async #writeHosts({ uid, hostname, networks }: RuntimeInstance): Promise<void> {
    await makeDirectory(this.#instanceFolder(uid));
    await chmod(this.#directory, 0o700);
    const addresses = networks.flatMap(addressesOf);
    const lines = [...localNames, ...addresses.map((address) => `${address}\t${hostname}`)];
    const text = `${lines.join("\n")}\n`;
    const file = this.hostsFile(uid);
    // Containers have the file itself, not its folder.
    if ((await readFile(file, "utf8").catch(ignoreMissing)) !== text) await replaceFile(file, text);
    await chmod(file, 0o644);
  }

  hostsFile(uid: string): string {
    return this.#recordFile(uid, "hosts");
  }

  #instanceFolder(uid: string): string {
    if (!isUid(uid)) throw new RuntimeError("refused", "InvalidSpecification", "the uid is not one");
    return join(this.#directory, uid);
  }

  /** Of one volume in one container. */
  folder(uid: string, container: string, volume: string): string {
    return join(this.#instanceFolder(uid), container, volume);
  }

  /** @returns undefined if there is none; what a crash has left unreadable is none @throws RuntimeError */
  async readRecord(uid: string, name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#recordFile(uid, name), "utf8"));
    } catch (error) {
      if (error instanceof SyntaxError || errnoCode(error) === "ENOENT") return undefined;
      throw unusable(error);
    }
  }

  /** Records a fact about an instance beside its volumes, whole or not at all. @throws RuntimeError */
  async writeRecord(uid: string, name: string, value: unknown): Promise<void> {
    const file = this.#recordFile(uid, name);
    try {
      await makeDirectory(this.#instanceFolder(uid));
      await chmod(this.#directory, 0o700);
      await replaceFile(file, JSON.stringify(value));
    } catch (error) {
      throw unusable(error);
    }
  }

  /** No container has a name that begins with a dot. */
  #recordFile(uid: string, name: string): string {
    return join(this.#instanceFolder(uid), `.${name}`);
  }

  /** Uids of the instances that have files. */
  async uids(): Promise<string[]> {
    return (await readdir(this.#directory).catch(ignoreMissing)) ?? [];
  }

  async remove(uid: string): Promise<void> {
    await rm(this.#instanceFolder(uid), { recursive: true, force: true });
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errnoCode(error) !== "ENOENT") throw error;
}

function unusable(error: unknown): RuntimeError {
  const message = `the provider cannot keep its records of instances (${errnoCode(error) ?? "unknown error"})`;
  return new RuntimeError("unavailable", "FilesUnwritable", message);
}
