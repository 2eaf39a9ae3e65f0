import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/core/clock.ts";
import type { ResponseHead } from "../../../base/http/response-head.ts";
import { ResponseBody } from "./response-body.ts";

const head: ResponseHead = { status: 200, headers: {}, framing: "chunks", isKept: true };

/** A body whose consumer is slow. */
function slowBody(passed: Buffer[], onPass = () => undefined as unknown): ResponseBody {
  const body = new ResponseBody(
    systemClock,
    () => undefined,
    (chunk) => {
      passed.push(Buffer.from(chunk));
      const untilMs = performance.now() + 3;
      while (performance.now() < untilMs);
      onPass();
      return true;
    },
  );
  body.begin(head);
  return body;
}

test("others run between the parts of one chunk that takes long, and all of it is passed in order", async () => {
  const chunk = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 251));
  const passed: Buffer[] = [];
  const body = slowBody(passed);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const memory = Buffer.from(chunk);
  const flow = body.body(memory);
  // The connection reuses its memory.
  memory.fill(0);
  await flow;
  clearInterval(timer);
  expect(Buffer.concat(passed).equals(chunk)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(await body.finished()).toBe(true);
});

test("a body that ends with a part that is still being used is complete only then", async () => {
  const used: number[] = [];
  const body = new ResponseBody(
    systemClock,
    () => undefined,
    async (chunk) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      used.push(chunk.length);
      return true;
    },
  );
  body.begin({ ...head, framing: "length" });
  // A body with a length ends with its last byte: the exchange does not wait for what is done with it.
  void body.body(Buffer.alloc(10_000));
  expect(await body.finished()).toBe(true);
  expect(used).toEqual([8_192, 1_808]);
});

test("an error in that part fails the read", async () => {
  const body = new ResponseBody(
    systemClock,
    () => undefined,
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("broken");
    },
  );
  body.begin(head);
  Promise.resolve(body.body(Buffer.alloc(10))).catch(() => undefined);
  await expect(body.finished()).rejects.toThrow();
});

test("nothing is passed once the response is closed", async () => {
  const passed: Buffer[] = [];
  const body = slowBody(passed);
  const flow = body.body(Buffer.alloc(40_000));
  body.close();
  await flow;
  expect(passed).toHaveLength(1);
});

test("an error of the consumer in a later part ends the exchange", async () => {
  const passed: Buffer[] = [];
  const body = slowBody(passed, () => {
    if (passed.length === 3) throw new Error("broken");
  });
  await expect(Promise.resolve(body.body(Buffer.alloc(40_000)))).rejects.toThrow();
});

test("a compressed body is passed like any other: in small parts, one after another", async () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) % 251));
  const passed: Buffer[] = [];
  let isWaiting = false;
  const body = new ResponseBody(
    systemClock,
    () => undefined,
    async (chunk) => {
      expect(isWaiting).toBe(false);
      isWaiting = true;
      passed.push(Buffer.from(chunk));
      await new Promise((resolve) => setImmediate(resolve));
      isWaiting = false;
      return true;
    },
  );
  body.begin({ ...head, headers: { "content-encoding": "gzip" } });
  const compressed = gzipSync(content);
  for (let at = 0; at < compressed.length; at += 65_536) {
    await body.body(compressed.subarray(at, at + 65_536));
  }
  expect(await body.finished()).toBe(true);
  expect(Buffer.concat(passed).equals(content)).toBe(true);
  expect(Math.max(...passed.map(({ length }) => length))).toBeLessThanOrEqual(8_192);
});

test("an error of the consumer ends a compressed body", async () => {
  const body = new ResponseBody(
    systemClock,
    () => undefined,
    () => Promise.reject(new Error("broken")),
  );
  body.begin({ ...head, headers: { "content-encoding": "gzip" } });
  void body.body(gzipSync(Buffer.alloc(10)));
  await expect(body.finished()).rejects.toMatchObject({ cause: { message: "broken" } });
});
