import { describe, expect, test } from "vitest";
import { checkManifest } from "../spec/manifest.ts";
import { checkTogether } from "./manifest-set.ts";

const options = { plane: "directory", unknownFields: "error" } as const;
const policy = (a: string, b: string) =>
  checkManifest(
    `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: web }
spec:
  sources:
    - { name: a, metrics: { metricsql: ${JSON.stringify(a)} } }
    - { name: b, metrics: { metricsql: ${JSON.stringify(b)} } }
  sinks:
    - { name: s, sources: [a, b], target: { prometheusRemoteWrite: { endpoint: "http://h/" } } }
`,
    "f.yaml",
    options,
  );

describe("which of two sources surely covers the other", () => {
  test.each([
    ["up", "up", "a"],
    ['{__name__="up"}', "up", "a"],
    ["up", 'up{job="x"}', "a"],
    ['up{job="x"}', "up", "b"],
    ["{a='1' or b='2'}", "{b='2',c='3'}", "a"],
    ["{b='2',c='3'}", "{a='1' or b='2'}", "b"],
    ["up", "down", undefined],
    ["up{job='x'}", "up{job='y'}", undefined],
    ["up{job='x'}", "up{env='y'}", undefined],
    ["{a='1' or b='2'}", "{b='2' or c='3'}", undefined],
  ])("%s and %s: %s", (a, b, wide) => {
    const faults = checkTogether([policy(a, b)]);
    const narrow = wide === "a" ? "b" : "a";
    const expected =
      wide === undefined
        ? []
        : [`names ${wide} and ${narrow}: ${wide} selects all that ${narrow} selects, which is sent twice`];
    expect(faults.map((fault) => fault.message)).toEqual(expected);
    if (wide !== undefined) {
      expect(faults[0]).toMatchObject({
        severity: "warning",
        path: "spec.sinks[0].sources",
        line: 9,
        column: 27,
      });
    }
  });
});
