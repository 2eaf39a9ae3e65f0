import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { seriesEncoderFor } from "../encoding/labels.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { readBody } from "../encoding/request-body.ts";
import type { RequestPart } from "../encoding/split-request.ts";
import { WriteRequestBuilder } from "../encoding/write-request.ts";
import { type Isolation, isolate, maxExtraRequests } from "./isolate.ts";
import type { Outcome } from "./outcome.ts";

const never = new AbortController().signal;
const baseMs = 1_760_000_000_000;
const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });
const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: (_, signal) => (signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve()),
};

function requestOf(
  seriesCount: number,
  samplesEach: number,
  exemplars?: readonly Exemplar[],
): EncodedRequest {
  const builder = new WriteRequestBuilder();
  const samples = new SampleBuffer();
  samples.reserve(samplesEach);
  for (let n = 0; n < samplesEach; n++) samples.timestampsMs[n] = baseMs + n;
  for (let index = 0; index < seriesCount; index++) {
    const labels = [
      { name: "__name__", value: "up" },
      { name: "n", value: String(index).padStart(4, "0") },
    ];
    const form = encoder.encode(new Series(labels));
    if (form.kind === "series") builder.append(form, samples, 0, samplesEach, exemplars);
  }
  return builder.finish();
}

/** `series/sample` of everything in a request. */
function contentOf(request: EncodedRequest): string[] {
  return readBody(request).flatMap(({ labels, samples }) => {
    const series = Number(labels.find((label) => label.name === "n")?.value);
    return samples.map((sample) => `${series}/${sample.timestampMs - baseMs}`);
  });
}

const rejection: Outcome & { kind: "rejected" } = {
  kind: "rejected",
  status: 400,
  message: "400",
  responseLost: false,
};
const delivered: Outcome = { kind: "delivered", status: 204 };

async function resultOf(
  search: ReturnType<typeof isolate>,
  onPart: (part: RequestPart) => void = () => undefined,
): Promise<Isolation> {
  for (;;) {
    const { done, value } = await search.next();
    if (done) return value;
    onPart(value);
  }
}

/**
 * A receiver that accepts all of a request or nothing. It rejects requests with a bad sample, or too large
 * ones.
 */
async function run(
  request: EncodedRequest,
  isBad: (sample: string) => boolean,
  options: {
    maxSamples?: number;
    interruptAt?: number;
    outcome?: Outcome;
    refusesExemplars?: boolean;
  } = {},
) {
  const arrived: string[] = [];
  let requests = 0;
  const response = (sent: EncodedRequest): Outcome => {
    if (sent.sampleCount > (options.maxSamples ?? Infinity)) return { ...rejection, status: 413 };
    if (options.refusesExemplars === true && sent.hasExemplars === true) return rejection;
    return contentOf(sent).some(isBad) ? rejection : delivered;
  };
  const first = response(request);
  if (first.kind !== "rejected") throw new Error("nothing to isolate");
  const acknowledged: string[] = [];
  const search = isolate(
    request,
    first,
    {
      clock,
      send: (sent) => {
        requests++;
        if (requests === options.interruptAt) return Promise.resolve(options.outcome ?? delivered);
        const outcome = response(sent);
        if (outcome.kind === "delivered") arrived.push(...contentOf(sent));
        return Promise.resolve(outcome);
      },
    },
    never,
  );
  const isolation = await resultOf(search, (part) => acknowledged.push(...contentOf(part.request)));
  expect(acknowledged).toEqual(arrived);
  expect(isolation.delivered.flatMap((part) => contentOf(part.request))).toEqual(arrived);
  for (const part of [...isolation.delivered, ...isolation.culprits.map((one) => one.part)]) {
    expect(contentOf(part.request)[0]).toMatch(new RegExp(`^${part.firstSeries}/`));
  }
  const rejected = isolation.culprits.flatMap(({ part }) => contentOf(part.request));
  const { interrupted } = isolation;
  const undecided = interrupted === undefined ? [] : [interrupted.part, ...interrupted.unsent];
  return {
    arrived,
    rejected,
    undecided: undecided.flatMap((part) => contentOf(part.request)),
    requests,
    isolation,
  };
}

test("one bad series among 500 costs its neighbours nothing, wherever it is", async () => {
  for (const bad of [0, 1, 250, 333, 499]) {
    const { arrived, rejected, requests } = await run(requestOf(500, 1), (sample) => sample === `${bad}/0`);
    expect(requests).toBeLessThanOrEqual(maxExtraRequests);
    expect(rejected).toContain(`${bad}/0`);
    expect(rejected.length).toBeLessThanOrEqual(2);
    expect(arrived.length + rejected.length).toBe(500);
  }
});

