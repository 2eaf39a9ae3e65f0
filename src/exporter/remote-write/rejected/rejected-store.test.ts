import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compressSync } from "snappy";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallRequest } from "../../../../test/support/receiver/requests.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { hasZstd, toZstd } from "../encoding/compression.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { readBody } from "../encoding/request-body.ts";
import { RemoteWriteMetrics } from "../send/metrics.ts";
import type { Outcome } from "../send/outcome.ts";
import { rejectedFolder } from "./rejected-access.ts";
import {
  deleteRejected,
  listRejected,
  type RejectedLimits,
  RejectedStore,
  readRejected,
} from "./rejected-store.ts";

const startMs = 1_760_000_000_000;
const never = new AbortController().signal;
let folder: string;
let nowMs: number;
let metrics: RemoteWriteMetrics;
const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => Promise.resolve() };

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "telemetryd-rejected-")), "rejected");
  nowMs = startMs;
  metrics = new RemoteWriteMetrics();
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

function storeOf(limits: Partial<RejectedLimits> = {}): RejectedStore {
  const deps = { clock, log: silentLogger, metrics };
  return new RejectedStore(folder, { maxBytes: 1e6, maxAgeMs: 1e6, ...limits }, deps);
}

function requestOf(bytes = 100): EncodedRequest {
  return {
    payload: Buffer.alloc(bytes, "\n"),
    protocol: "1.0",
    sampleCount: 7,
    seriesCount: 3,
    uncompressedBytes: 500,
    minMs: 1,
    maxMs: 2,
  };
}

const rejected = {
  sink: "directory/ns/policy/-/sink",
  endpoint: "http://user:pass@r.example/write?token=abc",
  status: 400,
  message: '400 "out of order"',
};

