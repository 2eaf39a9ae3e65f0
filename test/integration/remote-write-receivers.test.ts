import { describe, expect, test } from "vitest";
import { RefusalSearch } from "../../src/exporter/remote-write/send/refusal-search.ts";
import { createSender } from "../../src/exporter/remote-write/send/sender.ts";
import {
  encodeRequest,
  never,
  type TestSeries,
  testDeps,
  testTarget,
  testTransport,
} from "../support/receiver/requests.ts";
import {
  describeDiff,
  diffSamples,
  flushVictoriaMetrics,
  makeLabels,
  readPrometheus,
  readVictoriaMetrics,
  SampleSet,
  seriesKey,
  valueAt,
} from "../support/samples.ts";
import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

const transport = testTransport();
const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
let victoria: RunningServer;
let prometheus: RunningServer;
let deafPrometheus: RunningServer;

setUpAll(async ({ keep }) => {
  victoria = await keep(startVictoriaMetrics());
  prometheus = await keep(startPrometheus());
  deafPrometheus = await keep(startPrometheus({ remoteWriteReceiver: false }));
  await keep(transport);
});
function sendTo(server: RunningServer, list: readonly TestSeries[]) {
  const target = testTarget({ endpoint: `${server.url}/api/v1/write` });
  return createSender(target, testDeps({ transport })).send(encodeRequest(list), never);
}

/**
 * 500 series with odd label values, infinities and staleness markers. VictoriaMetrics stores the samples of a
 * block as decimals of one scale and may round a value near zero beside a large one.
 */
function knownSeries(job: string, smallest: number): { list: TestSeries[]; set: SampleSet } {
  const set = new SampleSet();
  const list = makeLabels({ count: 500, labels: 11, job }).map((labels, index) => {
    const odd = [...labels, { name: "odd", value: `ünï "${index}" \\ \n 😀` }];
    const samples = Array.from({ length: 8 }, (_, step) => {
      const timestampMs = nowMs - 80_000 + step * 10_000 + (index % 7);
      const special = [Number.NaN, Infinity, -Infinity, 0, smallest][index % 50];
      return {
        timestampMs,
        value: step === 7 && special !== undefined ? special : valueAt(index, timestampMs),
      };
    });
    for (const { timestampMs, value } of samples) set.add(seriesKey(odd), timestampMs, value);
    return { labels: odd, samples };
  });
  return { list, set };
}

const nothing = "0 missing, 0 extra, 0 different, 0 repeated";

test("VictoriaMetrics holds exactly what was sent", async () => {
  const { list, set } = knownSeries("to-victoria", 1e-6);
  expect(await sendTo(victoria, list)).toEqual({ kind: "delivered", status: 204 });
  await flushVictoriaMetrics(victoria.url, never);
  const span = {
    matchers: [{ name: "job", type: "=" as const, value: "to-victoria" }],
    fromMs: nowMs - 100_000,
    toMs: nowMs,
  };
  const held = await readVictoriaMetrics(victoria.url, span, never);
  expect(describeDiff(diffSamples(set, held))).toContain(nothing);
});

test("Prometheus holds exactly what was sent, markers included", async () => {
  const { list, set } = knownSeries("to-prometheus", 5e-324);
  expect(await sendTo(prometheus, list)).toEqual({ kind: "delivered", status: 204 });
  const span = {
    matchers: [{ name: "job", type: "=" as const, value: "to-prometheus" }],
    fromMs: nowMs - 100_000,
    toMs: nowMs,
  };
  const held = await readPrometheus(prometheus.url, span, never);
  expect(describeDiff(diffSamples(set, held))).toContain(nothing);
});

test("one sample that Prometheus refuses does not cost the others of its request", async () => {
  const many = (timestampMs: number, count: number): TestSeries[] =>
    Array.from({ length: count }, (_, index) => ({
      labels: [
        { name: "__name__", value: "isolated" },
        { name: "n", value: String(index) },
      ],
      samples: [{ timestampMs, value: index }],
    }));
  const newer = many(nowMs, 74).slice(73);
  expect(await sendTo(prometheus, newer)).toMatchObject({ kind: "delivered" });
  const request = encodeRequest(many(nowMs - 5_000, 100));
  const target = testTarget({ endpoint: `${prometheus.url}/api/v1/write` });
  const sender = createSender(target, testDeps({ transport }));
  const rejected = await sender.send(request, never);
  if (rejected.kind !== "rejected") throw new Error(rejected.kind);
  const search = new RefusalSearch(request, rejected, {
    send: (part) => sender.send(part, never),
    pace: () => Promise.resolve(true),
    paceAccepted: () => undefined,
    ...{ isProven: false, mayPass: false, isFailing: false, turn: 0 },
  });
  let accepted = 0;
  const refused: unknown[] = [];
  for await (const step of search.run()) {
    if (step.kind === "accepted") accepted += step.part.request.sampleCount;
    else if (step.kind === "rejected") refused.push([step.part.series[0]?.index, step.refusal.status]);
  }
  expect(accepted).toBe(99);
  expect(refused).toEqual([[73, 400]]);
  const span = {
    matchers: [{ name: "__name__", type: "=" as const, value: "isolated" }],
    fromMs: nowMs - 5_000,
    toMs: nowMs - 5_000,
  };
  expect((await readPrometheus(prometheus.url, span, never)).size).toBe(99);
});

describe("what Prometheus does not take", () => {
  const one = (timestampMs: number): TestSeries[] => [
    { labels: [{ name: "__name__", value: "order" }], samples: [{ timestampMs, value: 1 }] },
  ];

  test("an older sample is refused, with its words in the message", async () => {
    expect(await sendTo(prometheus, one(nowMs))).toMatchObject({ kind: "delivered" });
    const outcome = await sendTo(prometheus, one(nowMs - 5_000));
    expect(outcome).toMatchObject({ kind: "rejected", status: 400, responseLost: false });
    expect(outcome.kind === "rejected" && outcome.message).toContain("out of order");
  });

  test("without its receiver flag it suspends the sink and names the flag", async () => {
    const outcome = await sendTo(deafPrometheus, one(nowMs));
    expect(outcome).toMatchObject({ kind: "suspended", status: 404 });
    expect(outcome.kind === "suspended" && outcome.message).toContain("--web.enable-remote-write-receiver");
  });
});
