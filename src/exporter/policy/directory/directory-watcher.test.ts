import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { type Clock, systemClock } from "../../../base/core/clock.ts";
import { createLogger, silentLogger } from "../../../base/log/log.ts";
import { PolicyStore } from "../store.ts";
import { DirectoryWatcher } from "./directory-watcher.ts";

const policy = (name: string, endpoint = "http://h/") => `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: ${name} }
spec:
  sources: [{ name: a, metrics: { metricsql: up } }]
  sinks: [{ name: s, sources: [a], target: { prometheusRemoteWrite: { endpoint: "${endpoint}" } } }]
`;

let folder: string;
let store: PolicyStore;
let source: DirectoryWatcher;
let stop: AbortController;
let running: Promise<void>;
let lines: string[];
/** Every set of policies that the store announced, in order. */
let history: string[];

const put = (name: string, text: string) => writeFile(join(folder, name), text);
const present = () =>
  store
    .policies()
    .map(({ ref, policy: good }) => `${ref.name}=${good?.sinks[0]?.endpoint}`)
    .toSorted()
    .join(" ");

async function becomes(expected: string): Promise<void> {
  await until(`the policies are ${expected}`, () => present() === expected);
}

function start(): void {
  source = new DirectoryWatcher({
    directory: folder,
    store,
    clock: systemClock,
    log: createLogger("info", { write: (line: string) => lines.push(line) }, false),
  });
  running = source.run(stop.signal);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "policies-"));
  store = new PolicyStore();
  history = [];
  lines = [];
  store.subscribe(() => history.push(present()));
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running;
  await rm(folder, { recursive: true });
});

test("what is there at the start, then additions, edits in place, atomic renames and deletions", async () => {
  await put("a.yaml", policy("a"));
  await put(".hidden.yaml", policy("hidden"));
  await put("notes.txt", "not a manifest");
  start();
  await becomes("a=http://h/");
  await put(
    "b.json",
    JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: {} }),
  );
  await put("c.yml", policy("c"));
  await becomes("a=http://h/ c=http://h/");
  expect(store.secret("directory", "default", "s")).toBeDefined();
  await put("a.yaml", policy("a", "http://i/"));
  await becomes("a=http://i/ c=http://h/");
  await put("a.new", policy("a", "http://j/"));
  await rename(join(folder, "a.new"), join(folder, "a.yaml"));
  await becomes("a=http://j/ c=http://h/");
  await rm(join(folder, "a.yaml"));
  await becomes("c=http://h/");
});

test("Kubernetes' way: the files are symlinks through ..data, which is swapped", async () => {
  const publish = async (version: string, files: Record<string, string>) => {
    await mkdir(join(folder, `..${version}`));
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, `..${version}`, name), text);
    await symlink(`..${version}`, join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  await publish("one", { "a.yaml": policy("a") });
  await symlink("..data/a.yaml", join(folder, "a.yaml"));
  start();
  await becomes("a=http://h/");
  await publish("two", { "a.yaml": policy("a", "http://i/"), "b.yaml": policy("b") });
  await symlink("..data/b.yaml", join(folder, "b.yaml"));
  await rm(join(folder, "..one"), { recursive: true });
  await becomes("a=http://i/ b=http://h/");
  await publish("three", { "a.yaml": policy("a", "http://i/") });
  await rm(join(folder, "b.yaml"));
  await becomes("a=http://i/");
});

test("a broken file keeps what it held, says so once, and takes the next good edit", async () => {
  await put("a.yaml", `${policy("a")}---\n${policy("b")}`);
  start();
  await becomes("a=http://h/ b=http://h/");
  await put("a.yaml", `${policy("a", "http://i/")}---\nkind: [\n`);
  await until("it is logged", () => lines.some((line) => line.includes("stays in force")));
  expect(present()).toBe("a=http://h/ b=http://h/");
  expect(source.snapshot().files).toMatchObject([
    { policies: 2, faults: [expect.stringContaining("a.yaml:9:1: error")] },
  ]);
  expect(source.problems()).toEqual([
    "a policy file has errors, which telemetryd validate shows: a.yaml line 9",
  ]);
  await put("a.yaml", policy("a", "http://i/"));
  await becomes("a=http://i/");
  expect(lines.filter((line) => line.includes("stays in force"))).toHaveLength(1);
  expect(source.snapshot().files[0]?.faults).toEqual([]);
  expect(source.problems()).toEqual([]);
});

