import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestOf as builtRequest, type SeriesPart } from "../../../../test/support/receiver/encoded.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { readBody } from "../encoding/request-body.ts";
import type { Outcome } from "./outcome.ts";
import { RefusalSearch } from "./refusal-search.ts";
import type { SearchDeps, SearchEnd } from "./search-step.ts";

const baseMs = 1_760_000_000_000;

function requestOf(
  seriesCount: number,
  samplesEach: number,
  exemplars?: readonly Exemplar[],
  countOf: (series: number) => number = () => samplesEach,
): EncodedRequest {
  const times = Array.from({ length: samplesEach }, (_, n) => baseMs + n);
  const parts = Array.from({ length: seriesCount }, (_, index): SeriesPart => {
    const series = seriesOf({ __name__: "up", n: String(index).padStart(4, "0") });
    return [series, samplesAt(...times.slice(0, countOf(index))), exemplars];
  });
  return builtRequest(parts);
}

/** `series/sample` of everything in a request. */
function contentOf(request: EncodedRequest): string[] {
  return readBody(request).flatMap(({ labels, samples }) => {
    const series = Number(labels.find((label) => label.name === "n")?.value);
    return samples.map((sample) => `${series}/${sample.timestampMs - baseMs}`);
  });
}

const refusal: Outcome & { kind: "rejected" } = {
  ...{ kind: "rejected", status: 400, message: "400", responseLost: false },
};
const delivered: Outcome = { kind: "delivered", status: 204 };

interface Run {
  readonly accepted: string[];
  readonly rejected: string[];
  readonly passed: string[];
  readonly limited: string[];
  /** What was sent, in order. */
  readonly sent: string[][];
  readonly end: SearchEnd;
}

/** @param respond to a request with these samples; the number of requests before it */
async function searched(
  request: EncodedRequest,
  respond: (samples: string[], number: number, sent: EncodedRequest) => Outcome,
  deps: Partial<SearchDeps> = {},
): Promise<Run> {
  const run = {
    accepted: [] as string[],
    rejected: [] as string[],
    passed: [] as string[],
    limited: [] as string[],
    sent: [] as string[][],
  };
  const search = new RefusalSearch(request, refusal, {
    send: async (part) => {
      const samples = contentOf(part);
      run.sent.push(samples);
      return respond(samples, run.sent.length - 1, part);
    },
    pace: () => Promise.resolve(true),
    paceAccepted: () => undefined,
    ...{ isProven: false, mayPass: false, isFailing: false, turn: 0 },
    ...deps,
  });
  const steps = search.run();
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return { ...run, end: value };
    const samples = contentOf(value.part.request);
    if (value.kind === "limited") run.limited.push(...samples);
    else if (value.kind === "accepted") run.accepted.push(...samples);
    else if (value.kind === "rejected") (value.isPassed ? run.passed : run.rejected).push(...samples);
  }
}

const refuses =
  (isBad: (sample: string) => boolean) =>
  (samples: string[]): Outcome =>
    samples.some(isBad) ? refusal : delivered;
const numberOf = (sample: string): number => Number(sample.split("/")[0]);
const timeOf = (sample: string): number => Number(sample.split("/")[1]);

test("what is accepted alone arrives, and the rest is rejected, if anything is accepted at all", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(239), { minLength: 1, maxLength: 60 }),
      async (series, each, badOnes) => {
        const request = requestOf(series, each);
        const all = contentOf(request);
        const bad = new Set(badOnes.map((number) => all[number % all.length]));
        const run = await searched(
          request,
          refuses((sample) => bad.has(sample)),
        );
        const good = all.filter((sample) => !bad.has(sample));
        expect([...run.accepted].sort()).toEqual([...new Set(run.accepted)].sort());
        if (run.end.kind === "unproven") {
          expect(run.rejected).toEqual([]);
          // Of a few samples, each was tried.
          if (all.length <= 16) expect(good).toEqual([]);
          return;
        }
        expect(run.end.kind).toBe("complete");
        const decided = [...run.accepted, ...run.rejected, ...run.passed];
        expect(decided.sort()).toEqual([...all].sort());
        expect(run.rejected.filter((sample) => !bad.has(sample))).toEqual([]);
        if (series * each < 24) expect(run.passed).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test("a receiver that refuses everything for a while costs no sample", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 16 }), fc.nat(60), async (series, recovers) => {
      const request = requestOf(series, 1);
      const run = await searched(request, (_, number) => (number < recovers ? refusal : delivered));
      expect(run.rejected).toEqual([]);
      if (run.end.kind === "complete") expect([...run.accepted].sort()).toEqual(contentOf(request).sort());
      else expect([run.end.kind, run.accepted]).toEqual(["unproven", []]);
    }),
  );
});

