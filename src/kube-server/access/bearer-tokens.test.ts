import { expect, test } from "vitest";
import type { RedisConnection } from "../../base/redis/connection.ts";
import { bearerLifetimeMs, createBearerTokens } from "./bearer-tokens.ts";

const caller = { user: "alice@example.com", tokenId: "0123456789abcdef" };
const nowMs = Date.UTC(2026, 0, 1);

/** The Redis hash of the keys; a test may delay its reads or make them fail. */
class KeyHash {
  readonly fields: Record<string, string> = {};
  read: () => Promise<void> = () => Promise.resolve();

  async hgetall(): Promise<Record<string, string>> {
    await this.read();
    return { ...this.fields };
  }
  async hset(_key: string, field: string, value: string): Promise<number> {
    this.fields[field] = value;
    return 1;
  }
  async hdel(_key: string, field: string): Promise<number> {
    delete this.fields[field];
    return 1;
  }
}

async function setUp() {
  const hash = new KeyHash();
  const tokens = createBearerTokens(hash as unknown as RedisConnection, "test");
  const good = await tokens.issue(caller, nowMs);
  // Signed with a key unknown to the first.
  const foreign = new KeyHash();
  const other = createBearerTokens(foreign as unknown as RedisConnection, "test");
  const unknown = await other.issue(caller, nowMs);
  return { hash, tokens, good, unknown, foreign };
}

test("a token that was issued is verified, one of another installation is not", async () => {
  const { tokens, good, unknown } = await setUp();
  expect(await tokens.verify(good, nowMs)).toMatchObject(caller);
  expect(await tokens.verify(unknown, nowMs)).toBeUndefined();
});

test("a token that was verified is good until it expires", async () => {
  const { tokens, good } = await setUp();
  const found = await tokens.verify(good, nowMs);
  expect(await tokens.verify(good, nowMs + bearerLifetimeMs - 1)).toBe(found);
  expect(await tokens.verify(good, nowMs + bearerLifetimeMs)).toBeUndefined();
});

test("while the keys are read again, the known ones are good", async () => {
  const { hash, tokens, good, unknown } = await setUp();
  let goOn = (): void => undefined;
  hash.read = () => new Promise((resolve) => (goOn = resolve));
  const slow = tokens.verify(unknown, nowMs);
  await Promise.resolve();
  hash.read = () => Promise.reject(new Error("Connection is closed."));
  expect(await tokens.verify(good, nowMs)).toMatchObject(caller);
  goOn();
  expect(await slow).toBeUndefined();
});

test("a read that fails is an error, and leaves the known keys good", async () => {
  const { hash, tokens, good, unknown } = await setUp();
  hash.read = () => Promise.reject(new Error("Connection is closed."));
  await expect(tokens.verify(unknown, nowMs)).rejects.toThrow("Connection is closed.");
  expect(await tokens.verify(good, nowMs)).toMatchObject(caller);
});

test("a key that another replica has made is found; one that is over is forgotten", async () => {
  const { hash, tokens, good, unknown, foreign } = await setUp();
  Object.assign(hash.fields, foreign.fields);
  expect(await tokens.verify(unknown, nowMs)).toMatchObject(caller);
  const laterMs = nowMs + 27 * 3_600_000;
  const later = await tokens.issue(caller, laterMs);
  expect(Object.keys(hash.fields)).toHaveLength(1);
  expect(await tokens.verify(later, laterMs)).toMatchObject(caller);
  expect(await tokens.verify(good, laterMs)).toBeUndefined();
});
