/**
 * Every row of the delivery table (ARCHITECTURE.md), with the exporter as the daemon runs it: over real HTTP,
 * with state and rejected store on disk.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CycleEnd } from "../../src/exporter/delivery/cycle.ts";
import { listRejected } from "../../src/exporter/remote-write/rejected/rejected-store.ts";
import { startFaultProxy } from "../support/net/fault-proxy.ts";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverResponse,
  startReceiver,
} from "../support/receiver/receiver.ts";
import { speakVersion2 } from "../support/receiver/speak-version-2.ts";
import { readPrometheus, writeByRemoteWrite } from "../support/samples.ts";
import { startPrometheus } from "../support/servers.ts";
import { startSink, type TestSink, type TestSinkOptions, testStartMs } from "../support/sink/sink.ts";

const names = ["a", "b", "c", "d"];
const hourMs = 3_600_000;
let receiver: Receiver;
const sinks: TestSink[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** A sink that has started, before the first of five samples of four series. */
async function begun(options: Partial<TestSinkOptions> = {}): Promise<TestSink> {
  const sink = await startSink({ endpoint: receiver.url, ...options });
  sinks.push(sink);
  await sink.cycle();
  sink.store.write(names, 5, testStartMs);
  return sink;
}

function respondWith(...responses: (ReceiverResponse | undefined)[]): void {
  const rest = [...responses];
  receiver.respond(() => rest.shift());
}

function always(response: ReceiverResponse): void {
  receiver.respond(() => response);
}

/** A cycle that waits for its turns: the clock advances by `stepMs` every so many real milliseconds. */
async function cycleInTime(sink: TestSink, stepMs: number, everyMs: number): Promise<CycleEnd> {
  const cycle = sink.cycle(15_000);
  const steps = setInterval(() => sink.clock.advance(stepMs), everyMs);
  return await cycle.finally(() => clearInterval(steps));
}

/** Expects every sample of the store at the receiver exactly once. */
function expectAll(sink: TestSink): void {
  const held = [...receiver.samples().series].flatMap(([, { timestampsMs }]) => timestampsMs);
  expect(held.sort()).toEqual(sink.store.samples.map(({ ms }) => ms).sort());
}

describe("2xx", () => {
  test("delivered; the next cycle has nothing to do", async () => {
    const sink = await begun();
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
    const { length } = receiver.requests;
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.requests).toHaveLength(length);
    expect(sink.condition()).toMatchObject({ reason: "UpToDate" });
  });
});

