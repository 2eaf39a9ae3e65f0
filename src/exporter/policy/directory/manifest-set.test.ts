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

describe("two sources of one sink", () => {
  const each = "a sample of several sources is sent once for each";
  test.each([
    ["up", 'up{job="x"}', `names a and b: a selects all that b selects; ${each}`],
    ['{__name__="ab"}', '{__name__=~"a.*"}', `names b and a: b selects all that a selects; ${each}`],
    ["up", '{job="a"}', `names a and b, which may select the same series; ${each}`],
    ["up{job='x'}", "up{job='y'}", undefined],
    ["up", "sum(up)", undefined],
  ])("%s and %s: %s", (a, b, message) => {
    const faults = checkTogether([policy(a, b)]);
    expect(faults.map((fault) => fault.message)).toEqual(message === undefined ? [] : [message]);
    if (message === undefined) return;
    const place = { path: "spec.sinks[0].sources", line: 9, column: 27 };
    expect(faults[0]).toMatchObject({ severity: "warning", ...place });
  });
});

test("of many pairs a warning names a few", () => {
  const text = `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: web }
spec:
  sources:
${["a", "b", "c", "d"].map((name) => `    - { name: ${name}, metrics: { metricsql: 'up{${name}="1"}' } }`).join("\n")}
  sinks:
    - { name: s, sources: [a, b, c, d], target: { prometheusRemoteWrite: { endpoint: "http://h/" } } }
`;
  expect(checkTogether([checkManifest(text, "f.yaml", options)]).map(({ message }) => message)).toEqual([
    "names a and b, a and c, a and d, and 3 more pairs, which may select the same series; " +
      "a sample of several sources is sent once for each",
  ]);
});
