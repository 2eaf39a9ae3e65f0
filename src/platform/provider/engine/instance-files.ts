import { chmod, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errnoCode } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import { replaceFile } from "../../../base/core/replace-file.ts";
import { RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import { writeFiles } from "./mounted-files.ts";
import { nestedMounts } from "./nested-mounts.ts";
import { isUid } from "./specification.ts";

/** The files of ConfigMaps and Secrets that instances mount: a folder for each, in one that only root reads. */
export class InstanceFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  /** Writes the files of all volumes. @throws RuntimeError */
  async write(instance: RuntimeInstance): Promise<void> {
    try {
      for (const container of instance.containers) {
        for (const { mount, mountPoints } of nestedMounts(container.mounts)) {
          if (mount.kind !== "files") continue;
          await makeDirectory(this.#directory);
          await chmod(this.#directory, 0o700);
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
