import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { heapFlags } from "../../src/app/daemon/heap-flags.ts";

/** The flags do what they are for in the V8 of this Node.js, which gives no promise about them. */

const run = promisify(execFile);

/** Keeps objects and replaces them again and again. Prints the largest heap, relative to the kept objects. */
const churn = `
const { getHeapStatistics, setFlagsFromString } = require("node:v8");
for (const flag of JSON.parse(process.argv[1])) setFlagsFromString(flag);
const used = () => getHeapStatistics().used_heap_size;
const make = (index) => ({ index, next: [index, index + 1, index + 2], text: String(index) });
const kept = Array.from({ length: 200000 }, (_, index) => make(index));
gc();
const keptBytes = used();
let most = 0;
for (let round = 0; round < 1200000; round++) {
  kept[(round * 7919) % kept.length] = make(round);
  if (round % 5000 === 0) most = Math.max(most, used());
}
console.log(most / keptBytes);
`;

async function growth(flags: readonly string[]): Promise<number> {
  const { stdout, stderr } = await run(process.execPath, ["--expose-gc", "-e", churn, JSON.stringify(flags)]);
  // V8 prints an error for a flag that it does not know.
  expect(stderr).toBe("");
  return Number(stdout);
}

test("there are at most two", () => {
  expect(heapFlags.length).toBeLessThanOrEqual(2);
});

test("the heap grows by less than it does without them", { timeout: 60_000 }, async () => {
  const [without, withFlags] = await Promise.all([growth([]), growth(heapFlags)]);
  expect(withFlags).toBeLessThan(0.75 * without);
});
