import { expect, test } from "vitest";
import { makeInstance, makeNetwork } from "../../../../test/support/contracts/runtime.ts";
import { excessOf, limitsOf } from "./disk-limits.ts";

const mebibyte = 2 ** 20;
const data = { kind: "disk", volume: "data", path: "/data", sizeBytes: 10 * mebibyte } as const;
const keys = { kind: "files", volume: "keys", path: "/keys", files: { mode: 0o644, contents: {} } } as const;
const container = (name: string) => ({ name, image: "a.example/web:1", env: {}, mounts: [data, keys] });
const instance = makeInstance("a.example/web:1", makeNetwork("10.0.0.0/24"), {
  ...{ uid: "u", containers: [container("main"), container("side")] },
});
const limits = limitsOf(instance, 5 * mebibyte);

test("each container has a limit, and each disk one, however many mount it", () => {
  expect(limits.map(({ name, bytes }) => [name, bytes / mebibyte])).toEqual([
    ["telemetryd-u-main", 5],
    ["telemetryd-u-data", 10],
    ["telemetryd-u-side", 5],
  ]);
});

test.each<[what: string, sizes: Readonly<Record<string, number>>, excess: RegExp | undefined]>([
  ["nothing is known", {}, undefined],
  ["a size that the engine does not know", { "telemetryd-u-data": -1 }, undefined],
  ["all is full", { "telemetryd-u-main": 5, "telemetryd-u-data": 10, "telemetryd-u-side": 5 }, undefined],
  ["a disk", { "telemetryd-u-data": 11 }, /^disk data holds 11MiB of 10MiB: .* delete it/],
  ["a container", { "telemetryd-u-side": 5.1 }, /^container side holds 5.1MiB of 5MiB: /],
  ["another instance's", { "telemetryd-v-data": 1_000 }, undefined],
])("%s", (_, sizes, excess) => {
  const bytes = new Map(Object.entries(sizes).map(([name, size]) => [name, size * mebibyte]));
  const found = excessOf(limits, bytes);
  if (excess === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(excess);
});
