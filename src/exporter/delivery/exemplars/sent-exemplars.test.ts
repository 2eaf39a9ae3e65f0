import fc from "fast-check";
import { expect, test } from "vitest";
import { ruleOf } from "../../relabel/check-rule.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import { type EncodedSeries, Series } from "../../series/series.ts";
import { exemplarLookBackMs, maxOfSeries, maxRemembered, SentExemplars } from "./sent-exemplars.ts";

const encoder = seriesEncoderFor({
  externalLabels: { region: "eu" },
  dropLabels: ["pod"],
  protocol: "1.0",
});

function seriesOf(name: string, pod = ""): Series {
  const labels = [{ name: "__name__", value: name }];
  return new Series(pod === "" ? labels : [...labels, { name: "pod", value: pod }]);
}

function encodedOf(name: string): EncodedSeries {
  const form = encoder.encode(seriesOf(name));
  if (form.kind !== "series") throw new Error(form.message);
  return form;
}

function exemplarAt(timestampMs: number, trace = "a"): Exemplar {
  return { labels: [{ name: "trace_id", value: trace }], value: 1, timestampMs };
}

const window = { fromMs: 1_000_000, toMs: 1_015_000 };
const next = { fromMs: 1_015_000, toMs: 1_030_000 };

test("exemplars are taken with the samples of their series, once", () => {
  const sent = new SentExemplars();
  const first = sent.begin(window, encoder);
  first.offer(seriesOf("up"), [exemplarAt(1), exemplarAt(2)]);
  first.offer(seriesOf("down"), [exemplarAt(1)]);
  expect(first.take(encodedOf("other"))).toBeUndefined();
  expect(first.take(encodedOf("up"))).toEqual([exemplarAt(1), exemplarAt(2)]);
  expect(first.take(encodedOf("up"))).toBeUndefined();
  const second = sent.begin(next, encoder);
  second.offer(seriesOf("up"), [exemplarAt(1), exemplarAt(2), exemplarAt(3)]);
  second.offer(seriesOf("down"), [exemplarAt(1)]);
  expect(second.take(encodedOf("up"))).toEqual([exemplarAt(3)]);
  expect(second.take(encodedOf("down"))).toEqual([exemplarAt(1)]);
  expect([first.taken, second.taken]).toEqual([2, 2]);
});

test("a series is known by the labels that are sent", () => {
  const run = new SentExemplars().begin(window, encoder);
  run.offer(seriesOf("up", "pod-1"), [exemplarAt(1)]);
  expect(run.take(encodedOf("up"))).toEqual([exemplarAt(1)]);
});

test("exemplars go with their series under relabelling, and with none that a rule drops", () => {
  const rules = [
    ruleOf({ sourceLabels: ["__name__"], regex: "down", action: "drop" }),
    ruleOf({ sourceLabels: ["__name__"], targetLabel: "__name__", replacement: "app_$1" }),
  ];
  const shape = { externalLabels: {}, dropLabels: [], protocol: "1.0", relabel: rules } as const;
  const relabelling = seriesEncoderFor(shape);
  const run = new SentExemplars().begin(window, relabelling);
  run.offer(seriesOf("up"), [exemplarAt(1)]);
  run.offer(seriesOf("down"), [exemplarAt(2)]);
  expect(run.take(relabelling.encode(seriesOf("up")) as EncodedSeries)).toEqual([exemplarAt(1)]);
  expect(run.take(encodedOf("down"))).toBeUndefined();
});

test.each<[string, Partial<Exemplar>]>([
  ["time", { timestampMs: 2 }],
  ["value", { value: 2 }],
  ["value that is no number", { value: Number.NaN }],
  ["label", { labels: [{ name: "trace_id", value: "b" }] }],
])("an exemplar of another %s is another one", (_, change) => {
  const sent = new SentExemplars();
  const run = sent.begin(window, encoder);
  run.offer(seriesOf("up"), [exemplarAt(1), { ...exemplarAt(1), ...change }, exemplarAt(1)]);
  expect(run.take(encodedOf("up"))).toHaveLength(2);
});

