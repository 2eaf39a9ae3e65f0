import "../support/leak-check.ts";
import { expect, test } from "vitest";
import { runInformer } from "../load/platform-informer.ts";

/** The short form of `npm run prove -- informer`. */
test("an informer ends with exactly the server's state, through restarts and compactions", async () => {
  const result = await runInformer(9_000, 3_000);
  expect(result.differences).toEqual([]);
  expect(result.restarts).toBeGreaterThan(0);
  expect(result.writes).toBeGreaterThan(20);
});
