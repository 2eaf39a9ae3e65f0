import { expect, test } from "vitest";
import { checkManifest, readManifest } from "./manifest.ts";

const options = { plane: "directory", unknownFields: "error" } as const;
const item = (
  name: string,
) => `{ metadata: { name: ${name} }, spec: { sources: [{ name: a, metrics: { metricsql: up } }],
  sinks: [{ name: s, sources: [a], target: { prometheusRemoteWrite: { endpoint: "http://h/" } } }] } }`;
const policy = (name: string) =>
  `apiVersion: telemetry.platformapis/v1alpha1\nkind: ExportPolicy\nmetadata: { name: ${name} }\nspec:\n  sources: [{ name: a, metrics: { metricsql: up } }]\n  sinks: [{ name: s, sources: [a], target: { prometheusRemoteWrite: { endpoint: "http://h/" } } }]\n`;
const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\ndata: { a: aGk= }\n";

test.each([
  ["one document", policy("web"), ["web"], 0],
  [
    "several documents, empty ones too",
    `---\n${policy("a")}---\n---\n${secret}---\n${policy("b")}---\n`,
    ["a", "b"],
    1,
  ],
  [
    "JSON",
    JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: {} }, null, "\t"),
    [],
    1,
  ],
  [
    "a List",
    `apiVersion: v1\nkind: List\nitems:\n- ${policy("web").trimEnd().replaceAll("\n", "\n  ")}\n- ${secret.trimEnd().replaceAll("\n", "\n  ")}\n`,
    ["web"],
    1,
  ],
  [
    "a list of one kind, whose items leave the kind to it",
    `apiVersion: telemetry.platformapis/v1alpha1\nkind: ExportPolicyList\nmetadata: {}\nitems: [${item("x")}, ${item("y")}]\n`,
    ["x", "y"],
    0,
  ],
  ["nothing", "# to be done\n", [], 0],
])("%s", (_name, text, policies, secrets) => {
  const manifest = checkManifest(text, "f.yaml", options);
  expect(manifest.faults).toEqual([]);
  expect(manifest.readable).toBe(true);
  expect(manifest.policies.map(({ checked }) => checked.ref.name)).toEqual(policies);
  expect(manifest.secrets).toHaveLength(secrets);
});

test("faults of an item are placed in the file, not in the item", () => {
  const text = `kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: { name: S }\n`;
  expect(checkManifest(text, "f.yaml", options).faults).toMatchObject([
    { file: "f.yaml", line: 6, column: 21, path: "items[0].metadata.name" },
  ]);
});

test.each([
  ["YAML that is broken", "a: [\n"],
  ["a kind that is nearly ours", policy("web").replace("ExportPolicy", "ExportPolicies")],
  ["a kind of our group that does not exist", policy("web").replace("ExportPolicy", "Thing")],
  ["more than 1 MiB", `# ${"x".repeat(1024 * 1024)}\n${policy("web")}`],
])("%s is not readable", (_name, text) => {
  const manifest = readManifest(text, "f.yaml");
  expect(manifest.readable).toBe(false);
  expect(manifest.objects).toEqual([]);
});

test("a policy with faults is readable: they are its own", () => {
  expect(checkManifest(policy("web").replace("http://h/", "h"), "f.yaml", options).readable).toBe(true);
});
