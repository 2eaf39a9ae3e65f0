import { beforeEach, describe, expect, test } from "vitest";
import { setUpEach } from "../../../../test/support/set-up.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { seriesEncoderFor } from "../../../exporter/remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../../exporter/remote-write/encoding/write-request.ts";
import {
  type RejectedAccess,
  rejectedFolder,
} from "../../../exporter/remote-write/rejected/rejected-access.ts";
import type { RejectedEntry } from "../../../exporter/remote-write/rejected/rejected-file.ts";
import {
  type RejectedRequest,
  RejectedStore,
} from "../../../exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "../../../exporter/remote-write/send/metrics.ts";
import type { Outcome, Sender } from "../../../exporter/remote-write/send/outcome.ts";
import { SampleBuffer, Series } from "../../../exporter/series/series.ts";
import {
  deleteRejectedEntries,
  type RejectedListOptions,
  replayRejectedEntries,
  showRejected,
  showRejectedList,
} from "./rejected.ts";
import { otherReasons, RejectedGroups } from "./rejected-groups.ts";

const nowMs = Date.parse("2025-11-21T10:00:00Z");
const never = new AbortController().signal;
let directory: string;
let access: RejectedAccess;
let text: string;
const out = { write: (part: string) => (text += part) };

setUpEach(async ({ newFolder }) => {
  directory = await newFolder("rejected-command");
  access = rejectedFolder(directory, () => undefined);
  text = "";
});

async function keep(atMs: number, more: Partial<RejectedRequest> = {}): Promise<string> {
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
    ...more,
  });
  return entry?.id ?? "";
}

const list = { limit: 50 };

test("the list of entries is a table, oldest first, without what disturbs a terminal", async () => {
  const newer = await keep(nowMs - 60_000);
  const older = await keep(nowMs - 3_600_000);
  await showRejectedList(access, { ...list, entries: true }, out, nowMs, never);
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ID +AGE +SINK +STATUS +SERIES +SAMPLES +ENDPOINT +MESSAGE$/);
  expect(lines[1]).toContain(older);
  expect(lines[2]).toMatch(
    new RegExp(`^${newer} +60s +team/policy/sink +400 +1 +3 +https://\\*\\*\\*@r\\.example/write +400 "out`),
  );
  expect(text).not.toContain("\u001b");
  text = "";
  await showRejectedList(access, { entries: true, limit: 1 }, out, nowMs, never);
  expect(text).toContain(newer);
  expect(text).not.toContain(older);
  expect(text).toContain("and 1 more; --limit lists them\n");
});

test("an empty list says so, and JSON is complete", async () => {
  await showRejectedList(access, list, out, nowMs, never);
  expect(text).toBe("Nothing was rejected.\n");
  text = "";
  const id = await keep(nowMs);
  await showRejectedList(access, { ...list, output: "json", entries: true }, out, nowMs, never);
  expect(JSON.parse(text)).toMatchObject([{ id, status: 400, sampleCount: 3 }]);
});