test("the samples of a series are sent in the order of time, each once it is accepted", async () => {
  const bad = new Set(["3/1", "3/5", "7/0"]);
  const run = await searched(
    requestOf(12, 8),
    refuses((sample) => bad.has(sample)),
  );
  const newest = new Map<number, number>();
  for (const sample of run.accepted) {
    expect(timeOf(sample)).toBeGreaterThan(newest.get(numberOf(sample)) ?? -1);
    newest.set(numberOf(sample), timeOf(sample));
  }
  expect(run.rejected.sort()).toEqual([...bad].sort());
});

test("one bad series of many costs few requests", async () => {
  const run = await searched(
    requestOf(512, 1),
    refuses((sample) => numberOf(sample) === 300),
  );
  expect([run.rejected, run.accepted.length]).toEqual([["300/0"], 511]);
  expect(run.sent.length).toBeLessThanOrEqual(18);
});

test("a receiver that refuses everything gets a few requests, and nothing is rejected", async () => {
  const run = await searched(requestOf(500, 1), () => refusal);
  expect([run.end.kind, run.accepted, run.rejected, run.passed]).toEqual(["unproven", [], [], []]);
  expect(run.sent.length).toBe(18);
});

test("samples that are too old for the receiver are passed with the first that it accepts", async () => {
  const run = await searched(
    requestOf(50, 10),
    refuses((sample) => timeOf(sample) < 6),
  );
  expect(run.end.kind).toBe("complete");
  expect(run.accepted.length).toBe(200);
  expect(run.passed.length + run.rejected.length).toBe(300);
  expect(run.sent.length).toBeLessThan(60);
});

test("with a later proof, 16 samples decide for all; a few are tried each", async () => {
  const old = await searched(requestOf(500, 1), () => refusal, { isProven: true, mayPass: true });
  expect([old.rejected.length, old.passed.length, old.sent.length]).toEqual([16, 484, 18]);
  const few = await searched(requestOf(20, 1), () => refusal, { isProven: true, mayPass: true });
  expect([few.rejected.length, few.passed.length]).toEqual([20, 0]);
});