test("what is kept is listed, read and deleted; the endpoint has no credentials", async () => {
  const added = await storeOf().add({ ...rejected, request: requestOf() });
  const { payload: _, ...counts } = requestOf();
  const entry = {
    id: added?.id,
    atMs: startMs,
    sink: rejected.sink,
    endpoint: "http://***@r.example/write?token=***",
    status: 400,
    message: rejected.message,
    ...counts,
  };
  expect(await listRejected(folder)).toEqual([entry]);
  const id = added?.id ?? "";
  expect(await readRejected(folder, id)).toEqual({ entry, request: requestOf() });
  expect(await deleteRejected(folder, id)).toBe(true);
  expect(await deleteRejected(folder, id)).toBe(false);
  expect(await readRejected(folder, id)).toBeUndefined();
  expect(await listRejected(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test("the oldest goes first when it gets too large, and is counted", async () => {
  const store = storeOf({ maxBytes: 5_000 });
  const ids: (string | undefined)[] = [];
  for (let n = 0; n < 8; n++) {
    nowMs++;
    ids.push((await store.add({ ...rejected, request: requestOf(1_000) }))?.id);
  }
  const kept = (await listRejected(folder)).map((entry) => entry.id);
  expect(kept).toEqual(ids.slice(-3));
  const text = await metrics.registry.metrics();
  expect(text).toContain('telemetryd_rejected_store_evicted_total{limit="size"} 5');
  expect(text).toMatch(/telemetryd_rejected_store_bytes [1-4]\d{3}\n/);
});

test("what is too old goes, also without anything new", async () => {
  const store = storeOf({ maxAgeMs: 1_000 });
  await store.add({ ...rejected, request: requestOf() });
  nowMs += 1_000;
  await store.add({ ...rejected, request: requestOf() });
  expect(await listRejected(folder)).toHaveLength(2);
  nowMs++;
  await store.sweep();
  expect(await listRejected(folder)).toHaveLength(1);
  expect(await metrics.registry.metrics()).toContain('evicted_total{limit="age"} 1');
});

test("many at once do not trip over each other", async () => {
  const store = storeOf({ maxBytes: 10_000 });
  await Promise.all(Array.from({ length: 30 }, () => store.add({ ...rejected, request: requestOf(1_000) })));
  const kept = await listRejected(folder);
  expect(kept.length).toBeGreaterThanOrEqual(6);
  expect((await readdir(folder)).length).toBe(kept.length);
});

test("a size of 0 keeps nothing", async () => {
  expect(await storeOf({ maxBytes: 0 }).add({ ...rejected, request: requestOf() })).toBeUndefined();
  expect(await listRejected(folder)).toEqual([]);
});

test("a folder that cannot be written to is no fault, and leaves no torn file", async () => {
  await writeFile(folder, "a file where the folder should be");
  expect(await storeOf().add({ ...rejected, request: requestOf() })).toBeUndefined();
  await chmod(folder, 0o600);
});

test("what is no entry is passed over, and an id never leads out of the folder", async () => {
  const store = storeOf();
  await store.add({ ...rejected, request: requestOf() });
  await writeFile(join(folder, "notes.txt"), "mine");
  await writeFile(join(folder, "00000000000001-00000000.rejected"), "{ torn");
  await writeFile(join(folder, "00000000000002-00000000.rejected"), "{ torn\n");
  await writeFile(join(folder, "..", "secret.rejected"), "{}\n");
  expect(await listRejected(folder)).toHaveLength(1);
  expect(await readRejected(folder, "../secret")).toBeUndefined();
  expect(await deleteRejected(folder, "../secret")).toBe(false);
  expect(await readFile(join(folder, "..", "secret.rejected"), "utf8")).toBe("{}\n");
});

test("at the start what is incomplete is removed, also of earlier versions, and nothing else", async () => {
  const earlier = { ...requestOf(), payload: compressSync(Buffer.alloc(5_000, "x")) };
  const head = JSON.stringify({ ...rejected, ...earlier, payload: undefined });
  const whole = Buffer.concat([Buffer.from(`${head}\n`), earlier.payload]);
  const kept = await storeOf().add({ ...rejected, request: requestOf() });
  const place = (number: number, content: Buffer | string, end = "") =>
    writeFile(join(folder, `0${startMs}-0000000${number}.rejected${end}`), content);
  await place(1, whole);
  await place(2, whole.subarray(0, -20));
  await place(3, (await readFile(join(folder, `${kept?.id}.rejected`))).subarray(0, -1));
  await place(4, "{ torn");
  await place(5, "left behind", ".new");
  await writeFile(join(folder, "notes.txt"), "mine");
  nowMs += 3_600_001;
  await storeOf({ maxAgeMs: 1e8 }).sweep();
  const expected = [`${kept?.id}.rejected`, `0${startMs}-00000001.rejected`, "notes.txt"];
  expect((await readdir(folder)).sort()).toEqual(expected.sort());
  expect(await readRejected(folder, `0${startMs}-00000001`)).toMatchObject({ request: earlier });
});

test.each<[Outcome, number]>([
  [{ kind: "delivered", status: 204 }, 0],
  [{ kind: "rejected", status: 400, message: "400", responseLost: false }, 1],
])("a replay that ends as %j leaves %d entries", async (outcome, left) => {
  const added = await storeOf().add({ ...rejected, request: requestOf() });
  const send = (request: EncodedRequest) => {
    expect(request).toEqual(requestOf());
    return Promise.resolve(outcome);
  };
  const sender = { send, close: () => Promise.resolve() };
  const access = rejectedFolder(folder, () => sender);
  expect(await access.replay(added?.id ?? "", never)).toEqual({ entry: added, outcome });
  expect(await listRejected(folder)).toHaveLength(left);
  expect(await access.replay("nothing", never)).toBeUndefined();
  const orphan = (await storeOf().add({ ...rejected, request: requestOf() }))?.id ?? "";
  const replay = await rejectedFolder(folder, () => undefined).replay(orphan, never);
  expect(replay?.outcome).toEqual({ kind: "undeclared" });
});

test.skipIf(!hasZstd)(
  "a request that was compressed with zstd is kept as any Node.js can read it",
  async () => {
    const added = await storeOf().add({ ...rejected, request: await toZstd(smallRequest(50)) });
    const kept = await readRejected(folder, added?.id ?? "");
    expect(kept?.request.compression).toBeUndefined();
    expect(readBody(kept?.request ?? smallRequest())).toEqual(readBody(smallRequest(50)));
  },
);
