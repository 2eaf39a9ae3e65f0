import type { RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import type { KindDefinition } from "../api/kind.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import type { Change } from "./change.ts";
import type { Commit, CommitOutcome, Users } from "./commit.ts";
import {
  collectionPrefix,
  formerProjectsKey,
  type PlaneKeys,
  planeKeys,
  projectsKey,
  usageKey,
} from "./keys.ts";
import { type PageOutcome, type PageRequest, type RunOnPlane, readPage } from "./page.ts";
import { countPlane } from "./plane-count.ts";
import type { ProjectRecord } from "./project-record.ts";
import { changesScript } from "./read-scripts.ts";
import { pairs, readChange, readCounts, readExceeded } from "./replies.ts";
import { TraitsIndex } from "./traits-index.ts";
import { countedField, type Quotas, type Usage } from "./usage.ts";
import {
  addWorkScript,
  advanceWorkScript,
  type CommitTerms,
  commitScript,
  compactScript,
  createPlaneScript,
  type LogLimits,
  leavePlaneScript,
  removePlaneScript,
  settleWorkScript,
} from "./write-scripts.ts";

export interface UsersOfKind {
  readonly count: number;
  readonly keys: readonly string[];
}

export type ChangesOutcome =
  | { readonly outcome: "changes"; readonly newest: string; readonly changes: readonly Change[] }
  | { readonly outcome: "gone" }
  | { readonly outcome: "expired" | "ahead"; readonly newest: string };

export interface DueWork {
  readonly item: string;
  /** As formatted by Redis; passed back to {@link ObjectStore.settleWork}. */
  readonly due: string;
}

/** Work that was taken and reconciled. */
export interface SettledWork extends DueWork {
  /** When it has to be reconciled again; absent if not. */
  readonly againAtMs?: number;
}

/**
 * The objects of all planes in Redis. Each function is one atomic step, and cannot be cancelled once sent.
 */
export interface ObjectStore {
  createPlane(plane: Plane): Promise<void>;
  /** Removes a plane and everything in it, at once and permanently. */
  removePlane(plane: Plane): Promise<void>;
  get(plane: Plane, key: string): Promise<string | undefined>;
  commit(plane: Plane, commit: Commit): Promise<CommitOutcome>;
  /** Part of a collection: fewer objects than the limit if they are large. */
  page(plane: Plane, request: PageRequest): Promise<PageOutcome>;
  /** The next changes after a version: a few hundred, fewer if they are large. */
  changes(plane: Plane, afterVersion: string): Promise<ChangesOutcome>;
  newestVersion(plane: Plane): Promise<string | undefined>;
  /**
   * Drops the changes up to a version.
   *
   * @returns the oldest version from which a watch may resume; "" if the plane is gone
   */
  compact(plane: Plane, upToVersion: string): Promise<string>;
  /** Usage of a plane; undefined if there is no such plane. */
  usage(plane: Plane): Promise<Usage | undefined>;
  /** Numbers of objects of each resource (`qualifiedPlural`), and of work that is due. */
  measure(
    plane: Plane,
    resources: readonly string[],
    nowMs: number,
  ): Promise<{ readonly counts: readonly number[]; readonly due: number }>;
  /** Total usage of an organization's planes. */
  organizationUsage(organization: string): Promise<Usage>;
  /** From now on, nobody creates objects in the plane. */
  leavePlane(plane: Plane): Promise<void>;
  /** Keys of the objects that have this reference; for an owner, its uid. */
  dependents(plane: Plane, reference: string): Promise<string[]>;
  /** How many objects of each kind have a reference, in the order of the kinds, and the first of their keys. */
  users(plane: Plane, users: Users, limit: number): Promise<UsersOfKind[]>;
  /** The objects of these keys that exist. */
  getAll(plane: Plane, keys: readonly string[]): Promise<string[]>;
  dueWork(plane: Plane, nowMs: number, limit: number): Promise<DueWork[]>;
  /** Due time of the next work; undefined if there is none. */
  nextWorkMs(plane: Plane): Promise<number | undefined>;
  /** Requests work that no change has caused; none of a plane that is gone. */
  addWork(plane: Plane, items: readonly string[], dueMs: number): Promise<void>;
  /** Makes all work due sooner: the clock that it is due by was set back. */
  advanceWork(plane: Plane, byMs: number): Promise<void>;
  /** Removes work that was taken, or moves it to a later time, unless it has been requested again. */
  settleWork(plane: Plane, work: readonly SettledWork[]): Promise<void>;
}

const nameKeys = [projectsKey, formerProjectsKey];

/**
 * Size of one read: large enough to amortize a round trip, small enough that many readers fit into memory.
 */
const changesAtOnce = 500;
const changeBytesAtOnce = 512 * 1024;
const objectsAtOnce = 100;
/** Objects of which a selector's matches are sought. */
const scannedAtOnce = 500;
const traitsLimits = { maxBytes: 48 * 2 ** 20, maxOrganizationBytes: 16 * 2 ** 20 };

export interface ObjectStoreOptions {
  readonly kinds: readonly KindDefinition[];
  readonly log: LogLimits;
  readonly quotas: Quotas;
  /** Names of what the kinds count; see `KindDefinition.counts`. */
  readonly countedResources: readonly string[];
}

export function createObjectStore(
  redis: RedisConnection,
  { kinds, log, quotas, countedResources }: ObjectStoreOptions,
): ObjectStore {
  const resources = ["objects", "bytes", ...countedResources];
  const counted = countedField(resources);
  const traits = new TraitsIndex(traitsLimits);
  const keysOf = (plane: Plane): PlaneKeys => planeKeys(planeKey(plane));
  const run = (plane: Plane, script: string, args: readonly (string | number)[]) =>
    runScript(
      redis,
      script,
      [...Object.values(keysOf(plane)), usageKey(plane.organization), ...nameKeys],
      args,
    );
  const count = (plane: Plane) => countPlane((script, args) => run(plane, script, args), kinds, resources);

  const termsOf = (plane: Plane, commit: Commit): CommitTerms => {
    const { counts, isLimited, dryRun, work, nowMs, project, unusedBy } = commit;
    return {
      counts,
      countedField: counted,
      dryRun,
      log,
      work,
      nowMs,
      claim: project && claimOf(plane, project),
      unusedBy: unusedBy === undefined ? [] : rangesOf(unusedBy),
      project: isLimited && plane.type === "project" ? quotas.project : {},
      organization: isLimited ? quotas.organization : {},
    };
  };

  return {
    async createPlane(plane) {
      await run(plane, createPlaneScript, [counted]);
    },
    async removePlane(plane) {
      await run(plane, removePlaneScript, resources);
    },
    async get(plane, key) {
      return (await redis.hget(keysOf(plane).objects, key)) ?? undefined;
    },
    async commit(plane, commit) {
      const { before, after } = commit.parts;
      const args = [
        commit.key,
        commit.expectedVersion,
        commit.type,
        before,
        after,
        commit.requiredNamespace,
        JSON.stringify(termsOf(plane, commit)),
        commit.referencesBefore.length,
        ...commit.referencesBefore,
        ...commit.referencesAfter,
      ];
      for (;;) {
        const [outcome, ...details] = (await run(plane, commitScript, args)) as string[];
        const [json = "", resourceVersion = ""] = details;
        if (outcome === "ok") return { outcome: "committed", json, resourceVersion };
        if (outcome === "exceeded") return { outcome, exceeded: readExceeded(details) };
        if (outcome !== "uncounted") return { outcome } as CommitOutcome;
        await count(plane);
      }
    },
    async page(plane, request) {
      const runHere: RunOnPlane = (script, args) => run(plane, script, args);
      const { selection } = request;
      if (selection === undefined) return await readPage(runHere, request);
      const selected = await traits.select(plane, selection, request, runHere);
      if (selected !== undefined) {
        const resourceVersion = request.resourceVersion || selected.version;
        const page = await readPage(runHere, { ...request, resourceVersion }, selected.keys);
        if (page.outcome !== "unknown-version" || request.resourceVersion !== "") return page;
        // The version has been compacted within a moment.
      }
      return await readPage(runHere, { ...request, limit: scannedAtOnce });
    },
    async changes(plane, afterVersion) {
      const reply = await run(plane, changesScript, [afterVersion, changesAtOnce, changeBytesAtOnce]);
      const [outcome, newest, entries] = reply as [string, string, string[][]];
      if (outcome === "ok") return { outcome: "changes", newest, changes: entries.map(readChange) };
      return { outcome, newest } as ChangesOutcome;
    },
    async newestVersion(plane) {
      return (await redis.hget(keysOf(plane).plane, "rv")) ?? undefined;
    },
    async compact(plane, upToVersion) {
      const reply = await run(plane, compactScript, [upToVersion, log.maxBytes, log.maxEntries, counted]);
      const [compacted, isCounted] = reply as [string, number];
      if (isCounted === 0) await count(plane);
      return compacted;
    },
    async usage(plane) {
      const key = keysOf(plane).plane;
      const [newest, upTo] = await redis.hmget(key, "rv", counted);
      if (newest === null) return undefined;
      if (upTo !== newest) await count(plane);
      return readCounts(resources, await redis.hmget(key, ...resources));
    },
    async organizationUsage(organization) {
      return readCounts(resources, await redis.hmget(usageKey(organization), ...resources));
    },
    async leavePlane(plane) {
      await run(plane, leavePlaneScript, []);
    },
    async dependents(plane, reference) {
      const members = await redis.zrangebylex(keysOf(plane).dependents, `[${reference} `, `(${reference}!`);
      return members.map((member) => member.slice(reference.length + 1));
    },
    async users(plane, users, limit) {
      const { dependents } = keysOf(plane);
      return await Promise.all(
        rangesOf(users).map(async ([first, last]) => {
          const count = await redis.zlexcount(dependents, first, last);
          const members = await redis.zrangebylex(dependents, first, last, "LIMIT", 0, limit);
          return { count, keys: members.map((member) => member.slice(users.reference.length + 1)) };
        }),
      );
    },
    async getAll(plane, keys) {
      const found: string[] = [];
      for (let first = 0; first < keys.length; first += objectsAtOnce) {
        const some = keys.slice(first, first + objectsAtOnce);
        for (const json of await redis.hmget(keysOf(plane).objects, ...some)) {
          if (json !== null) found.push(json);
        }
      }
      return found;
    },
    async dueWork(plane, nowMs, limit) {
      const flat = await redis.zrangebyscore(
        keysOf(plane).work,
        "-inf",
        nowMs,
        "WITHSCORES",
        "LIMIT",
        0,
        limit,
      );
      return pairs(flat).map(({ key, json }) => ({ item: key, due: json }));
    },
    async measure(plane, resources, nowMs) {
      const { index, work } = keysOf(plane);
      const pipeline = redis.pipeline().zcount(work, "-inf", nowMs);
      // The byte after the slash ends a collection's keys.
      for (const resource of resources) pipeline.zlexcount(index, `[${resource}/`, `(${resource}0`);
      const [due = 0, ...counts] = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
        if (error !== null) throw error;
        return Number(reply);
      });
      return { counts, due };
    },
    async nextWorkMs(plane) {
      const [, score] = await redis.zrange(keysOf(plane).work, 0, 0, "WITHSCORES");
      return score === undefined ? undefined : Number(score);
    },
    async addWork(plane, items, dueMs) {
      if (items.length > 0) await run(plane, addWorkScript, [dueMs, ...items]);
    },
    async advanceWork(plane, byMs) {
      await run(plane, advanceWorkScript, [byMs]);
    },
    async settleWork(plane, work) {
      if (work.length === 0) return;
      const args = work.flatMap(({ item, due, againAtMs = "" }) => [item, due, againAtMs]);
      await run(plane, settleWorkScript, args);
    },
  };
}

/** For each kind, where its objects that have the reference stand among all references. */
function rangesOf({ reference, kinds }: Users): (readonly [first: string, last: string])[] {
  return kinds.map((kind) => {
    const start = `${reference} ${collectionPrefix(kind, undefined)}`;
    // The character after the slash at its end.
    return [`[${start}`, `(${start.slice(0, -1)}0`] as const;
  });
}

function claimOf({ organization }: Plane, { name, uid }: Pick<Plane, "name" | "uid">): CommitTerms["claim"] {
  const record: ProjectRecord = { uid, organization };
  return { name, organization, record: JSON.stringify(record) };
}