describe("5xx, 429, 408, 425, no response", () => {
  test.each<[string, ReceiverResponse]>([
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["429", { status: 429 }],
    ["408", { status: 408 }],
    ["425", { status: 425 }],
    ["a reset", { fault: "reset" }],
    ["silence", { fault: "hang" }],
  ])("%s: the same request again, after retry.backoffDuration", async (_, response) => {
    const sink = await begun();
    respondWith(response);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
    expect(receiver.requests[1]?.body).toEqual(receiver.requests[0]?.body);
    expect(sink.clock.pauses).toContain(1_000);
  });

  test("a Retry-After of up to 30 s wins over the pause", async () => {
    const sink = await begun();
    respondWith({ status: 429, headers: { "retry-after": "7" } });
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(sink.clock.pauses).toContain(7_000);
  });

  test("a longer Retry-After ends the cycle after one request, and is waited for outside of it", async () => {
    const sink = await begun();
    respondWith({ status: 503, headers: { "retry-after": "90" } });
    expect(await sink.cycle(15_000)).toBe("waiting");
    expect(receiver.requests).toHaveLength(1);
    expect(await sink.cycle(89_000)).toBe("waiting");
    expect(receiver.requests).toHaveLength(1);
    expect(await sink.cycle(1_000)).toBe("up-to-date");
    expectAll(sink);
  });

  test("replay: used up, the checkpoint stays, pauses double, and one request alone tries again", async () => {
    const sink = await begun({ plan: { batch: { timeoutMs: 5_000, maxSize: 5, maxBytes: 2 ** 23 } } });
    always({ status: 503 });
    expect(await sink.cycle(15_000)).toBe("waiting");
    expect(sink.condition()).toMatchObject({ status: "False", reason: "Retrying" });
    const [checkpoint] = sink.exporter.snapshot().sources;
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const before = receiver.requests.length;
      expect(await sink.cycle(pauseMs - 1)).toBe("waiting");
      expect(receiver.requests).toHaveLength(before);
      expect(await sink.cycle(1)).toBe("waiting");
      // One probe, with the policy's number of attempts.
      expect(receiver.requests).toHaveLength(before + 2);
      expect(new Set(receiver.requests.slice(before).map(({ body }) => body.toString("hex"))).size).toBe(1);
    }
    expect(sink.exporter.snapshot().sources[0]).toEqual(checkpoint);
    receiver.respond(() => undefined);
    expect(await sink.cycle(8_000)).toBe("up-to-date");
    expectAll(sink);
  });

  const fails = (receiver: Receiver, name: string): void =>
    receiver.respond(({ series }) =>
      series.some(({ labels }) => labels.some(({ value }) => value === name)) ? { status: 503 } : undefined,
    );

  test("one series fails: after two minutes it is isolated, and everything else is delivered", async () => {
    const sink = await begun();
    fails(receiver, "b");
    expect(await sink.cycle(15_000)).toBe("waiting");
    let end = "waiting";
    for (let turn = 0; turn < 30 && end !== "up-to-date"; turn++) {
      end = await sink.cycle(15_000);
      // The others are delivered at once; what fails is given up with the proof that they still are.
      if (turn === 15) {
        expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 15, rejected: 0 });
        sink.store.write(names, 1, sink.clock.wallMs);
      }
    }
    expect(end).toBe("up-to-date");
    expect(receiver.samples().size).toBe(18);
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 18, rejected: 6, dropped: 0 });
    // From now on it travels apart.
    sink.store.write(names, 5, sink.clock.wallMs);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 33, rejected: 11 });
  });

  test("a series that was refused, or failed, lately: an outage costs nothing of it", async () => {
    const sink = await begun();
    for (const status of [400, 503]) {
      receiver.respond(({ series }) =>
        series.some(({ labels }) => labels.some(({ value }) => value === "b")) ? { status } : undefined,
      );
      let end = "waiting";
      for (let turn = 0; turn < 30 && end !== "up-to-date"; turn++) {
        if (turn === 15) sink.store.write(names, 1, sink.clock.wallMs);
        end = await sink.cycle(15_000);
      }
      expect(end).toBe("up-to-date");
      const { rejected } = sink.exporter.snapshot().stats;
      // It takes the series now, but is down during the next cycles, after the first request.
      let requests = 0;
      receiver.respond(() => (++requests > 1 ? { status: 503 } : undefined));
      sink.store.write(names, 5, sink.clock.wallMs);
      for (let turn = 0; turn < 4; turn++) await sink.cycle(15_000);
      receiver.respond(() => undefined);
      for (let turn = 0, end = ""; turn < 30 && end !== "up-to-date"; turn++) end = await sink.cycle(15_000);
      expect(sink.exporter.snapshot().stats.rejected).toBe(rejected);
      sink.store.write(names, 5, sink.clock.wallMs);
    }
  });

  test("drop: used up, what fails alone goes to the rejected store and the window goes on", async () => {
    const sink = await begun({ plan: { retry: { maxAttempts: 2, backoffMs: 1_000, onExhausted: "drop" } } });
    fails(receiver, "b");
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.samples().size).toBe(15);
    expect(sink.exporter.snapshot().stats.dropped).toBe(5);
    const kept = await listRejected(`${sink.directory}/rejected`);
    expect(kept.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(5);
  });
});

describe("429 under retryOn429: false", () => {
  const retry = { maxAttempts: 3, backoffMs: 1, retryOn429: false };
  const keptSamples = async (sink: TestSink) =>
    (await listRejected(`${sink.directory}/rejected`)).map(({ message, sampleCount, isRepeat }) => {
      return { message, sampleCount, isRepeat };
    });
  const message = '429 "too fast": dropped, since retry.retryOn429 is false';

  test("the samples are dropped after one request, kept as rejected, and the status says so", async () => {
    const sink = await begun({ plan: { retry } });
    always({ status: 429, body: "too fast", headers: { "retry-after": "60" } });
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.requests).toHaveLength(1);
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 0, rejected: 0, dropped: 20 });
    expect(await keptSamples(sink)).toEqual([{ message, sampleCount: 20, isRepeat: undefined }]);
    expect(sink.condition()).toMatchObject({ status: "False", reason: "Rejecting" });
    expect(sink.condition().message).toContain(message);

    respondWith(undefined);
    sink.store.write(names, 5, sink.clock.wallMs);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.samples().size).toBe(20);
    expect(sink.condition()).toMatchObject({ status: "True", reason: "UpToDate" });
    expect(sink.condition().message).toContain(
      `20 of 40 samples were rejected in the last 10 minutes: ${message}`,
    );
  });

  test("other failures are tried again, and what may have arrived is marked", async () => {
    const sink = await begun({ plan: { retry } });
    respondWith({ status: 503 }, { fault: "reset" }, { status: 429, body: "too fast" });
    const cycle = sink.cycle(15_000);
    for (let turn = 0; turn < 100 && receiver.requests.length < 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      sink.clock.advance(10);
    }
    expect(await cycle).toBe("up-to-date");
    expect(receiver.requests).toHaveLength(3);
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 0, dropped: 20, repeated: 0 });
    expect(await keptSamples(sink)).toEqual([{ message, sampleCount: 20, isRepeat: true }]);
  });
});

