import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { appendLine } from "./append-line.ts";
import { silentLogger } from "./log.ts";
import { RotatedFile } from "./rotated-file.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-append-"));
  path = join(folder, "platform", "audit.log");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a missing file is created for its owner only, and keeps what it has", async () => {
  await appendLine(path, "one\n");
  await appendLine(path, "two\n");
  expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("beside a file that is written and rotated all the time, no line is lost or divided", async () => {
  const stop = new AbortController();
  const options = { path, maxBytes: 4_000, maxFiles: 1_000, clock: systemClock, log: silentLogger };
  const rotated = new RotatedFile(options);
  const running = rotated.run(stop.signal);
  const text = (who: string, index: number) => `${who} ${String(index).padStart(90, "0")}\n`;
  const expected: string[] = [];
  for (let index = 0; index < 300; index++) {
    expected.push(text("daemon", index), text("command", index));
    rotated.add(text("daemon", index));
    await appendLine(path, text("command", index));
    if (index % 20 === 0) await systemClock.sleep(60, stop.signal);
  }
  stop.abort();
  await running;
  const names = await readdir(join(folder, "platform"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, "platform", name), "utf8")));
  expect(names.length).toBeGreaterThan(4);
  expect(texts.join("").match(/.*\n/g)?.sort()).toEqual(expected.sort());
});

test("only regular files are written, and the reason of a failure is the system's", async () => {
  await expect(appendLine("/dev/null", "line\n")).rejects.toThrow("not a regular file");
  await writeFile(join(folder, "file"), "");
  await expect(appendLine(join(folder, "file", "audit.log"), "line\n")).rejects.toThrow(/EEXIST|ENOTDIR/);
});

test.runIf(process.getuid?.() === 0)("root's file belongs to the owner of the folder", async () => {
  await chown(folder, 12_345, 12_346);
  await appendLine(path, "line\n");
  for (const each of [path, join(folder, "platform")])
    expect(await stat(each)).toMatchObject({ uid: 12_345, gid: 12_346 });
});