test("a part that a receiver of 2.0 has written in part is not sent again", async () => {
  let requests = 0;
  const sent: number[] = [];
  const search = isolate(
    requestOf(8, 1),
    { ...rejection, status: 413 },
    {
      clock,
      send: (part) => {
        sent.push(part.sampleCount);
        return Promise.resolve(++requests === 1 ? { ...rejection, written: 3 } : delivered);
      },
    },
    never,
  );
  const isolation = await resultOf(search);
  expect(sent).toEqual([4, 4]);
  expect(isolation.culprits).toMatchObject([{ part: { firstSeries: 0 }, rejection: { written: 3 } }]);
  expect(isolation.delivered).toMatchObject([{ firstSeries: 4 }]);
});

test("one bad sample in a long series, and what is good of it goes in time order", async () => {
  for (const bad of [0, 17, 63]) {
    const { arrived, rejected } = await run(requestOf(1, 64), (sample) => sample === `0/${bad}`);
    expect(rejected).toEqual([`0/${bad}`]);
    const times = arrived.map((sample) => Number(sample.split("/")[1]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(arrived).toHaveLength(63);
  }
});

test("where everything is bad, a few requests are enough to see it", async () => {
  const { arrived, rejected, requests } = await run(requestOf(500, 1), () => true);
  expect([arrived.length, rejected.length]).toEqual([0, 500]);
  expect(requests).toBeLessThanOrEqual(6);
});

test("a single sample needs no request", async () => {
  const { rejected, requests } = await run(requestOf(1, 1), () => true);
  expect([rejected, requests]).toEqual([["0/0"], 0]);
});

test("what is too large arrives in pieces, none of them sent in a size that was rejected before", async () => {
  const { arrived, rejected, requests } = await run(requestOf(400, 1), () => false, { maxSamples: 60 });
  expect([arrived.length, rejected.length]).toEqual([400, 0]);
  // 200 and 100 are rejected once each, then eight pieces of 50 arrive.
  expect(requests).toBe(10);
});

describe("an end before it is done", () => {
  test.each<[string, Outcome]>([
    ["no response", { kind: "exhausted", reason: "connect", message: "down", responseLost: false }],
    ["suspended", { kind: "suspended", status: 401, message: "401", responseLost: false }],
    ["aborted", { kind: "aborted", responseLost: true }],
  ])("%s: what is undecided is told, and not rejected", async (_, outcome) => {
    const request = requestOf(100, 1);
    const result = await run(request, (sample) => sample === "70/0", { interruptAt: 3, outcome });
    expect(result.isolation.interrupted?.outcome).toEqual(outcome);
    expect(result.requests).toBe(3);
    expect([...result.arrived, ...result.undecided].sort()).toEqual(contentOf(request).sort());
    expect(result.rejected).toEqual([]);
  });

  test("an abort in a pause", async () => {
    const send = () => Promise.reject(new Error("must not be sent"));
    const isolation = await resultOf(
      isolate(requestOf(2, 1), rejection, { clock, send }, AbortSignal.abort()),
    );
    expect(isolation.interrupted?.outcome).toEqual({ kind: "aborted", responseLost: false });
    expect(isolation.interrupted?.part.request.sampleCount).toBe(1);
    expect(isolation.interrupted?.unsent).toHaveLength(1);
  });
});

test("whatever is bad: nothing is lost or sent twice, no bad sample is delivered, the limit holds", async () => {
  const shape = fc.record({
    seriesCount: fc.integer({ min: 1, max: 40 }),
    samplesEach: fc.integer({ min: 1, max: 6 }),
    badSeed: fc.array(fc.nat(300), { minLength: 1, maxLength: 5 }),
    maxSamples: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ seriesCount, samplesEach, badSeed, maxSamples }) => {
      const request = requestOf(seriesCount, samplesEach);
      const all = contentOf(request);
      const bad = new Set(badSeed.map((seed) => all[seed % all.length]!));
      const options = maxSamples === undefined ? {} : { maxSamples };
      const { arrived, rejected, requests } = await run(request, (sample) => bad.has(sample), options);
      expect([...arrived, ...rejected].sort()).toEqual([...all].sort());
      expect(arrived.filter((sample) => bad.has(sample))).toEqual([]);
      expect(requests).toBeLessThanOrEqual(maxExtraRequests);
    }),
  );
});

const exemplar = { labels: [{ name: "trace_id", value: "a" }], value: 1, timestampMs: baseMs };

test.each([
  { name: "a single sample", series: 1, samples: 1 },
  { name: "a series", series: 1, samples: 5 },
  { name: "several series", series: 9, samples: 2 },
])("exemplars that are refused cost no sample: $name", async ({ series, samples }) => {
  const request = requestOf(series, samples, [exemplar]);
  const result = await run(request, () => false, { refusesExemplars: true });
  expect(result).toMatchObject({ arrived: contentOf(request), rejected: [], undecided: [] });
  expect(result.requests).toBe(1);
});

test("a bad sample is isolated without the exemplars", async () => {
  const request = requestOf(8, 1, [exemplar]);
  const result = await run(request, (sample) => sample === "5/0", { refusesExemplars: true });
  expect(result).toMatchObject({ rejected: ["5/0"], undecided: [] });
  expect(result.arrived).toHaveLength(7);
});
