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
