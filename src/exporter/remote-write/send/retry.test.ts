import { describe, expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { pauseMs, RetryingSender } from "./retry.ts";

const request: EncodedRequest = {
  payload: Buffer.alloc(0),
  protocol: "1.0",
  sampleCount: 1,
  seriesCount: 1,
  uncompressedBytes: 0,
  minMs: 0,
  maxMs: 0,
};

const delivered: Verdict = { kind: "delivered", status: 204 };
const rejected: Verdict = { kind: "rejected", status: 400, message: "400" };
const unavailable: Verdict = {
  kind: "retry",
  reason: "server_error",
  status: 503,
  message: "503",
  responseLost: false,
};
const broken: Verdict = { kind: "suspended", status: undefined, message: "no HTTP", responseLost: true };
const lost: Verdict = { kind: "retry", reason: "connection_lost", message: "reset", responseLost: true };

/** A sender over attempts with the given verdicts, and a clock that records its sleeps without waiting. */
function scripted(verdicts: readonly Verdict[], onSleep: () => void = () => {}) {
  const pauses: number[] = [];
  const interruption = new AbortController();
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: async (ms, signal) => {
      pauses.push(ms);
      onSleep();
      signal.throwIfAborted();
    },
  };
  const rest = [...verdicts];
  const attempts = {
    attempt: async (_: EncodedRequest, signal: AbortSignal): Promise<Verdict> =>
      signal.aborted ? { kind: "aborted", responseLost: false } : (rest.shift() ?? delivered),
  };
  const deps = {
    clock,
    random: () => 0.5,
    log: silentLogger,
    interrupt: () => interruption.signal,
    onRetry: () => undefined,
  };
  const sender = new RetryingSender(attempts, { maxAttempts: 3, backoffMs: 5_000 }, deps);
  return { sender, pauses, interruption, unused: rest };
}

const never = new AbortController().signal;

describe("attempts", () => {
  test.each<[string, Verdict[], unknown, number[]]>([
    ["delivered at once", [delivered], delivered, []],
    ["delivered at last", [unavailable, unavailable, delivered], delivered, [5_500, 5_500]],
    [
      "used up",
      [unavailable, unavailable, unavailable],
      { ...unavailable, kind: "exhausted", responseLost: false },
      [5_500, 5_500],
    ],
    ["rejected is final", [unavailable, rejected], { ...rejected, responseLost: false }, [5_500]],
    ["rejected after a lost response", [lost, rejected], { ...rejected, responseLost: true }, [5_500]],
    [
      "a lost response is remembered",
      [lost, unavailable, unavailable],
      { ...unavailable, kind: "exhausted", responseLost: true },
      [5_500, 5_500],
    ],
    ["a suspension after broken responses", [lost, broken], { ...broken, responseLost: true }, [5_500]],
    ["a pause that is asked for", [{ ...unavailable, retryAfterMs: 30_000 }, delivered], delivered, [30_000]],
    [
      "a shorter one does not count",
      [{ ...unavailable, retryAfterMs: 1_000 }, delivered],
      delivered,
      [5_500],
    ],
    [
      "a longer one is not waited for",
      [{ ...unavailable, retryAfterMs: 30_001 }],
      { ...unavailable, kind: "exhausted", retryAfterMs: 30_001, responseLost: false },
      [],
    ],
  ])("%s", async (_, verdicts, outcome, expectedPauses) => {
    const { sender, pauses, unused } = scripted(verdicts);
    expect(await sender.send(request, never)).toEqual(outcome);
    expect(pauses).toEqual(expectedPauses);
    expect(unused).toEqual([]);
  });
});

test("an abort in a pause ends it, and what was lost before is reported", async () => {
  const controller = new AbortController();
  const { sender } = scripted([lost], () => controller.abort());
  expect(await sender.send(request, controller.signal)).toEqual({ kind: "aborted", responseLost: true });
});

test("an interruption ends the pause, and no further attempt is begun", async () => {
  const during = scripted([unavailable, delivered], () => during.interruption.abort());
  expect(await during.sender.send(request, never)).toMatchObject({ kind: "exhausted" });
  expect(during.unused).toEqual([delivered]);

  const before = scripted([unavailable, delivered]);
  before.interruption.abort();
  expect(await before.sender.send(request, never)).toMatchObject({ kind: "exhausted" });
});

test("closing waits for what is open, and nothing is sent afterwards", async () => {
  const { sender } = scripted([unavailable, delivered]);
  const sending = sender.send(request, never);
  await sender.close();
  expect(await sending).toEqual(delivered);
  expect(await sender.send(request, never)).toEqual({ kind: "aborted", responseLost: false });
});

test.each([
  [0, undefined, 5_000],
  [0.999, undefined, 5_999],
  [0, 4_000, 5_000],
  [0, 6_000, 6_000],
])("with random %d and %j ms asked for, the pause is %d ms", (random, retryAfterMs, expected) => {
  expect(pauseMs({ maxAttempts: 3, backoffMs: 5_000 }, retryAfterMs, random)).toBe(expected);
});
