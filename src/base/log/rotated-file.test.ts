import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "./log.ts";
import { RotatedFile, type RotatedFileOptions } from "./rotated-file.ts";

let folder: string;
let path: string;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-rotated-"));
  path = join(folder, "logs", "audit.log");
  stop = new AbortController();
});
afterEach(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

function start(options: Partial<RotatedFileOptions> = {}): RotatedFile {
  const file = new RotatedFile({
    ...{ path, maxBytes: 1_000, maxFiles: 3, clock: new TestClock(0), log: silentLogger },
    ...options,
  });
  running = file.run(stop.signal);
  return file;
}

async function end(): Promise<void> {
  stop.abort();
  await running;
}

const line = (index: number): string => `${String(index).padStart(99, "0")}\n`;
const read = (file: string) => readFile(file, "utf8").catch(() => "");

test("lines are written in their order, by a file that only its owner reads", async () => {
  const file = start();
  for (let index = 0; index < 5; index++) expect(file.add(line(index))).toBe(true);
  const all = [0, 1, 2, 3, 4].map(line).join("");
  await until("they are written", async () => (await read(path)) === all);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("files are rotated by size, and their number is bounded, also after it was lowered", async () => {
  await rm(folder, { recursive: true, force: true });
  const file = start({ maxFiles: 5 });
  for (let index = 0; index < 45; index++) {
    file.add(line(index));
    if (index % 10 === 9) await until("written", async () => (await read(path)).includes(line(index)));
  }
  await end();
  const names = ["audit.log", "audit.log.1", "audit.log.2", "audit.log.3", "audit.log.4"];
  expect((await readdir(join(folder, "logs"))).sort()).toEqual(names);
  const texts = await Promise.all(names.toReversed().map((name) => read(join(folder, "logs", name))));
  expect(texts.join("")).toBe(Array.from({ length: 45 }, (_, index) => line(index)).join(""));
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
  stop = new AbortController();
  const fewer = start({ maxFiles: 2 });
  for (let index = 45; index < 52; index++) fewer.add(line(index));
  await end();
  expect((await readdir(join(folder, "logs"))).sort()).toEqual(["audit.log", "audit.log.1"]);
});

test("lines that come while others are written are written together in the next turn", async () => {
  const clock = new TestClock(0);
  const file = start({ clock, maxBytes: 1e9 });
  const turns = () => clock.pauses.filter((ms) => ms === 100).length;
  let count = 0;
  // Each turn of the event loop adds one, and a write takes several.
  for (; turns() < 3 && count < 100_000; count++) {
    file.add(line(count));
    await new Promise(setImmediate);
  }
  expect(turns()).toBe(3);
  await end();
  expect(await read(path)).toBe(Array.from({ length: count }, (_, index) => line(index)).join(""));
});

test("what another process appends counts for the size, and is rotated with it", async () => {
  const file = start();
  file.add(line(1));
  await until("it is written", async () => (await read(path)) === line(1));
  const others = Array.from({ length: 9 }, (_, index) => line(100 + index)).join("");
  await appendFile(path, others);
  file.add(line(2));
  await end();
  expect([await read(`${path}.1`), await read(path)]).toEqual([line(1) + others, line(2)]);
});

test("what cannot be written is kept and written later, without repeats; a full queue refuses lines", async () => {
  await writeFile(join(folder, "logs"), "in the way of the folder");
  const file = start({ maxQueuedBytes: 300 });
  expect([1, 2, 3, 4].map((index) => file.add(line(index)))).toEqual([true, true, true, false]);
  await until("the reason is known", () => file.problem()?.includes(path) === true);
  await rm(join(folder, "logs"));
  const all = [1, 2, 3].map(line).join("");
  await until("they are written", async () => (await read(path)) === all);
  expect(file.add(line(5))).toBe(true);
  await until("writing works again", () => file.problem() === undefined);
});

test("a file that was moved is created again; what is queued at the end is written", async () => {
  const file = start();
  file.add(line(1));
  await until("it is written", async () => (await read(path)) === line(1));
  await rename(path, `${path}.moved`);
  file.add(line(2));
  await end();
  expect([await read(`${path}.moved`), await read(path)]).toEqual([line(1), line(2)]);
});

test("only regular files are written", async () => {
  const file = start({ path: "/dev/null" });
  file.add(line(1));
  await until("the reason is known", () => /not a regular file/.test(file.problem() ?? ""));
});