describe("400, 409, 413, 422 and other 4xx about the payload", () => {
  test.each([400, 409, 422, 418])(
    "%d to everything: suspended with the receiver's words, nothing is rejected, and all arrives later",
    async (status) => {
      const sink = await begun();
      always({ status, body: "unsupported path" });
      expect(await sink.cycle(15_000)).toBe("waiting");
      expect(sink.condition()).toMatchObject({ status: "False", reason: "Suspended" });
      expect(sink.condition().message).toContain("refuses every request");
      expect(sink.condition().message).toContain("unsupported path");
      const [checkpoint] = sink.exporter.snapshot().sources;
      for (let turn = 0; turn < 4; turn++) {
        sink.store.write(names, 3, sink.clock.wallMs);
        expect(await sink.cycle(60_000)).toBe("waiting");
      }
      expect(sink.exporter.snapshot().sources[0]).toEqual(checkpoint);
      expect(receiver.requests.length).toBeLessThan(200);
      expect(await listRejected(`${sink.directory}/rejected`)).toEqual([]);
      receiver.respond(() => undefined);
      for (let turn = 0; turn < 3; turn++) await sink.cycle(300_000);
      expectAll(sink);
      expect(sink.condition()).toMatchObject({ reason: "UpToDate" });
    },
  );

  test("an endpoint that takes empty requests only: suspended, and the message says so", async () => {
    const sink = await begun();
    receiver.respond(({ series }) => (series.length > 0 ? { status: 400, body: "no tenant" } : undefined));
    expect(await sink.cycle(15_000)).toBe("waiting");
    expect(sink.condition()).toMatchObject({ status: "False", reason: "Suspended" });
    expect(sink.condition().message).toContain("accepts empty requests, and refuses every sample");
  });

  test("a new sink, and every request has the bad series: the others arrive all the same", async () => {
    const sink = await begun();
    receiver.respond(({ series }) =>
      series.some(({ labels }) => labels.some(({ value }) => value === "c"))
        ? { status: 400, body: "bad series" }
        : undefined,
    );
    for (let turn = 1; turn <= 4; turn++) {
      expect(await sink.cycle(15_000)).toBe("up-to-date");
      expect(receiver.samples().size).toBe(turn * 15);
      sink.store.write(names, 5, sink.clock.wallMs);
    }
    const before = receiver.requests.length;
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    // A known bad series costs one request, not a search.
    expect(receiver.requests.length - before).toBe(2);
    expect(sink.exporter.snapshot().stats.rejected).toBe(25);
    expect(sink.condition()).toMatchObject({ status: "True", reason: "UpToDate" });
    expect(sink.condition().message).toContain("25 of 100 samples were rejected in the last 10 minutes");
  });

  test("10 % bad series: all healthy samples arrive, and requests are at most 1.2 times those of a clean sink", async () => {
    const many = Array.from({ length: 100 }, (_, index) => `series_${index}`);
    const plan = {
      sources: [{ name: "source", metricsql: many.join("|") }],
      batch: { timeoutMs: 5_000, maxSize: 10, maxBytes: 2 ** 23 },
    };
    const isBad = ({ labels }: ReceivedRequest["series"][number]) =>
      labels.some(({ value }) => /^series_\d*3$/.test(value));
    const requests: number[] = [];
    for (const refuses of [false, true]) {
      const sink = await startSink({ endpoint: receiver.url, plan });
      sinks.push(sink);
      await sink.cycle();
      receiver.respond(({ series }) =>
        refuses && series.some(isBad) ? { status: 400, body: "bad series" } : undefined,
      );
      let before = 0;
      for (let turn = 0; turn < 40; turn++) {
        if (turn === 20) before = receiver.requests.length;
        sink.store.write(many, 1, sink.clock.wallMs);
        await sink.cycle(15_000);
      }
      requests.push(receiver.requests.length - before);
      // One sample of a series a cycle; those of the last cycle are not due yet.
      const { delivered, rejected } = sink.exporter.snapshot().stats;
      expect([delivered, rejected]).toEqual(refuses ? [3_600, 400] : [4_000, 0]);
    }
    const [clean = 0, bad = 0] = requests;
    expect(bad).toBeLessThanOrEqual(1.2 * clean);
  });

  test("it stores the valid part and responds with 400: what is accepted alone counts as delivered", async () => {
    const sink = await begun();
    receiver.respond(({ series }) =>
      series.some(({ labels }) => labels.some(({ value }) => value === "c"))
        ? { status: 400, body: "bad series", store: series.length > 1 }
        : undefined,
    );
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 15, rejected: 5 });
  });

  test("the culprit alone is rejected, its neighbours arrive", async () => {
    const sink = await begun();
    await sink.cycle(15_000);
    sink.store.write(names, 5, sink.clock.wallMs);
    const culprit = sink.store.samples.at(-6)!;
    receiver.respond(({ series }) =>
      series.some(({ samples }) => samples.some(({ value }) => value === culprit.value))
        ? { status: 400, body: "bad value" }
        : undefined,
    );
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.samples().size).toBe(39);
    expect(await listRejected(`${sink.directory}/rejected`)).toMatchObject([{ status: 400, sampleCount: 1 }]);
    expect(receiver.requests.length).toBeLessThanOrEqual(2 + 16);
  });

  test("protocol 2.0, 400 with a count: what the receiver wrote is delivered, and no part is sent again", async () => {
    const sink = await begun({ protocol: "2.0" });
    const culprit = sink.store.samples.at(-6)!;
    const speaking = speakVersion2({ refuses: (value) => value === culprit.value });
    receiver.respond(speaking.script);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.requests).toHaveLength(1);
    expect(speaking.series.flatMap(({ samples }) => samples)).toHaveLength(19);
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 19, rejected: 1, unwritten: 0 });
    expect(await listRejected(`${sink.directory}/rejected`)).toMatchObject([
      { status: 400, message: expect.stringContaining("19 of the 20 samples") },
    ]);
  });

  test("413: halved until it fits, and the size is remembered", async () => {
    const sink = await begun({ plan: { batch: { timeoutMs: 5_000, maxSize: 200, maxBytes: 2 ** 23 } } });
    const names = Array.from({ length: 40 }, (_, index) => `series_with_a_long_name_${index}`);
    await sink.exporter.change(
      sink.plan({
        batch: { timeoutMs: 5_000, maxSize: 200, maxBytes: 2 ** 23 },
        sources: [{ name: "source", metricsql: names.join("|") }],
      }),
    );
    sink.store.samples.length = 0;
    sink.store.write(names, 5, testStartMs);
    let largest = 0;
    receiver.respond(({ series }) => {
      if (series.length > 12) return { status: 413 };
      largest = Math.max(largest, series.length);
      return undefined;
    });
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
    expect(await listRejected(`${sink.directory}/rejected`)).toEqual([]);
    sink.store.write(names, 5, sink.clock.wallMs);
    const refused = () => receiver.requests.filter(({ series }) => series.length > 12).length;
    const before = refused();
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
    expect(refused()).toBe(before);
    expect(largest).toBeGreaterThan(1);
  });

  test("413 to everything for a while: nothing is lost, and requests are as large as before soon after", async () => {
    const sink = await begun();
    always({ status: 413 });
    expect(await sink.cycle(15_000)).toBe("waiting");
    receiver.respond(() => undefined);
    expect(await sink.cycle(60_000)).toBe("up-to-date");
    expectAll(sink);
    sink.store.write(names, 5, sink.clock.wallMs);
    const before = receiver.requests.length;
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.requests.length - before).toBe(1);
  });

  test("what was in a request whose response was lost counts as repeated, and is kept, marked", async () => {
    const sink = await begun();
    respondWith({ fault: "reset", store: true });
    let isLost = false;
    receiver.respond(({ series }) => {
      if (series.length === 0) return undefined;
      const isOld = series.some(({ samples }) =>
        samples.some(({ timestampMs }) => Number(timestampMs) < testStartMs + 5_000),
      );
      if (isOld && isLost) return { status: 400, body: "duplicate sample" };
      if (isOld) isLost = true;
      return isOld ? { fault: "reset", store: true } : undefined;
    });
    await sink.cycle(15_000);
    sink.store.write(names, 5, sink.clock.wallMs);
    for (let turn = 0; turn < 3; turn++) await sink.cycle(15_000);
    expectAll(sink);
    expect(sink.exporter.snapshot().stats).toMatchObject({ repeated: 20, rejected: 0 });
    const kept = await listRejected(`${sink.directory}/rejected`);
    expect(kept.map(({ isRepeat }) => isRepeat)).toEqual(kept.map(() => true));
  });
});

