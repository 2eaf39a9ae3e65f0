import type { RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { planeKeys } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { pageScript } from "../store/read-scripts.ts";
import { pairs } from "../store/replies.ts";
import type { BackupWriter } from "./backup-file.ts";

const objectsAtOnce = 500;
const bytesAtOnce = 1024 * 1024;

export interface SectionOptions {
  readonly redis: RedisConnection;
  readonly store: ObjectStore;
  readonly writer: BackupWriter;
}

/**
 * A control plane in a backup: its objects as they are read, while clients write to it, and then every change
 * since the first one was read. Together they are the plane at the version of the last change.
 */
export class PlaneSection {
  readonly #options: SectionOptions;
  readonly #plane: Plane;
  readonly number: number;
  /** Up to which changes are written. */
  #version = "";
  objects = 0;

  constructor(options: SectionOptions, plane: Plane, number: number) {
    this.#options = options;
    this.#plane = plane;
    this.number = number;
  }

  /**
   * @param onPart called after each part: changes must be followed before the log drops them
   * @returns whether the plane was there to the end
   */
  async read(onPart: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const { redis, store, writer } = this.#options;
    await writer.add(["plane", this.number, this.#plane]);
    const version = await store.newestVersion(this.#plane);
    if (version === undefined) return false;
    this.#version = version;
    const keys = Object.values(planeKeys(planeKey(this.#plane)));
    for (let from = "-"; ; ) {
      signal.throwIfAborted();
      const reply = await runScript(redis, pageScript, keys, [from, "+", objectsAtOnce, "", "", bytesAtOnce]);
      const [outcome, , , flat, , last] = reply as [string, string, number, string[], string[], string];
      if (outcome !== "ok") return false;
      for (const { key, json } of pairs(flat)) {
        this.objects++;
        await writer.add(["object", this.number, key, json]);
      }
      if (!(await onPart())) return false;
      if (last === "") return true;
      from = `(${last}`;
    }
  }

  /**
   * Writes the changes up to a version.
   *
   * @param upTo by default, the newest
   * @returns false if the log no longer has them, or the plane is gone
   */
  async follow(signal: AbortSignal, upTo = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { store, writer } = this.#options;
    while (Number(this.#version) < upTo) {
      signal.throwIfAborted();
      const found = await store.changes(this.#plane, this.#version);
      if (found.outcome !== "changes") return false;
      for (const { resourceVersion, type, key, json } of found.changes) {
        if (Number(resourceVersion) > upTo) return true;
        await writer.add(["change", this.number, key, type === "DELETED" ? "" : json]);
        this.#version = resourceVersion;
      }
      if (this.#version === found.newest) return true;
      if (found.changes.length === 0) return false;
    }
    return true;
  }
}