test("the exemplars of a window that was not delivered are offered again", () => {
  const sent = new SentExemplars();
  const failed = sent.begin(window, encoder);
  failed.offer(seriesOf("up"), [exemplarAt(1)]);
  failed.take(encodedOf("up"));
  failed.discard();
  const again = sent.begin(window, encoder);
  again.offer(seriesOf("up"), [exemplarAt(1)]);
  expect(again.take(encodedOf("up"))).toEqual([exemplarAt(1)]);
});

test("a window read ahead leaves out what the open one has taken", () => {
  const sent = new SentExemplars();
  const open = sent.begin(window, encoder);
  open.offer(seriesOf("up"), [exemplarAt(1)]);
  open.take(encodedOf("up"));
  const ahead = sent.begin(next, encoder);
  ahead.offer(seriesOf("up"), [exemplarAt(1)]);
  expect(ahead.take(encodedOf("up"))).toBeUndefined();
});

test("offers end with their source", () => {
  const run = new SentExemplars().begin(window, encoder);
  run.offer(seriesOf("up"), [exemplarAt(1)]);
  run.clear();
  expect(run.take(encodedOf("up"))).toBeUndefined();
});

test("a series sends a bounded number in one request, and the rest later", () => {
  const run = new SentExemplars().begin(window, encoder);
  const all = Array.from({ length: maxOfSeries + 5 }, (_, ms) => exemplarAt(ms));
  run.offer(seriesOf("up"), all);
  expect(run.take(encodedOf("up"))).toEqual(all.slice(0, maxOfSeries));
  expect(run.take(encodedOf("up"))).toEqual(all.slice(maxOfSeries));
});

test("memory is bounded in number and in time", () => {
  const sent = new SentExemplars();
  const lengthMs = 15_000;
  for (let index = 0; index < 30; index++) {
    const fromMs = window.fromMs + index * lengthMs;
    const run = sent.begin({ fromMs, toMs: fromMs + lengthMs }, encoder);
    for (let series = 0; series < 50; series++) {
      run.offer(
        seriesOf(`m${series}`),
        Array.from({ length: maxOfSeries }, (_, n) => exemplarAt(fromMs + n)),
      );
      run.take(encodedOf(`m${series}`));
    }
    expect(sent.size).toBeLessThanOrEqual(maxRemembered);
  }
  sent.begin({ fromMs: window.toMs + 30 * lengthMs + exemplarLookBackMs, toMs: 1e12 }, encoder);
  expect(sent.size).toBe(0);
});

/** A store that shows each exemplar from some time on, up to the look-back after its own time. */
test("each exemplar that comes within the look-back is sent exactly once, in windows of any length", () => {
  const arrival = fc.record({
    ms: fc.integer({ min: 1, max: 400_000 }),
    lateMs: fc.integer({ min: 0, max: exemplarLookBackMs - 1 }),
  });
  const lengths = fc.array(fc.integer({ min: 1_000, max: 60_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 30 }), lengths, (arrivals, lengthsMs) => {
      const sent = new SentExemplars();
      const found: string[] = [];
      let fromMs = 0;
      for (let turn = 0; fromMs < 400_000 + 2 * exemplarLookBackMs; turn++) {
        const toMs = fromMs + (lengthsMs[turn % lengthsMs.length] ?? 1_000);
        const run = sent.begin({ fromMs, toMs }, encoder);
        const shown = [...arrivals.entries()].filter(
          ([, { ms, lateMs }]) => ms > fromMs - exemplarLookBackMs && ms <= toMs && ms + lateMs <= toMs,
        );
        run.offer(
          seriesOf("up"),
          shown.map(([index, { ms }]) => exemplarAt(ms, String(index))),
        );
        for (const { labels } of run.take(encodedOf("up")) ?? []) found.push(labels[0]?.value ?? "");
        fromMs = toMs;
      }
      expect(found.sort()).toEqual([...arrivals.keys()].map(String).sort());
    }),
  );
});