describe("a request without a response that holds samples of two sources", () => {
  const sources = [
    { name: "first", metricsql: "a|b" },
    { name: "second", metricsql: "c|d" },
  ];

  /** Leaves the only request in doubt; the receiver has not stored it. */
  async function unanswered(): Promise<TestSink> {
    const sink = await begun({ plan: { sources } });
    respondWith({ fault: "reset" }, { fault: "reset" });
    expect(await sink.cycle(15_000)).toBe("waiting");
    return sink;
  }

  test("waits for both: one of them could not settle what the request had of the other", async () => {
    const sink = await unanswered();
    sink.store.failures.push({ kind: "failed", reason: "unreachable", message: "no response" });
    expect(await sink.cycle(15_000)).toBe("source-failed");
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
  });

  test("does not wait for one that the policy has no more; it is sent when the source is back", async () => {
    const sink = await unanswered();
    await sink.exporter.change(sink.plan({ sources: sources.slice(1) }));
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(receiver.samples().size).toBe(10);
    await sink.exporter.change(sink.plan({ sources }));
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
  });
});

describe("401, 403, 404, 405, 407, redirects", () => {
  test.each<[number, string]>([
    [401, "Suspended"],
    [403, "Suspended"],
    [404, "Suspended"],
    [405, "Suspended"],
    [407, "Suspended"],
    [302, "Suspended"],
  ])("%d: suspended, probed alone after 30 s, and nothing is lost", async (status, reason) => {
    const sink = await begun({ plan: { batch: { timeoutMs: 5_000, maxSize: 5, maxBytes: 2 ** 23 } } });
    always({ status, headers: { location: "https://elsewhere.example.com/login" } });
    expect(await sink.cycle(15_000)).toBe("waiting");
    expect(sink.condition()).toMatchObject({ status: "False", reason });
    if (status === 302) expect(sink.condition().message).toContain("elsewhere.example.com");
    const before = receiver.requests.length;
    expect(await sink.cycle(29_999)).toBe("waiting");
    expect(receiver.requests).toHaveLength(before);
    expect(await sink.cycle(1)).toBe("waiting");
    expect(receiver.requests).toHaveLength(before + 1);
    receiver.respond(() => undefined);
    expect(await sink.cycle(60_000)).toBe("up-to-date");
    expectAll(sink);
    expect(await listRejected(`${sink.directory}/rejected`)).toEqual([]);
  });

  test("a changed Secret is tried at once", async () => {
    const login = (password: string) => ({
      credentials: { kind: "basicAuth" as const, username: "u", password },
    });
    const sink = await begun({ plan: login("old") });
    const expected = `Basic ${Buffer.from("u:new").toString("base64")}`;
    receiver.respond(({ headers }) =>
      headers.authorization === expected ? undefined : { status: 401, body: "who are you" },
    );
    expect(await sink.cycle(15_000)).toBe("waiting");
    await sink.exporter.change(sink.plan(login("new")));
    expect(await sink.cycle()).toBe("up-to-date");
    expectAll(sink);
  });
});

