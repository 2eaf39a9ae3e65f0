import { join } from "node:path";
import { expect, it } from "vitest";
import { validate } from "../../src/app/commands/policies/validate.ts";
import { largestBatch, manifest, randomVariant, writeManifest } from "../equality/policy.ts";
import { randomInteger, seededRandom } from "../support/random.ts";
import { setUpEach } from "../support/set-up.ts";

let folder: string;

setUpEach(async ({ newFolder }) => {
  folder = await newFolder("equality");
});

it("every edit that the test can make is a policy without faults", async () => {
  const random = seededRandom(1);
  const sinks = [{ name: "one", endpoint: "http://127.0.0.1:9090/api/v1/write" }];
  const texts = new Set<string>();
  for (let edit = 0; edit < 50; edit++) {
    const variant = randomVariant(edit, random);
    expect(variant.maxSize).toBeLessThanOrEqual(largestBatch);
    const text = manifest(variant, sinks);
    texts.add(text);
    await writeManifest(folder, text);
    const result = await validate([join(folder, "equality.json")], {}, new AbortController().signal);
    expect(result).toMatchObject({ exitStatus: 0 });
  }
  expect(texts.size).toBe(50);
});

it("seededRandom repeats itself, spreads, and randomInteger keeps its bounds", () => {
  const [a, b] = [seededRandom(5), seededRandom(5)];
  const counts = new Array<number>(4).fill(0);
  for (let index = 0; index < 4000; index++) {
    const value = randomInteger(a, 10, 13);
    expect(value).toBe(randomInteger(b, 10, 13));
    counts[value - 10]!++;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
});
