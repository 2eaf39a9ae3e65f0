import { TelemetrydError } from "../../base/core/errors.ts";
import { keyPrefix } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import { accessKeys, organizationsKey, revisionKey, tokensKey } from "../access/access-keys.ts";
import { projectsKey } from "../store/keys.ts";
import { type BackupContents, countedRecords, type OpenBackup } from "./contents.ts";
import { bareKey } from "./moment.ts";
import type { OwnRecords } from "./own-records.ts";
import { journalMember, noteRestore, restoreJournalKey } from "./restore-journal.ts";
import { Batch, RestoredPlanes, type RestoredPlanesOptions } from "./restored-planes.ts";

export interface RestoreOptions extends RestoredPlanesOptions {
  readonly own: OwnRecords;
  onProgress(objects: number): void;
}

export interface RestoreSummary {
  readonly objects: number;
  readonly planes: number;
}

/** Where the access data waits until the planes are complete. */
const stagedPrefix = `${keyPrefix}:restored:`;

/**
 * KEYS: 1 to 3 what must not exist, 4 revision, 5 the journal, then pairs of a staged key and its place.
 * Returns 0 if there are organizations, projects or tokens already. This one step makes a restored platform
 * visible.
 */
const publishScript = `
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then return 0 end
for i = 6, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('RENAME', KEYS[i], KEYS[i + 1]) end
end
redis.call('INCR', KEYS[4])
redis.call('DEL', KEYS[5])
return 1
`;

/**
 * Restores a whole platform into a Redis without one. Until the last step nobody sees anything of it; a
 * restore that fails removes what it wrote.
 *
 * @throws INVALID_ARGUMENT if there are organizations, projects or tokens
 */
export async function restorePlatform(
  options: RestoreOptions,
  open: OpenBackup,
  contents: BackupContents,
  signal: AbortSignal,
): Promise<RestoreSummary> {
  const { redis } = options;
  const existing = [organizationsKey, projectsKey, tokensKey];
  if ((await redis.exists(...existing)) > 0) throw notEmpty();
  const planes = new RestoredPlanes(options, contents.sections);
  const organizations = [...contents.sections.values()].map(({ plane }) => plane.organization);
  const access = accessKeys([...new Set(organizations)]);
  const wanted = [...access.hashes, ...access.sets, ...options.own.hashes].map(bareKey);
  const staged = new Set<string>();
  const clear = async () => {
    await planes.clear();
    for (const key of [...wanted, ...staged]) await redis.unlink(`${stagedPrefix}${key}`);
    await redis.unlink(restoreJournalKey);
  };
  await clear();
  const planesOf = [...contents.sections.values()].map(({ plane }) => plane);
  await noteRestore(
    redis,
    planesOf,
    wanted.map((key) => `${stagedPrefix}${key}`),
  );
  try {
    let objects = 0;
    const batch = new Batch(redis);
    for await (const record of countedRecords(open, contents)) {
      signal.throwIfAborted();
      if ("json" in record) {
        const { section, key, json } = record;
        await batch.add(json.length, (pipeline) => planes.write(pipeline, section, key, json));
        options.onProgress(++objects);
        continue;
      }
      await batch.add(JSON.stringify(record).length, (pipeline) => {
        if (record[0] === "work") planes.addWork(pipeline, record[1], record[2]);
        else if (record[0] === "claim") planes.addClaim(pipeline, record[1], record[2], record[3]);
        else {
          const key = `${stagedPrefix}${record[1]}`;
          if (!staged.has(record[1])) pipeline.sadd(restoreJournalKey, journalMember(key));
          staged.add(record[1]);
          if (record[0] === "hash") pipeline.hset(key, record[2], record[3]);
          else pipeline.sadd(key, record[2]);
        }
      });
    }
    await batch.send();
    await planes.complete(contents.resourceVersion);
    const moves = [...staged].flatMap((key) => [`${stagedPrefix}${key}`, `${keyPrefix}:${key}`]);
    if (
      (await runScript(redis, publishScript, [...existing, revisionKey, restoreJournalKey, ...moves], [])) !==
      1
    ) {
      throw notEmpty();
    }
    await planes.announce();
    return { objects, planes: contents.sections.size };
  } catch (error) {
    // The reply of the last step may be lost: what is visible stays.
    if ((await redis.exists(...existing)) === 0) await clear();
    throw error;
  }
}

function notEmpty(): TelemetrydError {
  return new TelemetrydError(
    "INVALID_ARGUMENT",
    "this Redis has organizations, projects or tokens already, which a restore would mix with others: give an empty redis.url or another state.directory, or restore one project with --project ORGANIZATION/NAME",
  );
}