test("an endpoint that a tenant must not reach: InvalidTarget, and not one request", async () => {
  const sink = await begun({ scope: "tenant" });
  expect(await sink.cycle(15_000)).toBe("waiting");
  const { deliveryState, stats } = sink.exporter.snapshot();
  expect(deliveryState).toMatchObject({
    kind: "forbidden",
    message: expect.stringContaining("not a public address"),
  });
  expect(stats.lastError?.message).toContain("loopback");
  expect(receiver.connections()).toBe(0);
});

test("a paused sink does nothing, and goes on from where it was", async () => {
  const sink = await begun();
  await sink.exporter.change(sink.plan({ paused: true }));
  expect(await sink.cycle(15_000)).toBe("waiting");
  expect(receiver.requests).toHaveLength(0);
  await sink.exporter.change(sink.plan({ paused: false }));
  expect(await sink.cycle(hourMs)).toBe("up-to-date");
  expectAll(sink);
});

describe("a Prometheus without out_of_order_time_window", () => {
  test("old samples are refused with the setting that cures it; live data goes on", async () => {
    await using prometheus = await startPrometheus();
    const nowMs = Date.now();
    const live = { name: "live", metricsql: "b" };
    const sink = await startSink({
      endpoint: `${prometheus.url}/api/v1/write`,
      settings: { startFromMs: 5 * hourMs },
      plan: { sources: [live] },
    });
    sinks.push(sink);
    sink.clock.advance(nowMs - testStartMs);
    await sink.cycle();
    sink.store.write(["b"], 3, nowMs);
    await sink.cycle(15_000);
    sink.store.write(["a"], 3, nowMs - 4 * hourMs);
    await sink.exporter.change(sink.plan({ sources: [live, { name: "old", metricsql: "a" }] }));
    sink.store.write(["b"], 3, sink.clock.wallMs);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 6, rejected: 3 });
    expect(sink.condition()).toMatchObject({
      status: "True",
      message: expect.stringContaining("storage.tsdb.out_of_order_time_window"),
    });
  });

  test("one out-of-order sample costs its neighbours nothing", async () => {
    await using prometheus = await startPrometheus();
    const nowMs = Date.now();
    const sink = await startSink({ endpoint: `${prometheus.url}/api/v1/write` });
    sinks.push(sink);
    sink.clock.advance(nowMs - testStartMs);
    await sink.cycle();
    sink.store.write(["a", "b"], 3, sink.clock.wallMs + 3_000);
    await sink.cycle(15_000);
    // A second sink advances c beyond this one.
    const other = await startSink({
      endpoint: `${prometheus.url}/api/v1/write`,
      plan: { sources: [{ name: "source", metricsql: "c" }] },
    });
    sinks.push(other);
    other.clock.advance(nowMs - testStartMs);
    await other.cycle();
    other.store.write(["c"], 1, nowMs + 60_000);
    await other.cycle(90_000);
    sink.store.write(names, 3, sink.clock.wallMs);
    expect(await sink.cycle(15_000)).toBe("up-to-date");
    expect(sink.exporter.snapshot().stats).toMatchObject({ delivered: 6 + 9, rejected: 3 });
  });
});

