import { expect, test } from "vitest";
import { makeInstance, makeNetwork } from "../../../../test/support/contracts/runtime.ts";
import { createLogger } from "../../../base/log/log.ts";
import { excessOf, LayerLimits, limitsOf } from "./disk-limits.ts";
import { EngineRefusal } from "./engine-client.ts";
import { limitsLayers } from "./engine-version.ts";

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

test.each<[driver: string, filesystem: string | undefined, mayLimit: boolean]>([
  ["overlay2", "xfs", true],
  ["overlay", "xfs", true],
  ["overlay2", "extfs", false],
  ["overlay", undefined, false],
  ["btrfs", undefined, true],
  ["zfs", undefined, true],
  ["vfs", "xfs", false],
  ["", undefined, false],
])("storage %s on %s may limit layers: %s", (Driver, filesystem, mayLimit) => {
  const DriverStatus = filesystem === undefined ? null : [["Backing Filesystem", filesystem]];
  expect(limitsLayers({ Driver, DriverStatus })).toBe(mayLimit);
});

test("a container is made with a limit, and without one where the engine refuses that", async () => {
  const lines: string[] = [];
  const log = createLogger("info", { write: (line: string) => lines.push(line) > 0 }, false);
  const asked: (number | undefined)[] = [];
  const engine = (refuses: (layerBytes: number | undefined) => boolean) => async (layerBytes?: number) => {
    asked.push(layerBytes);
    if (refuses(layerBytes)) throw new EngineRefusal(500, "storage option overlay.size not supported");
    return "id";
  };
  const layers = new LayerLimits(5, log);
  const accepting = engine(() => false);
  for (const mayLimit of [false, true]) expect(await layers.make(mayLimit, accepting)).toBe("id");
  expect(asked.splice(0)).toEqual([undefined, 5]);
  // Refused for another reason: the next one has a limit again.
  const refusing = engine(() => true);
  await expect(layers.make(true, refusing)).rejects.toThrow("not supported");
  const withoutLimit = engine((bytes) => bytes !== undefined);
  for (let round = 0; round < 2; round++) expect(await layers.make(true, withoutLimit)).toBe("id");
  expect(asked).toEqual([5, undefined, 5, undefined, undefined]);
  expect(lines).toHaveLength(1);
});
