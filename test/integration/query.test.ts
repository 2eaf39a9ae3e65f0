import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type QueryOptions, query } from "../../src/app/commands/query/query.ts";
import { writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

const forever = new AbortController().signal;
/** A whole minute, before the watermark. */
const baseMs = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
let store: RunningServer;
let folder: string;
let file: string;

setUpAll(async ({ keep, newFolder }) => {
  store = await keep(startVictoriaMetrics());
  const samples = Array.from({ length: 20 }, (_, index) => ({
    timestampMs: baseMs + index * 15_000,
    value: index,
  }));
  await writeToVictoriaMetrics(
    store.url,
    ["shop", "blog"].map((project) => ({
      labels: [
        { name: "__name__", value: "load" },
        { name: "project", value: project },
      ],
      samples,
    })),
    forever,
  );
  folder = await newFolder("query");
  file = join(folder, "telemetryd.yaml");
  await writeFile(file, `metrics: { url: "${store.url}", tenantLabel: project }\nops: {}\n`);
});

const time = new Date(baseMs + 60_000).toISOString();

function ask(text: string, options: Partial<QueryOptions> = {}) {
  return query({ file, overrides: [], environment: {}, query: text, time, ...options }, forever);
}

test("one time, as a table and as JSON", async () => {
  const { text, exitStatus } = await ask("sum(load)");
  expect(exitStatus).toBe(0);
  expect(text).toMatch(/^VALUE +TIME +SERIES\n8 +\S+Z +\{\}\n$/);
  const json = JSON.parse((await ask("sum(load)", { output: "json" })).text);
  expect(json).toMatchObject({
    query: "sum(load)",
    resultType: "vector",
    series: [{ points: [{ text: "8" }] }],
  });
});

test("a project sees its own only, and cannot ask for more", async () => {
  const { text } = await ask("count(load) by (job)", { project: "shop" });
  expect(text).toMatch(/\n1 /);
  const json = JSON.parse((await ask("load", { project: "blog", output: "json" })).text);
  expect(json.query).toBe('load{project="blog"}');
  expect(json.series.map((one: { labels: Record<string, string> }) => one.labels["project"])).toEqual([
    "blog",
  ]);
  const refused = await ask('load{project="shop"}', { project: "blog" });
  expect(refused).toMatchObject({
    exitStatus: 2,
    text: expect.stringContaining("must not name the label project"),
  });
});

test("a label's value does not steer the terminal, as JSON neither", async () => {
  const evil = "\u202e\u009b31m\u2066";
  const { text } = await ask(`label_set(sum(load), "evil", "${evil}")`, { output: "json" });
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(text).series[0].labels.evil).toBe(evil);
});

test("a span is plotted on the multiples of its step", async () => {
  const span = { time: undefined, from: new Date(baseMs).toISOString(), to: time, step: "15s" };
  const { text } = await ask('load{project="shop"}', span);
  expect(text).toMatch(/every 15 s\nPLOT .*\n▁▃▅▆█ +0 +4 +4 +\{/);
});

test.each([
  ["sum(", {}, /\^\nthe query is not MetricsQL/],
  ["load{", { output: "json" }, /is not MetricsQL/],
] as const)("%s is shown with a caret, status 2", async (text, options, message) => {
  const result = await ask(text, options);
  expect(result.exitStatus).toBe(2);
  expect(result.text).toMatch(message);
});

test.each([
  [{ time: undefined, from: "1h" }, "INVALID_ARGUMENT", /both --from and --to/],
  [{ from: "1h", to: "0s" }, "INVALID_ARGUMENT", /exclude each other/],
  [{ time: undefined, from: "1h", to: "0s", step: "1ms" }, "INVALID_ARGUMENT", /at most 1000/],
  [{ time: undefined, from: "1s", to: "1h" }, "INVALID_ARGUMENT", /before --to/],
  [{ step: "1s" }, "INVALID_ARGUMENT", /--step needs/],
  [{ project: "" }, "INVALID_ARGUMENT", /--project/],
  [{ overrides: ["metrics.tenantLabel="], project: "shop" }, "INVALID_ARGUMENT", /metrics.tenantLabel/],
  [{ overrides: ["metrics.url=http://127.0.0.1:1"] }, "UNREACHABLE", /cannot be reached/],
])("%j: %s", async (options, code, message) => {
  await expect(ask("load", options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test("what the store refuses is said in its words", async () => {
  await expect(ask("load / on(nothing) load")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