describe("a long catch-up, to a Prometheus that stores what it can of a request that it refuses", () => {
  test.each<[what: string, lost: number, bad: readonly string[], count: number, each: number]>([
    ["its response is lost", 4, [], 40, 90],
    ["one series is too old", 0, ["series_7"], 400, 4],
  ])("%s: a few requests find out", async (_, lost, bad, count, each) => {
    await using prometheus = await startPrometheus();
    await using proxy = await startFaultProxy(Number(new URL(prometheus.url).port));
    const series = Array.from({ length: count }, (_, index) => `series_${index}`);
    await using sink = await startSink({
      endpoint: `${proxy.url}/api/v1/write`,
      plan: {
        sources: [{ name: "source", metricsql: series.join("|") }],
        batch: { timeoutMs: 5_000, maxSize: 5_000, maxBytes: 2 ** 23 },
      },
    });
    sink.clock.advance(Date.now() - testStartMs);
    await sink.cycle();
    sink.clock.advance(100_000);
    sink.store.write(series, each, sink.clock.wallMs);
    // Half of them have one sample less, as where samples come late.
    const newer = series.filter((_, index) => index % 2 === 0);
    sink.store.write(newer, 1, sink.clock.wallMs + 1_000);
    const began = sink.clock.wallMs;
    const never = new AbortController().signal;
    const later = bad.map((value) => ({
      labels: [{ name: "__name__", value }],
      samples: [{ timestampMs: began + 60_000, value: 0 }],
    }));
    await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, later, never);
    let requests = 0;
    proxy.plan(() => ({ kind: requests++ < lost ? "lose-response" : "pass" }));
    let end: CycleEnd | undefined;
    while (end !== "up-to-date" && sink.clock.wallMs < began + 600_000) {
      end = await cycleInTime(sink, 1_000, 20);
    }
    expect(end).toBe("up-to-date");
    const held = await readPrometheus(
      prometheus.url,
      {
        matchers: [{ name: "__name__", type: "=~", value: "series_.*" }],
        fromMs: began - 200_000,
        toMs: began + 30_000,
      },
      never,
    );
    const due = sink.store.samples.filter(({ name }) => !bad.includes(name));
    expect(held.size).toBe(due.length);
    expect(proxy.requests).toBeLessThan(100);
  });
});

