import { describe, expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { type ExchangeOutcome, exchangeUrl, jwtExpiry, readBearer } from "./exchange.ts";
import { createExchangingSource, renewalTime, type TokenProvider } from "./token-provider.ts";

const hourMs = 3_600_000;
const jwt = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.sig`;

test.each([
  [{ text: "t" }, 0, 0.75 * hourMs],
  [{ text: "t" }, 1, 0.9 * hourMs],
  [{ text: "t", expiresMs: 1_000_000 }, 0, 750_000],
  [{ text: "t", expiresMs: -5 }, 0.5, 0],
])("%j is renewed at", (bearer, random, expected) => {
  expect(renewalTime(bearer, 0, random)).toBe(expected);
});

describe("what the exchange responses", () => {
  test.each([
    ['{"access_token":"abc","token_type":"Bearer"}', { text: "abc" }],
    ['{"access_token":"abc","token_type":"bearer","more":1}', { text: "abc" }],
    [
      JSON.stringify({ access_token: jwt({ exp: 5 }), token_type: "Bearer" }),
      { text: jwt({ exp: 5 }), expiresMs: 5_000 },
    ],
    ['{"access_token":"","token_type":"Bearer"}', undefined],
    ['{"access_token":"a b","token_type":"Bearer"}', undefined],
    ['{"access_token":"abc","token_type":"mac"}', undefined],
    ['{"access_token":5,"token_type":"Bearer"}', undefined],
    ["<html>", undefined],
  ])("%s", (text, expected) => {
    expect(readBearer(text)).toEqual(expected);
  });

  test("a token that is no JWT has no end that we know", () => {
    expect([jwtExpiry("abc"), jwtExpiry("a.b.c"), jwtExpiry(jwt({})), jwtExpiry(jwt({ exp: "5" }))]).toEqual(
      Array(4).fill(undefined),
    );
    expect(exchangeUrl("https://api.example.com/")).toBe(
      "https://api.example.com/platform-os/oauth/token/exchange",
    );
  });
});

/** A token provider on a fake clock; sleeping advances it. */
function testSource(outcomes: ExchangeOutcome[]): {
  source: TokenProvider;
  clock: { ms: number };
  exchanges: () => number;
} {
  const time = { ms: 0 };
  let exchanges = 0;
  const clock: Clock = {
    nowMs: () => time.ms,
    monotonicMs: () => time.ms,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      time.ms += ms;
    },
  };
  const source = createExchangingSource({
    accessToken: { value: async () => "pat" },
    exchange: async () => {
      await Promise.resolve();
      return outcomes[Math.min(exchanges++, outcomes.length - 1)] ?? { outcome: "failed", message: "none" };
    },
    clock,
    log: silentLogger,
    random: () => 0,
  });
  return { source, clock: time, exchanges: () => exchanges };
}

const exchanged = (text: string): ExchangeOutcome => ({ outcome: "exchanged", bearer: { text } });
const failed: ExchangeOutcome = { outcome: "failed", message: "away" };
const signal = new AbortController().signal;

describe("the bearer source", () => {
  test("many who need a token share one exchange", async () => {
    const { source, exchanges } = testSource([exchanged("a")]);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => source.token(signal)));
    expect([new Set(tokens), exchanges()]).toEqual([new Set(["a"]), 1]);
  });

  test("a token is kept until its renewal is due", async () => {
    const { source, clock, exchanges } = testSource([exchanged("a"), exchanged("b")]);
    await source.token(signal);
    clock.ms = 0.74 * hourMs;
    expect(await source.token(signal)).toBe("a");
    clock.ms = 0.76 * hourMs;
    expect([await source.token(signal), exchanges()]).toEqual(["b", 2]);
  });

  test("a refused token is exchanged again, once, and not again for one that just came", async () => {
    const { source, clock, exchanges } = testSource([exchanged("a"), exchanged("b"), exchanged("c")]);
    await source.token(signal);
    clock.ms += 60_000;
    source.rejected("a");
    expect(await source.token(signal)).toBe("b");
    source.rejected("a");
    source.rejected("b");
    expect([await source.token(signal), exchanges()]).toEqual(["b", 2]);
  });

  test("failures are retried, further and further apart, and can be seen", async () => {
    const { source, clock } = testSource([
      failed,
      failed,
      { outcome: "denied", message: "no" },
      exchanged("a"),
    ]);
    const waiting = source.token(signal);
    await Promise.resolve();
    expect(await waiting).toBe("a");
    expect(clock.ms).toBe(1_000 + 2_000 + 4_000);
    expect(source.snapshot().state).toBe("valid");
  });

  test("one who stops waiting gets the reason", async () => {
    const { source } = testSource([failed]);
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(source.token(stop.signal)).rejects.toThrow("stopped");
  });
});
