import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { seriesEncoderFor } from "../../../exporter/remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../../exporter/remote-write/encoding/write-request.ts";
import { RejectedStore } from "../../../exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "../../../exporter/remote-write/send/metrics.ts";
import type { Outcome, Sender } from "../../../exporter/remote-write/send/outcome.ts";
import { SampleBuffer, Series } from "../../../exporter/series/series.ts";
import { deleteRejectedEntries, replayRejectedEntries, showRejected, showRejectedList } from "./rejected.ts";

const nowMs = Date.parse("2025-11-21T10:00:00Z");
const never = new AbortController().signal;
let directory: string;
let text: string;
const out = { write: (part: string) => (text += part) };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-rejected-command-"));
  text = "";
});
afterEach(() => rm(directory, { recursive: true }));

async function keep(atMs: number): Promise<string> {
  const clock: Clock = { nowMs: () => atMs, monotonicMs: () => atMs, sleep: () => Promise.resolve() };
  const deps = { clock, log: silentLogger, metrics: new RemoteWriteMetrics() };
  const store = new RejectedStore(directory, { maxBytes: 1e6, maxAgeMs: 1e9 }, deps);
  const builder = new WriteRequestBuilder();
  const samples = new SampleBuffer();
  for (let n = 0; n < 3; n++) {
    samples.timestampsMs[n] = nowMs - 10_000 + n * 1_000;
    samples.values[n] = n * 1.5;
  }
  const form = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" }).encode(
    new Series([
      { name: "__name__", value: "up" },
      { name: "job", value: 'x"\u001b' },
    ]),
  );
  if (form.kind === "series") builder.append(form, samples, 0, 3);
  const entry = await store.add({
    sink: "directory/team/policy/-/sink",
    endpoint: "https://u:p@r.example/write",
    status: 400,
    message: `400 "out of order \u001b[31m${"x".repeat(100)}"`,
    request: builder.finish(),
  });
  return entry?.id ?? "";
}

test("the list is a table, oldest first, without what disturbs a terminal", async () => {
  const newer = await keep(nowMs - 60_000);
  const older = await keep(nowMs - 3_600_000);
  await showRejectedList(directory, {}, out, nowMs);
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ID +AGE +SINK +STATUS +SERIES +SAMPLES +ENDPOINT +MESSAGE$/);
  expect(lines[1]).toContain(older);
  expect(lines[2]).toMatch(
    new RegExp(`^${newer} +60s +team/policy/sink +400 +1 +3 +https://\\*\\*\\*@r\\.example/write +400 "out`),
  );
  expect(text).not.toContain("\u001b");
});

test("an empty list says so, and JSON is complete", async () => {
  await showRejectedList(directory, {}, out, nowMs);
  expect(text).toBe("Nothing was rejected.\n");
  text = "";
  const id = await keep(nowMs);
  await showRejectedList(directory, { output: "json" }, out, nowMs);
  expect(JSON.parse(text)).toMatchObject([{ id, status: 400, sampleCount: 3 }]);
});

test("an entry is shown with its first samples", async () => {
  const id = await keep(nowMs);
  await showRejected(directory, id, { limit: 2 }, out);
  expect(text).toContain("Samples:   3\n");
  expect(text).toContain("Sink:      directory/team/policy/-/sink\n");
  expect(text).toContain(" 0 @ 2025-11-21T09:59:50.000Z\n");
  expect(text).toContain(" 1.5 @ 2025-11-21T09:59:51.000Z\nand 1 more\n");
  expect(text).not.toContain("\u001b");
  text = "";
  await showRejected(directory, id, { limit: 5, output: "json" }, out);
  expect((JSON.parse(text) as { samples: string[] }).samples).toHaveLength(3);
});

test("deleting names what it deleted, and what it did not find", async () => {
  const id = await keep(nowMs);
  await expect(deleteRejectedEntries(directory, ["nothing", id], out)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  expect(text).toBe(`${id} deleted\n`);
  await expect(showRejected(directory, id, { limit: 1 }, out)).rejects.toThrow("rejected list");
});

test("a replay warns, goes oldest first, and keeps what is not delivered", async () => {
  const [newer, older, orphan] = [await keep(nowMs), await keep(nowMs - 1_000), await keep(nowMs + 1_000)];
  const outcomes: Outcome[] = [
    { kind: "delivered", status: 204 },
    { kind: "rejected", status: 400, message: "400", responseLost: false },
  ];
  const send = () => Promise.resolve(outcomes.shift() ?? { kind: "aborted" as const, responseLost: false });
  const sender: Sender = { send, close: () => Promise.resolve() };
  const replay = replayRejectedEntries(
    directory,
    [orphan, newer, older],
    (entry) => (entry.id === orphan ? undefined : sender),
    out,
    never,
  );
  await expect(replay).rejects.toMatchObject({ code: "DELIVERY_FAILED" });
  expect(text.split("\n").slice(0, -1)).toEqual([
    expect.stringContaining("out of order"),
    `${older} delivered 3 samples`,
    `${newer} not delivered: 400`,
    `${orphan} not sent: no policy declares the sink team/policy/sink`,
  ]);
  text = "";
  await showRejectedList(directory, { output: "json" }, out, nowMs);
  expect((JSON.parse(text) as { id: string }[]).map((entry) => entry.id)).toEqual([newer, orphan]);
});