test("every second sample is refused when it is repeated, and a response is lost: 150 of them take less than a minute", async () => {
  // As a Prometheus refuses native histograms beside floats.
  const series = Array.from({ length: 300 }, (_, index) => `series_${index}`);
  const held = new Set<string>();
  receiver.respond(({ index, series: sent }) => {
    const keys = sent.flatMap(({ labels, samples }) =>
      samples.map(({ timestampMs }) => JSON.stringify([labels, timestampMs])),
    );
    const isRefused = keys.some((key) => /[13579]"/.test(key) && held.has(key));
    for (const key of keys) held.add(key);
    if (isRefused) return { status: 400, body: "duplicate sample for timestamp" };
    return index === 0 ? { fault: "reset" } : undefined;
  });
  const sink = await startSink({
    endpoint: receiver.url,
    plan: {
      sources: [{ name: "source", metricsql: series.join("|") }],
      batch: { timeoutMs: 5_000, maxSize: 5_000, maxBytes: 2 ** 23 },
    },
  });
  sinks.push(sink);
  await sink.cycle();
  sink.store.write(series, 1, testStartMs);
  const begunMs = sink.clock.monotonicMs();
  for (let end: CycleEnd | undefined; end !== "up-to-date"; ) {
    end = await cycleInTime(sink, 50, 2);
  }
  expect(held.size).toBe(series.length);
  expect(sink.clock.monotonicMs() - begunMs).toBeLessThan(60_000);
});

describe("steps of the clock", () => {
  const dayMs = 24 * hourMs;
  test.each<[string, number, number]>([
    ["ours by 1 h", hourMs, 0],
    ["ours by 25 h", dayMs + hourMs, 0],
    ["ours back by 1 h", -hourMs, 0],
    ["the store's by 1 h", 0, hourMs],
    ["the store's by 25 h", 0, dayMs + hourMs],
    ["both by 1 h", hourMs, hourMs],
    ["both by 25 h", dayMs + hourMs, dayMs + hourMs],
  ])("%s: nothing is skipped, nothing repeated", async (_, oursMs, storesMs) => {
    const sink = await begun();
    await sink.cycle(15_000);
    // Samples have the store's time.
    const storeNowMs = () => sink.clock.wallMs + sink.storeAheadMs;
    const write = () => sink.store.write(names, 3, storeNowMs());
    for (let turn = 0; turn < 3; turn++) {
      write();
      await sink.cycle(15_000);
    }
    sink.clock.set(oursMs);
    sink.storeAheadMs += storesMs - oursMs;
    for (let turn = 0; turn < 6; turn++) {
      write();
      expect(await sink.cycle(15_000)).toBe("up-to-date");
    }
    // Until both clocks are past the written samples.
    sink.clock.advance(storesMs > oursMs ? storesMs : 0);
    for (let turn = 0; turn < 3; turn++) expect(await sink.cycle(15_000)).toBe("up-to-date");
    expectAll(sink);
    expect(sink.exporter.snapshot().stats).toMatchObject({ skippedSeconds: 0, repeated: 0, rejected: 0 });
  });
});

test("older than delivery.maxBackfill: skipped when two cycles agree, counted, and said", async () => {
  const sink = await begun({ settings: { maxBackfillMs: hourMs } });
  always({ status: 503 });
  await sink.cycle(15_000);
  await sink.cycle(2 * hourMs);
  expect(sink.exporter.snapshot().stats.skippedSeconds).toBe(0);
  await sink.cycle(hourMs);
  receiver.respond(() => undefined);
  sink.store.write(names, 3, sink.clock.wallMs);
  expect(await sink.cycle(400_000)).toBe("up-to-date");
  expect(receiver.samples().size).toBe(12);
  const { stats } = sink.exporter.snapshot();
  expect(stats.skippedSeconds).toBeGreaterThan(hourMs / 1_000);
  expect(sink.condition().message).toContain("delivery.maxBackfill");
});

describe("delivery.lateness", () => {
  const names = ["a", "b"];
  const plan = { sources: names.map((name) => ({ name, metricsql: name })) };
  const late = (sink: TestSink, name: string, ageMs: number, value: number): void => {
    sink.store.samples.push({ name, ms: testStartMs - ageMs, value });
  };
  const cycles = async (sink: TestSink, count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) expect(await sink.cycle(15_000)).toBe("up-to-date");
  };

  test("what came late is sent, once, and nothing again", async () => {
    const sink = await begun({ latenessMs: 3_600_000, plan });
    sink.store.samples.splice(0);
    sink.store.write(names, 5, testStartMs);
    await cycles(sink, 10);
    expect(receiver.samples().size).toBe(10);
    late(sink, "a", 1_500, 9_001);
    late(sink, "b", 500, 9_002);
    // A check comes within six minutes.
    await cycles(sink, 24);
    expectAll(sink);
    const { length } = receiver.requests;
    expect(sink.exporter.snapshot().stats).toMatchObject({ late: 2, lateRejected: 0, delivered: 12 });
    late(sink, "a", 2_500, 9_003);
    // Samples come late here: the next check comes within 90 s.
    await cycles(sink, 7);
    expectAll(sink);
    await cycles(sink, 80);
    expect(receiver.requests).toHaveLength(length + 1);
    expectAll(sink);
  });

  test("without it the store is not asked", async () => {
    const sink = await begun({ plan });
    await sink.cycle(15_000);
    late(sink, "a", 1_500, 9_001);
    await cycles(sink, 30);
    expect(sink.store.counts).toBe(0);
    expect(sink.exporter.snapshot().stats.late).toBe(0);
  });

  test("a receiver that refuses late samples is asked once, and live ones go on", async () => {
    const sink = await begun({ latenessMs: 3_600_000, plan });
    await cycles(sink, 10);
    const before = receiver.samples().size;
    for (let index = 0; index < 50; index++) late(sink, "a", 1_010 + index * 7, 9_000 + index);
    receiver.respond(({ series }) =>
      series.some(({ samples }) => samples.some(({ value }) => Number(value) >= 9_000))
        ? { status: 400, body: "out of order sample" }
        : undefined,
    );
    await cycles(sink, 24);
    // Nothing has shown since then that it takes any samples at all.
    expect(sink.exporter.snapshot().stats).toMatchObject({ lateRejected: 0, rejected: 0 });
    sink.store.write(names, 3, sink.clock.wallMs);
    await cycles(sink, 24);
    const { stats, deliveryState } = sink.exporter.snapshot();
    expect(stats).toMatchObject({ late: 0, lateRejected: 50, rejected: 0, lastError: undefined });
    expect(stats.lastLateRejection?.message).toContain("storage.tsdb.out_of_order_time_window");
    expect(deliveryState.kind).toBe("delivering");
    const kept = await listRejected(`${sink.directory}/rejected`);
    expect(kept.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(50);
    const { length } = receiver.requests;
    sink.store.write(names, 3, sink.clock.wallMs);
    await cycles(sink, 60);
    expect(receiver.samples().size).toBe(before + 12);
    expect(receiver.requests.length - length).toBeLessThan(4);
    expect(sink.exporter.snapshot().stats).toMatchObject({ lateRejected: 50 });
  });

  test("many late samples and a slow receiver: new samples are not kept waiting", async () => {
    const small = { ...plan, batch: { timeoutMs: 5_000, maxSize: 10, maxBytes: 2 ** 23 } };
    const sink = await begun({ latenessMs: 3_600_000, plan: small, settings: { partitionCount: 1 } });
    sink.store.samples.splice(0);
    sink.store.write(names, 5, testStartMs);
    await cycles(sink, 10);
    for (let index = 0; index < 100; index++) late(sink, "a", 1_010 + index * 7, 9_000 + index);
    // A request of late samples takes six seconds.
    receiver.respond(({ series }) => {
      const isLate = series.some(({ samples }) => samples.some(({ value }) => Number(value) >= 9_000));
      if (isLate) sink.clock.advance(6_000);
      return undefined;
    });
    const sent: number[] = [];
    for (let turn = 0; turn < 60 && sent.at(-1) !== 100; turn++) {
      const beganMs = sink.clock.monotonicMs();
      expect(await sink.cycle(15_000)).toBe("up-to-date");
      expect(sink.clock.monotonicMs() - beganMs).toBeLessThan(15_000 + 15_000 + 2 * 6_000);
      const { late: found } = sink.exporter.snapshot().stats;
      if (found !== (sent.at(-1) ?? 0)) sent.push(found);
    }
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.at(-1)).toBe(100);
    expectAll(sink);
  });

  test("what could not be checked in a long outage of the receiver is counted", async () => {
    const sink = await begun({ latenessMs: 3_600_000, plan });
    await cycles(sink, 100);
    receiver.respond(() => ({ status: 503 }));
    sink.store.write(names, 3, sink.clock.wallMs);
    expect(await sink.cycle(2 * hourMs)).toBe("waiting");
    receiver.respond(() => undefined);
    expect(await sink.cycle(600_000)).toBe("up-to-date");
    await cycles(sink, 100);
    // Two hours and ten minutes, but for what the last look before and the first one after have seen.
    const { uncheckedSeconds } = sink.exporter.snapshot().stats;
    expect(uncheckedSeconds).toBeGreaterThan(3_000);
    expect(uncheckedSeconds).toBeLessThanOrEqual(3_600);
  });

  test("time in which the store cannot count is unchecked", async () => {
    const sink = await begun({ latenessMs: 600_000, plan });
    const message = "too many metric names";
    sink.store.count = async () => ({ kind: "failed", reason: "answer_too_large", message });
    const beganMs = sink.clock.wallMs;
    for (let turn = 0; turn < 200; turn++) {
      sink.store.write(names, 1, sink.clock.wallMs);
      await sink.cycle(15_000);
    }
    const { uncheckedSeconds } = sink.exporter.snapshot().stats;
    const passedSeconds = (sink.clock.wallMs - beganMs) / 1_000;
    expect(uncheckedSeconds).toBeGreaterThan(passedSeconds - 900);
    expect(uncheckedSeconds).toBeLessThanOrEqual(passedSeconds);
  });

  test("older than the horizon: counted, not sent", async () => {
    const sink = await begun({ latenessMs: 600_000, plan });
    await cycles(sink, 60);
    const { size } = receiver.samples();
    late(sink, "a", 1_500, 9_001);
    await cycles(sink, 60);
    expect(receiver.samples().size).toBe(size);
    expect(sink.exporter.snapshot().stats).toMatchObject({ late: 0, tooLate: 1 });
  });

  test("after an edit, late samples of what the source selects no longer are not sent", async () => {
    const sink = await begun({
      latenessMs: 3_600_000,
      plan: { sources: [{ name: "source", metricsql: "a" }] },
    });
    await cycles(sink, 10);
    const { size } = receiver.samples();
    sink.exporter.change(sink.plan({ sources: [{ name: "source", metricsql: "b" }] }));
    late(sink, "a", 1_500, 9_001);
    await cycles(sink, 30);
    expect(receiver.samples().size).toBe(size);
    expect(sink.exporter.snapshot().stats.late).toBe(0);
  });
});