describe("groups", () => {
  const other = "project-1/team/policy/uid-1/sink";
  const message = (ts: number, label: string) =>
    `400 "out of order sample: series {job=${label}}, timestamp ${ts}, at 2025-11-21T10:00:00.1Z"`;
  let last: string;

  beforeEach(async () => {
    await keep(nowMs - 3_600_000, { message: message(nowMs, "a") });
    last = await keep(nowMs - 60_000, { message: message(nowMs + 5, "bc") });
    await keep(nowMs - 600_000, { message: message(1, "too few digits") });
    await keep(nowMs - 1_200_000, { message: message(nowMs, "a"), sink: other });
  });

  test("messages about different series are one reason; the last rejection comes first", async () => {
    await showRejectedList(access, list, out, nowMs, never);
    const lines = text.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^SINK +ENTRIES +SAMPLES +FIRST +LAST +LAST ID +REASON$/);
    expect(lines[1]).toMatch(
      new RegExp(`^team/policy/sink +2 +6 +60m +60s +${last} +400 "out of order sample: series {…}, time`),
    );
    expect(lines[2]).toMatch(/^team\/policy\/sink +1 +3 +10m +10m /);
    expect(lines[3]).toMatch(/^project-1\/team\/policy\/sink +1 +3 +20m +20m /);
    expect(lines).toHaveLength(4);
  });

  test("JSON has the same; the limit and the filters cut it", async () => {
    const read = async (options: Partial<RejectedListOptions>) => {
      text = "";
      await showRejectedList(access, { ...list, output: "json", ...options }, out, nowMs, never);
      return (JSON.parse(text) as { entries: number }[]).map(({ entries }) => entries);
    };
    expect(await read({})).toEqual([2, 1, 1]);
    expect(JSON.parse(text)).toMatchObject([
      { lastId: last, first: "2025-11-21T09:00:00.000Z", last: "2025-11-21T09:59:00.000Z", samples: 6 },
      {},
      {},
    ]);
    expect(await read({ limit: 1 })).toEqual([2]);
    expect(await read({ sink: "team/policy/sink" })).toEqual([2, 1]);
    expect(await read({ sink: "policy/sink" })).toEqual([]);
    expect(await read({ sinceMs: nowMs - 600_000 })).toEqual([1, 1]);
    expect(await read({ reason: "OUT OF" })).toEqual([2, 1, 1]);
    expect(await read({ reason: "few digits" })).toEqual([1]);
  });

  test("a choice by sink deletes that and nothing else", async () => {
    const choice = { sink: "team/policy/sink", reason: "digits" };
    await deleteRejectedEntries(access, choice, out, never);
    expect(text).toMatch(/^\d+-\w+ deleted\n$/);
    await expect(deleteRejectedEntries(access, choice, out, never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await deleteRejectedEntries(access, { sink: "team/policy/sink" }, out, never);
    text = "";
    await showRejectedList(access, { ...list, output: "json" }, out, nowMs, never);
    expect(JSON.parse(text)).toMatchObject([{ sink: "project-1/team/policy/sink" }]);
  });

  test("there are at most a thousand reasons", () => {
    const groups = new RejectedGroups();
    const entry = { id: "1", atMs: 1, sink: "directory/a/b/-/c", sampleCount: 1 } as RejectedEntry;
    for (let n = 0; n < 3_000; n++) groups.add({ ...entry, message: `no ${n}` });
    expect(groups.list()).toHaveLength(1_001);
    expect(groups.list().find(({ reason }) => reason === otherReasons)?.entries).toBe(2_000);
  });
});

test("an entry is shown with its first samples", async () => {
  const id = await keep(nowMs);
  await showRejected(access, id, { limit: 2 }, out, never);
  expect(text).toContain("Samples:   3\n");
  expect(text).toContain('Example:   {__name__="up", job="x\\"');
  expect(text).toContain("Sink:      directory/team/policy/-/sink\n");
  expect(text).toContain(" 0 @ 2025-11-21T09:59:50.000Z\n");
  expect(text).toContain(" 1.5 @ 2025-11-21T09:59:51.000Z\nand 1 more\n");
  expect(text).not.toContain("\u001b");
  text = "";
  await showRejected(access, id, { limit: 5, output: "json" }, out, never);
  expect((JSON.parse(text) as { samples: string[] }).samples).toHaveLength(3);
});

test("deleting names what it deleted, and what it did not find", async () => {
  const id = await keep(nowMs);
  await expect(deleteRejectedEntries(access, ["nothing", id], out, never)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  expect(text).toBe(`${id} deleted\n`);
  await expect(showRejected(access, id, { limit: 1 }, out, never)).rejects.toThrow("rejected list");
});

test("a replay warns, goes oldest first, and keeps what is not delivered", async () => {
  const [newer, older, orphan] = [await keep(nowMs), await keep(nowMs - 1_000), await keep(nowMs + 1_000)];
  const outcomes: Outcome[] = [
    { kind: "delivered", status: 204 },
    { kind: "rejected", status: 400, message: "400", responseLost: false },
  ];
  const send = () => Promise.resolve(outcomes.shift() ?? { kind: "aborted" as const, responseLost: false });
  const sender: Sender = { send, close: () => Promise.resolve() };
  const sending = rejectedFolder(directory, (entry) => (entry.id === orphan ? undefined : sender));
  const replay = replayRejectedEntries(sending, [orphan, newer, older], out, never);
  await expect(replay).rejects.toMatchObject({ code: "DELIVERY_FAILED" });
  expect(text.split("\n").slice(0, -1)).toEqual([
    expect.stringContaining("out of order"),
    `${older} delivered 3 samples`,
    `${newer} not delivered: 400`,
    `${orphan} not sent: no policy declares the sink team/policy/sink`,
  ]);
  text = "";
  await showRejectedList(access, { ...list, output: "json", entries: true }, out, nowMs, never);
  expect((JSON.parse(text) as { id: string }[]).map((entry) => entry.id)).toEqual([newer, orphan]);
});
