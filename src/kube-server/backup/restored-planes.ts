import type { RedisConnection } from "../../base/redis/connection.ts";
import { isSameKind, type KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { qualifiedPlural } from "../api/status.ts";
import type { Controller } from "../controllers/controller.ts";
import { referencesOf } from "../resources/references.ts";
import { changesChannel, claimsKey, type PlaneKeys, parseObjectKey, planeKeys } from "../store/keys.ts";
import { parseStored } from "../store/stored-object.ts";
import type { KeptSection } from "./contents.ts";

/** A version that no client has seen: the clocks of two machines may differ by less than this. */
const aheadMicros = 60_000_000;

export interface RestoredPlanesOptions {
  readonly redis: RedisConnection;
  readonly kinds: readonly KindDefinition[];
  readonly controllers: readonly Controller[];
  readonly nowMs: number;
}

/**
 * Planes that are being written. Nobody sees them before a record in the directory has their uids; each
 * object is written once, with what is derived from it.
 */
export class RestoredPlanes {
  readonly #options: RestoredPlanesOptions;
  readonly #kinds: ReadonlyMap<string, KindDefinition>;
  readonly #controlled: ReadonlySet<string>;
  readonly #sections: ReadonlyMap<number, KeptSection>;
  readonly #keys: ReadonlyMap<number, PlaneKeys>;

  constructor(options: RestoredPlanesOptions, sections: ReadonlyMap<number, KeptSection>) {
    this.#options = options;
    this.#sections = sections;
    const kinds = options.kinds.filter(({ storedAs }) => storedAs === undefined);
    this.#kinds = new Map(kinds.map((kind) => [qualifiedPlural(kind), kind]));
    const isControlled = (kind: KindDefinition) =>
      options.controllers.some((each) => isSameKind(each.kind, kind));
    this.#controlled = new Set(kinds.filter(isControlled).map(qualifiedPlural));
    this.#keys = new Map([...sections].map(([section, { plane }]) => [section, planeKeys(planeKey(plane))]));
  }

  /** Removes what was written, also by a restore that was killed. */
  async clear(): Promise<void> {
    for (const [section, keys] of this.#keys) {
      await this.#options.redis.unlink(...Object.values(keys), claimsKey(planeKey(this.#planeOf(section))));
    }
  }

  /** Adds the commands that write an object. */
  write(pipeline: Pipeline, section: number, key: string, json: string): void {
    const keys = this.#keysOf(section);
    const { resource } = parseObjectKey(key);
    const kind = this.#kinds.get(resource);
    const object = parseStored(json);
    pipeline.hset(keys.objects, key, json).zadd(keys.index, 0, key);
    const references = referencesOf(kind, object).flatMap((each) => [0, `${each} ${key}`]);
    if (references.length > 0) pipeline.zadd(keys.dependents, ...references);
    if (this.#controlled.has(resource) || concernsCollector(object)) {
      pipeline.zadd(keys.work, this.#options.nowMs, `object ${key}`);
    }
  }

  addWork(pipeline: Pipeline, section: number, item: string): void {
    pipeline.zadd(this.#keysOf(section).work, this.#options.nowMs, item);
  }

  addClaim(pipeline: Pipeline, section: number, field: string, value: string): void {
    pipeline.hset(claimsKey(planeKey(this.#planeOf(section))), field, value);
  }

  /**
   * Completes the planes, whose changes begin with a version above all that were ever given: who watches from
   * an earlier one must list again (410). They are counted with their first write, or within half a minute.
   *
   * @param resourceVersion of the backup
   */
  async complete(resourceVersion: string): Promise<void> {
    const [seconds = "", micros = ""] = (await this.#options.redis.time()).map(String);
    const nowMicros = Number(seconds) * 1_000_000 + Number(micros);
    const version = String(Math.max(Number(resourceVersion), nowMicros) + aheadMicros);
    for (const [section, { isLeaving }] of this.#sections) {
      const state = { rv: version, compacted: version, logged: version, logBytes: 0 };
      const all = { ...state, ...(isLeaving && { leaving: 1 }) };
      await this.#options.redis.hset(this.#keysOf(section).plane, all);
    }
  }

  /** Has a platform that runs look at them. */
  async announce(): Promise<void> {
    for (const { plane } of this.#keys.values()) await this.#options.redis.publish(changesChannel, plane);
  }

  #planeOf(section: number): Plane {
    return (this.#sections.get(section) as KeptSection).plane;
  }

  #keysOf(section: number): PlaneKeys {
    return this.#keys.get(section) as PlaneKeys;
  }
}

export type Pipeline = ReturnType<RedisConnection["pipeline"]>;

function concernsCollector({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined || (metadata.ownerReferences ?? []).length > 0;
}

/** Commands that are sent together, so many that neither round trips nor memory count. */
export class Batch {
  readonly #redis: RedisConnection;
  #pipeline: Pipeline;
  #bytes = 0;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#pipeline = redis.pipeline();
  }

  /** @param bytes of what `add` adds */
  async add(bytes: number, add: (pipeline: Pipeline) => void): Promise<void> {
    add(this.#pipeline);
    this.#bytes += bytes + 100;
    if (this.#bytes >= 512 * 1024) await this.send();
  }

  async send(): Promise<void> {
    const pipeline = this.#pipeline;
    this.#pipeline = this.#redis.pipeline();
    this.#bytes = 0;
    if (pipeline.length === 0) return;
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }
}
