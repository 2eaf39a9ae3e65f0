import "../support/leak-check.ts";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { createBackup } from "../../src/app/commands/backup/create.ts";
import { restoreBackup } from "../../src/app/commands/backup/restore.ts";
import { createOrganization } from "../../src/app/commands/platform/organization.ts";
import { createToken } from "../../src/app/commands/platform/token.ts";
import { directoryFormat } from "../../src/exporter/delivery/state/directory-format.ts";
import { encodeRecord, stateVersion } from "../../src/exporter/delivery/state/state-record.ts";
import { run } from "../../src/run.ts";
import { freePort, type RunningServer, startRedis } from "../support/servers.ts";

/** Each format of docs/installation.md, as a version after this one would have written it. */

const { signal } = new AbortController();
const quiet = { write: () => true };

interface Place {
  readonly folder: string;
  readonly state: string;
  readonly redis: Redis;
  readonly options: {
    readonly file: string;
    readonly overrides: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
  };
}

const daemon = ({ options }: Place) => {
  const sources = { file: options.file, environment: {} };
  return run({ sources, out: quiet, onReload: () => () => {}, onWarning: () => () => {} }, signal);
};
const newerRedis = async ({ redis }: Place) => void (await redis.set("{telemetryd}:format", "2"));
const backupOf = (path: string) => (place: Place) =>
  restoreBackup({ ...place.options, path: join(place.folder, path) }, Readable.from([]), quiet, signal);
const versionOf = (version: number) => encodeRecord({ type: "version", version });

test.each<[string, (place: Place) => Promise<void>, (place: Place) => Promise<unknown>, string]>([
  [
    "state log: the daemon",
    ({ state }) => writeFile(join(state, "state.log"), versionOf(stateVersion + 1)),
    daemon,
    `state.log: the state was written by a newer telemetryd (format ${stateVersion + 1}; this one knows`,
  ],
  [
    "state directory: the daemon",
    ({ state }) => writeFile(join(state, "format"), `${directoryFormat + 1}\n`),
    daemon,
    "/format: the state was written by a newer telemetryd (format 2; this one knows 1): run that version",
  ],
  [
    "Redis: the daemon",
    newerRedis,
    daemon,
    "Redis key {telemetryd}:format: the state was written by a newer",
  ],
  [
    "Redis: a command that changes the platform",
    newerRedis,
    ({ options }) => createOrganization({ ...options, name: "acme" }, quiet, signal),
    "Redis key {telemetryd}:format: the state was written by a newer",
  ],
  [
    "Redis: a new token",
    newerRedis,
    ({ options }) => createToken({ ...options, user: "alice" }, quiet, signal),
    "Redis key {telemetryd}:format: the state was written by a newer",
  ],
  [
    "Redis: a backup",
    newerRedis,
    ({ options, folder }) => {
      return createBackup({ ...options, path: join(folder, "new.backup") }, process.stdout, quiet, signal);
    },
    "Redis key {telemetryd}:format: the state was written by a newer",
  ],
  [
    "backup: its restore",
    ({ folder }) => writeFile(join(folder, "newer.backup"), "telemetryd backup 2\n"),
    backupOf("newer.backup"),
    "the backup was written by a newer telemetryd (format 2; this one knows 1): restore it with that version",
  ],
])("%s is refused, and nothing is changed", async (_name, write, work, message) => {
  await using server = await startRedis();
  const place = await placeWith(server);
  await write(place);
  const before = await contents(place);
  await expect(work(place)).rejects.toMatchObject({
    code: "STATE_UNUSABLE",
    message: expect.stringContaining(message),
  });
  expect(await contents(place)).toEqual(before);
});

async function placeWith(server: RunningServer): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-newer-"));
  const redis = new Redis(server.url);
  onTestFinished(async () => {
    redis.disconnect();
    await rm(folder, { recursive: true, force: true });
  });
  const file = join(folder, "telemetryd.yaml");
  const [platformPort, opsPort] = [await freePort(), await freePort()];
  await writeFile(
    file,
    JSON.stringify({
      platform: { listen: `127.0.0.1:${platformPort}` },
      metrics: { url: "http://127.0.0.1:1" },
      policies: { directory: join(folder, "policies") },
      redis: { url: server.url },
      state: { directory: folder },
      ops: { listen: `127.0.0.1:${opsPort}` },
    }),
  );
  await mkdir(join(folder, "policies"));
  await writeFile(join(folder, "format"), `${directoryFormat}\n`);
  await writeFile(join(folder, "state.log"), versionOf(stateVersion));
  return { folder, state: folder, redis, options: { file, overrides: [], environment: {} } };
}

/** All keys with their values, and the files of formats. */
async function contents({ redis, state }: Place): Promise<unknown[]> {
  const keys = (await redis.keys("*")).sort();
  const values = await Promise.all(
    keys.map(async (key) => [key, (await redis.dumpBuffer(key)).toString("hex")]),
  );
  const files = await Promise.all(["format", "state.log"].map((name) => readFile(join(state, name))));
  return [...values, ...files];
}
