import { expect, test } from "vitest";
import { checkManifest } from "../spec/manifest.ts";
import { compileDirectory, type Held, holdManifest } from "./directory-contents.ts";

const options = {
  plane: "directory",
  unknownFields: "warning",
  identity: { uid: "-", generation: 1 },
} as const;
const policy = (name: string, { endpoint = "http://h/", annotation = "", sinks = "" } = {}) => `
apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: ${name}, annotations: { note: "${annotation}" } }
spec:
  sources: [{ name: a, metrics: { metricsql: up } }]
  sinks: ${sinks || `[{ name: s, sources: [a], target: { prometheusRemoteWrite: { endpoint: "${endpoint}" } } }]`}
`;
const file = (path: string, text: string): Held => holdManifest(path, checkManifest(text, path, options));

test("the generation grows with the spec, and with nothing else", () => {
  const first = compileDirectory([file("a.yaml", policy("web"))], undefined);
  const annotated = compileDirectory([file("a.yaml", policy("web", { annotation: "new" }))], first);
  const moved = compileDirectory([file("b.yaml", policy("web", { annotation: "new" }))], annotated);
  const edited = compileDirectory([file("b.yaml", policy("web", { endpoint: "http://other/" }))], moved);
  const back = compileDirectory([file("b.yaml", policy("web"))], edited);
  const generations = [first, annotated, moved, edited, back].map(({ policies }) => policies[0]?.generation);
  expect(generations).toEqual([1, 1, 1, 2, 3]);
  expect(back.policies[0]?.policy?.generation).toBe(3);
});

test("a policy of which nothing can run any more keeps its last good form, and says what is wrong", () => {
  const first = compileDirectory([file("a.yaml", policy("web"))], undefined);
  const broken = compileDirectory([file("a.yaml", policy("web", { sinks: "[]" }))], first);
  const again = compileDirectory([file("a.yaml", policy("web", { sinks: "{}" }))], broken);
  for (const { policies } of [broken, again]) {
    expect(policies[0]?.policy?.sinks.map((sink) => sink.name)).toEqual(["s"]);
    expect(policies[0]?.faults).toMatchObject([{ path: ["spec", "sinks"] }]);
  }
  expect(compileDirectory([], again).policies).toEqual([]);
});

test("what two files hold is taken from the one that had it first, and the other is reported", () => {
  const first = compileDirectory([file("b.yaml", policy("web"))], undefined);
  const a = file("a.yaml", policy("web", { endpoint: "http://other/" }));
  const both = compileDirectory([a, file("b.yaml", policy("web"))], first);
  expect(both.policies.map((each) => each.policy?.sinks[0]?.endpoint)).toEqual(["http://h/"]);
  expect(both.faults).toMatchObject([
    {
      severity: "error",
      file: "a.yaml",
      line: 4,
      path: "metadata.name",
      message: "ExportPolicy default/web is in b.yaml:4 too; keep one, that one is used",
    },
  ]);
  const left = compileDirectory([a], both);
  expect(left.policies.map((each) => [each.policy?.sinks[0]?.endpoint, each.generation])).toEqual([
    ["http://other/", 2],
  ]);
});

test("a Secret that is there twice, in one file", () => {
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { a: one }\n";
  const contents = compileDirectory([file("s.yaml", `${secret}---\n${secret}`)], undefined);
  expect(contents.secrets).toHaveLength(1);
  expect(contents.faults.map((fault) => [fault.line, fault.message])).toEqual([
    [8, "Secret default/s is in s.yaml:3 too; keep one, that one is used"],
  ]);
});