describe("a receiver that takes nothing older than a series' last sample, and stores what it can", () => {
  const arrived = { isProven: true, mayPass: true };

  /** As Prometheus without an out-of-order window; of a refused request, it stores what it can, or nothing. */
  function prometheus(stored: readonly string[], isAtomic = false) {
    const has = new Set(stored);
    const lastOf = new Map(stored.map((sample) => [numberOf(sample), timeOf(sample)]));
    const respond = (samples: string[]): Outcome => {
      const isOld = (sample: string) => timeOf(sample) < (lastOf.get(numberOf(sample)) ?? -1);
      const old = samples.filter(isOld);
      for (const sample of samples) {
        if (isOld(sample) || (isAtomic && old.length > 0)) continue;
        has.add(sample);
        lastOf.set(numberOf(sample), timeOf(sample));
      }
      return old.length > 0 ? refusal : delivered;
    };
    return { has, respond };
  }

  test.each([1, 2, 3, 7])(
    "has a request, with %i samples of each series: a few requests decide",
    async (each) => {
      const request = requestOf(450, each);
      const { respond } = prometheus(contentOf(request));
      const run = await searched(request, respond, arrived);
      expect([run.end.kind, run.accepted.length]).toEqual(["complete", 450]);
      expect(run.rejected.length + run.passed.length).toBe(450 * (each - 1));
      expect(run.sent.length).toBeLessThan(40);
    },
  );

  test.each([2, 3, 7])(
    "has refused a request of %i samples each for one of them: a few requests",
    async (each) => {
      for (const bad of ["7/9", "7/0"]) {
        const request = requestOf(450, each);
        const { has, respond } = prometheus([bad]);
        if (bad === "7/0") has.add("7/0");
        respond(contentOf(request));
        for (const isProven of [true, false]) {
          const run = await searched(request, respond, { isProven });
          expect(run.end.kind).toBe("complete");
          expect(run.sent.length).toBeLessThan(100);
        }
        expect(contentOf(request).filter((sample) => !has.has(sample) && numberOf(sample) !== 7)).toEqual([]);
      }
    },
  );

  test("some series have fewer samples than others, which came late", async () => {
    for (const isProven of [true, false]) {
      const request = requestOf(300, 4, undefined, (series) => (series % 3 === 0 ? 3 : 4));
      const { respond } = prometheus([...contentOf(request), "7/9"]);
      const run = await searched(request, respond, { isProven });
      expect([run.end.kind, run.sent.length < 100]).toEqual(["complete", true]);
    }
  });

  test("what has not arrived is sent in the order of time: it arrives, or 16 samples decided", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 30, maxLength: 30 }),
        fc.boolean(),
        async (series, each, counts, isAtomic) => {
          const request = requestOf(series, each);
          const all = contentOf(request);
          if (isAtomic) counts = counts.map((count) => (count < 0 ? count : each - 1));
          const before = all.filter((sample) => timeOf(sample) <= (counts[numberOf(sample)] ?? 0));
          const { has, respond } = prometheus(before, isAtomic);
          fc.pre(respond(all).kind === "rejected");
          const run = await searched(request, respond, arrived);
          expect(run.end.kind).toBe("complete");
          const missing = all.filter((sample) => !has.has(sample));
          expect(missing.filter((sample) => !run.passed.includes(sample))).toEqual([]);
          if (all.length < 24) expect(missing).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test.each([400, 413])(
  "a request that is too large (%i) is sent in parts, and the size is learned",
  async (status) => {
    const run = await searched(requestOf(100, 1), (samples) =>
      samples.length > 30 ? { ...refusal, status } : delivered,
    );
    expect([run.end.kind, run.accepted.length, run.rejected]).toEqual(["complete", 100, []]);
    expect(run.end.acceptedSize?.samples).toBeGreaterThanOrEqual(12);
    expect(run.end.acceptedSize?.samples).toBeLessThanOrEqual(30);
  },
);

test("samples that it has written nevertheless are not sent again", async () => {
  const run = await searched(requestOf(8, 1), (samples) =>
    samples.includes("5/0") ? { ...refusal, written: samples.length - 1 } : delivered,
  );
  expect(run.end.kind).toBe("complete");
  const counted = run.sent.filter((samples) => samples.includes("5/0"));
  expect(counted.length).toBe(1);
});

describe("a receiver that fails for a while during the search costs no sample", () => {
  const failed: Outcome = {
    ...{ kind: "exhausted", reason: "server_error", status: 503, message: "503", responseLost: false },
  };
  /** Fails at 5/0, and at everything from one request up to another. */
  const down =
    (from: number, until: number) =>
    (samples: string[], number: number): Outcome =>
      samples.includes("5/0") || (number >= from && number < until) ? failed : delivered;

  function failing(): Partial<SearchDeps> {
    const first = new Map<string, number>();
    let accepted = 0;
    return {
      ...{ isFailing: true, isProven: true, mayPass: true },
      paceAccepted: () => {
        accepted++;
      },
      failedAlone: ({ request }) => {
        const key = contentOf(request).join();
        const at = first.get(key);
        if (at === undefined) first.set(key, accepted);
        return at !== undefined && accepted > at;
      },
    };
  }

  test.each([
    [0, Infinity],
    [1, Infinity],
    [3, 9],
    [6, 20],
  ])("from request %i to %i", async (from, until) => {
    const run = await searched(requestOf(32, 1), down(from, until), failing());
    expect(run.rejected.filter((sample) => sample !== "5/0")).toEqual([]);
    expect(run.passed).toEqual([]);
    if (until === Infinity) expect(run.sent.length).toBeLessThan(60);
    expect(run.rejected.length + run.accepted.length).toBeLessThanOrEqual(32);
  });

  test("what fails before and after another one is accepted is rejected", async () => {
    const known = failing();
    const first = await searched(requestOf(32, 1), down(0, 0), known);
    expect([first.end.kind, first.rejected, first.accepted.length]).toEqual(["unproven", [], 31]);
    const again = await searched(requestOf(1, 1), () => failed, { ...known, failedAlone: () => true });
    expect([again.end.kind, again.rejected]).toEqual(["complete", ["0/0"]]);
  });
});

test("a failed request counts as refused where that is asked for, and interrupts otherwise", async () => {
  const failed: Outcome = {
    ...{ kind: "exhausted", reason: "server_error", status: 500, message: "500", responseLost: false },
  };
  const respond = (samples: string[]) => (samples.includes("5/0") ? failed : delivered);
  const poison = await searched(requestOf(8, 1), respond, { isFailing: true });
  expect([poison.end.kind, poison.rejected, poison.accepted.length]).toEqual(["complete", ["5/0"], 7]);
  const cut = await searched(requestOf(8, 1), respond);
  expect(cut.end).toMatchObject({ kind: "unfinished", unfinished: { kind: "exhausted" } });
  expect(cut.rejected).toEqual([]);
});

test("a refused sample is tried with legal names, and what is accepted then is no culprit", async () => {
  const legal = requestOf(1, 1);
  let learned = 0;
  const run = await searched(
    requestOf(8, 1),
    (samples, _number, sent) => (sent === legal || !samples.includes("5/0") ? delivered : refusal),
    { withLegalNames: () => legal, learnLegalNames: () => void learned++ },
  );
  expect([run.end.kind, run.accepted.length, run.rejected, learned]).toEqual(["complete", 8, [], 1]);
});

test("exemplars are left out first", async () => {
  const exemplar = { labels: [{ name: "trace_id", value: "a" }], value: 1, timestampMs: baseMs };
  const run = await searched(requestOf(4, 1, [exemplar]), (_samples, _number, sent) =>
    sent.hasExemplars === true ? refusal : delivered,
  );
  expect([run.end.kind, run.accepted.length, run.sent.length]).toEqual(["complete", 4, 1]);
});

test("it pauses where its turn is too late, and decides nothing more", async () => {
  let left = 5;
  const run = await searched(
    requestOf(64, 1),
    refuses((sample) => numberOf(sample) % 9 === 0),
    {
      pace: () => Promise.resolve(left-- > 0),
    },
  );
  expect(run.end.kind).toBe("paused");
  expect(run.sent.length).toBe(5);
});

test("a part that a rate limit refuses is dropped, and the search goes on", async () => {
  const limited: Outcome = { kind: "limited", status: 429, message: "429", responseLost: false };
  const respond = (samples: string[], number: number) => {
    if (number === 1) return limited;
    return samples.includes("3/0") ? refusal : delivered;
  };
  const run = await searched(requestOf(8, 1), respond);
  expect([run.end.kind, run.end.acceptedSize, run.limited]).toEqual([
    ...["complete", undefined],
    run.sent[1] ?? [],
  ]);
  expect(run.limited.length).toBeGreaterThan(0);
  expect([...run.accepted, ...run.rejected, ...run.limited].sort()).toEqual(
    contentOf(requestOf(8, 1)).sort(),
  );
});

test("of older samples, a rate limit is no proof that they are too old", async () => {
  const limited: Outcome = { kind: "limited", status: 429, message: "429", responseLost: false };
  const run = await searched(requestOf(4, 3), (samples) =>
    samples.every((sample) => sample.endsWith("/2")) ? limited : refusal,
  );
  expect([run.end.kind, run.rejected, run.passed]).toEqual(["unproven", [], []]);
});

test("a lost response leaves the samples before it in doubt, too", async () => {
  const lost: Outcome = {
    ...{ kind: "exhausted", reason: "answer_timeout", message: "", responseLost: true },
  };
  const alone = (samples: string[]) => samples.length === 1 && samples[0] === "0/1";
  const run = await searched(requestOf(1, 2), (samples) => (alone(samples) ? lost : refusal));
  expect(run.end.kind).toBe("unfinished");
  expect(run.end.inDoubt).toEqual([{ index: 0, timesMs: [baseMs, baseMs + 1] }]);
});

test("a search that is cut short leaves nothing undecided before a decided sample of its series", async () => {
  const outcome = fc.constantFrom<Outcome>(delivered, refusal, {
    ...{ kind: "exhausted", reason: "server_error", status: 500, message: "500", responseLost: false },
  });
  const counts = fc.record({
    series: fc.integer({ min: 1, max: 40 }),
    samples: fc.integer({ min: 1, max: 4 }),
  });
  const drawn = fc.tuple(counts, fc.array(outcome, { maxLength: 60 }), fc.boolean(), fc.boolean());
  await fc.assert(
    fc.asyncProperty(drawn, async ([{ series, samples }, outcomes, isProven, mayPass]) => {
      const left = [...outcomes];
      const run = await searched(requestOf(series, samples), () => left.shift() ?? refusal, {
        ...{ isProven, mayPass: isProven && mayPass },
      });
      if (run.end.kind === "complete") return;
      const decided = new Set([...run.accepted, ...run.rejected, ...run.passed]);
      const expected: string[] = [];
      for (let one = 0; one < series; one++) {
        const times = Array.from({ length: samples }, (_, n) => n);
        const last = times.findLast((n) => decided.has(`${one}/${n}`)) ?? -1;
        expected.push(
          ...times.filter((n) => n < last && !decided.has(`${one}/${n}`)).map((n) => `${one}/${n}`),
        );
      }
      const inDoubt = (run.end.inDoubt ?? []).flatMap(({ index, timesMs }) =>
        timesMs.map((ms) => `${index}/${ms - baseMs}`),
      );
      expect(inDoubt).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
