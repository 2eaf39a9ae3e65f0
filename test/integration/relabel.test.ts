import { afterEach, beforeEach, expect, test } from "vitest";
import { ruleOf, type WrittenRule } from "../../src/exporter/relabel/check-rule.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { flushVictoriaMetrics, readVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { startSink, type TestSink, type TestSinkOptions, testStartMs } from "../support/sink/sink.ts";

/** Relabelling of a sink, with the exporter as the daemon runs it. */

const forever = new AbortController().signal;
const minuteMs = 60_000;
const rename = (prefix: string): WrittenRule => ({
  sourceLabels: ["__name__"],
  targetLabel: "__name__",
  replacement: `${prefix}_$1`,
});
const dropB: WrittenRule = { sourceLabels: ["__name__"], regex: "b", action: "drop" };
const rules = (...list: readonly WrittenRule[]) => list.map(ruleOf);

let receiver: Receiver;
const open: AsyncDisposable[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** A sink that is up to date, with samples of a and b. */
async function begun(options: Partial<TestSinkOptions>): Promise<TestSink> {
  const plan = { sources: [{ name: "source", metricsql: "a|b" }], ...options.plan };
  const sink = await startSink({ endpoint: receiver.url, ...options, plan });
  open.push(sink);
  return sink;
}

/** Samples of a and b, one each second of the last fifteen. */
async function cycle(sink: TestSink): Promise<void> {
  sink.clock.advance(15_000);
  sink.store.write(["a", "b"], 15, sink.clock.wallMs);
  expect(await sink.cycle()).toBe("up-to-date");
}

test("rules reach a VictoriaMetrics, and an edit of them loses and repeats no sample", async () => {
  const target: RunningServer = await startVictoriaMetrics();
  open.push(target);
  const endpoint = `${target.url}/api/v1/write`;
  const sink = await begun({ endpoint, plan: { endpoint, relabel: rules(dropB, rename("old")) } });
  for (let count = 0; count < 4; count++) await cycle(sink);
  sink.exporter.change(sink.plan({ endpoint, relabel: rules(dropB, rename("new")) }));
  for (let count = 0; count < 4; count++) await cycle(sink);
  const { stats } = sink.exporter.snapshot();
  expect(sink.condition()).toMatchObject({ status: "True", reason: "UpToDate" });
  await flushVictoriaMetrics(target.url, forever);
  const matchers = [{ name: "__name__", type: "=~", value: ".+" }] as const;
  const span = { fromMs: testStartMs - minuteMs, toMs: testStartMs + 10 * minuteMs, matchers };
  const { series } = await readVictoriaMetrics(target.url, span, forever);
  expect([...series.keys()].sort()).toEqual(['{__name__="new_a"}', '{__name__="old_a"}']);
  const arrived = [...series.values()].flatMap(({ timestampsMs }) => timestampsMs);
  const read = sink.store.samples.filter(({ name }) => name === "a").slice(0, stats.delivered);
  expect(arrived.sort()).toEqual(read.map(({ ms }) => ms).sort());
  expect(stats.delivered).toBeGreaterThan(90);
  expect({ dropped: stats.droppedByRules, rejected: stats.rejected }).toEqual({
    dropped: stats.delivered,
    rejected: 0,
  });
});

test("a sink whose rules drop everything is neither Idle nor Rejecting", async () => {
  const relabel = rules({ action: "drop", sourceLabels: ["__name__"] });
  const sink = await begun({ plan: { relabel } });
  for (let count = 0; count < 60; count++) await cycle(sink);
  expect(sink.condition()).toMatchObject({ status: "True", reason: "UpToDate" });
  expect(receiver.requests).toEqual([]);
  expect(sink.exporter.snapshot().stats.droppedByRules).toBeGreaterThan(1_000);
});

test("late samples have the names of the rules; what was sent under others is not sent again", async () => {
  const sink = await begun({ latenessMs: 3_600_000, plan: { relabel: rules(dropB, rename("old")) } });
  for (let count = 0; count < 8; count++) await cycle(sink);
  const delivered = receiver.samples().size;
  sink.exporter.change(sink.plan({ relabel: rules(dropB, rename("new")) }));
  const lateMs = sink.clock.wallMs - 60_500;
  for (const name of ["a", "b"]) sink.store.samples.push({ name, ms: lateMs, value: 4_711 });
  for (let count = 0; count < 40; count++) expect(await sink.cycle(15_000)).toBe("up-to-date");
  const { series, size } = receiver.samples();
  expect(series.get('{__name__="new_a"}')?.timestampsMs).toContain(lateMs);
  const { stats } = sink.exporter.snapshot();
  // The last cycle's samples were not read before the edit.
  expect({ late: stats.late, olderTwice: size - delivered - 1 <= 15 }).toEqual({ late: 1, olderTwice: true });
  const times = [...series.values()].flatMap(({ timestampsMs }) => timestampsMs);
  expect(new Set(times).size).toBe(times.length);
});

test("metadata has the names that are sent", async () => {
  const family = (name: string) => ({ family: name, type: "counter", help: name, unit: "" }) as const;
  const metadata = {
    version: () => 1,
    lookup: (name: string) => (name === "a_total" ? family("a") : name === "b" ? family("b") : undefined),
  };
  const sink = await begun({
    metadata,
    plan: { sources: [{ name: "source", metricsql: "a_total|b" }], relabel: rules(rename("app")) },
  });
  sink.store.write(["a_total", "b"], 15, sink.clock.wallMs);
  for (let count = 0; count < 3; count++) {
    sink.store.write(["a_total", "b"], 15, sink.clock.wallMs);
    await sink.cycle(15_000);
  }
  const sent = receiver.requests.flatMap((request) => request.metadata);
  expect(new Set(sent.map((one) => one.metricFamilyName))).toEqual(new Set(["app_a", "app_b"]));
  expect(sent.find((one) => one.metricFamilyName === "app_a")?.help).toBe("a");
});