test("file errors: what no policy's conditions show", async () => {
  await put("a.yaml", policy("a"));
  await put("again.yaml", policy("a"));
  await put("nameless.yaml", policy("b").replace("name: b", "title: b"));
  await put("query.yaml", policy("c").replace("metricsql: up", 'metricsql: "up{"'));
  await put("text.yaml", "not a manifest");
  start();
  await until("all are read", () => source.fileErrors().length === 3);
  expect(source.fileErrors().map(({ file }) => file.replace(/.*\//, ""))).toEqual([
    "again.yaml",
    "nameless.yaml",
    "text.yaml",
  ]);
  expect(source.problems()).toEqual([
    expect.stringMatching(
      /^3 policy files have errors, .*: again.yaml line \d+, nameless.yaml line \d+, text/,
    ),
  ]);
  await rm(folder, { recursive: true });
  await until("it is missed", () => source.problems()[0]?.includes("cannot be read") === true);
  expect(source.errorCount()).toBe(4);
  await mkdir(folder);
  await until("it is there again", () => source.problems().length === 0);
});

describe("no gap", () => {
  test("while an editor deletes a file and writes it again", async () => {
    await put("a.yaml", policy("a"));
    start();
    await becomes("a=http://h/");
    for (const endpoint of ["http://i/", "http://j/", "http://k/"]) {
      await rename(join(folder, "a.yaml"), join(folder, "a.yaml~"));
      await put("a.yaml", "");
      await put("a.yaml", policy("a", endpoint));
    }
    await becomes("a=http://k/");
    expect(history).not.toContain("");
  });

  test("while a policy moves from one file to another", async () => {
    await put("a.yaml", policy("a"));
    start();
    await becomes("a=http://h/");
    await rename(join(folder, "a.yaml"), join(folder, "b.yaml"));
    await until("b.yaml is seen", () => source.snapshot().files.some((file) => file.path.endsWith("b.yaml")));
    await until("a.yaml is gone", () => source.snapshot().files.length === 1);
    expect(history).not.toContain("");
    expect(store.policies()[0]?.generation).toBe(1);
  });

  test("while the directory is missing", async () => {
    await put("a.yaml", policy("a"));
    start();
    await becomes("a=http://h/");
    await rename(folder, `${folder}.away`);
    await until("it is missed", () => source.snapshot().problem !== undefined);
    expect(present()).toBe("a=http://h/");
    await rename(`${folder}.away`, folder);
    await put("a.yaml", policy("a", "http://i/"));
    await becomes("a=http://i/");
    expect(source.snapshot().problem).toBeUndefined();
    expect(history).not.toContain("");
  });
});

test("a file that is too large, and a name that is a directory, are faults and nothing more", async () => {
  await put("a.yaml", policy("a"));
  await put("big.yaml", `# ${"x".repeat(1024 * 1024)}\n${policy("big")}`);
  await mkdir(join(folder, "folder.yaml"));
  await symlink("nowhere.yaml", join(folder, "dangling.yaml"));
  start();
  await becomes("a=http://h/");
  const faults = source.snapshot().files.map((file) => file.faults.join());
  expect(faults).toEqual([
    "",
    expect.stringContaining("larger than 1 MiB"),
    expect.stringContaining("not a file"),
  ]);
  // A second scan announces nothing.
  const announced = history.length;
  await source.look(stop.signal);
  await source.look(stop.signal);
  expect(history).toHaveLength(announced);
  expect(lines.filter((line) => line.includes("stays in force"))).toHaveLength(2);
});

test("without any event, a change takes effect after two looks, within 2 s", async () => {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: async () => undefined };
  const still = new DirectoryWatcher({ directory: folder, store, clock, log: silentLogger });
  await put("a.yaml", policy("a"));
  await still.look(stop.signal);
  expect(present()).toBe("a=http://h/");

  await put("a.yaml", policy("a", "http://i/"));
  // The change came just after a scan: a full pause passes before the next one.
  let pauseMs = 1_500;
  for (let looks = 0; present() === "a=http://h/" && looks < 10; looks++) {
    nowMs += pauseMs;
    pauseMs = await still.look(stop.signal);
  }
  expect(present()).toBe("a=http://i/");
  expect(nowMs).toBeLessThanOrEqual(2_000);
});
