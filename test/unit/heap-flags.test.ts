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

test("there are at most two", () => {
  expect(heapFlags.length).toBeLessThanOrEqual(2);
});

test("the heap stays below four times what is kept", { timeout: 60_000 }, async () => {
  const flags = JSON.stringify(heapFlags);
  const { stdout, stderr } = await run(process.execPath, ["--expose-gc", "-e", churn, flags]);
  // V8 prints an error for a flag that it does not know.
  expect(stderr).toBe("");
  // Without the flags it is more than five times in Node 20, and in half of the runs of Node 24.
  expect(Number(stdout)).toBeLessThan(4);
});