describe("what the owner of a tenant's policy reads", () => {
  const policy = { plane: "web", namespace: "default", name: "policy", uid: "u" };

  test("of an endpoint at an address that it must not reach, by a name: not the address", async () => {
    const endpoint = `http://localhost:${receiver.port}/api/v1/write`;
    const sink = await begun({ endpoint, plan: { policy }, scope: "tenant" });
    await sink.cycle(15_000);
    const { message } = sink.condition();
    expect(message).toContain("the endpoint must not be sent to");
    expect(message).not.toMatch(/127|::1|loopback/);
    // The operator sees the address.
    expect(sink.exporter.snapshot().stats.lastError?.message).toMatch(/is not a public address \(loopback\)/);
  });

  test("of a store that is unavailable: that it is", async () => {
    const sink = await begun({ plan: { policy }, scope: "tenant" });
    const message =
      "the store at http://vm.internal:8428/ cannot be reached: connect ECONNREFUSED 10.1.2.3:8428";
    sink.store.failures.push({ kind: "failed", reason: "unreachable", message });
    expect(await sink.cycle(15_000)).toBe("source-failed");
    expect(sink.condition()).toMatchObject({
      reason: "SourceUnavailable",
      message: "source: the metrics store cannot be read at present",
    });
  });

  test("of the operator's own policies everything is shown", async () => {
    const sink = await begun();
    sink.store.failures.push({ kind: "failed", reason: "unreachable", message: "ECONNREFUSED 10.1.2.3" });
    await sink.cycle(15_000);
    expect(sink.condition().message).toContain("10.1.2.3");
  });
});
