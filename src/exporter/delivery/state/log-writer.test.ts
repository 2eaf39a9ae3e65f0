import { writeSync } from "node:fs";
import { type FileHandle, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogWriter } from "./log-writer.ts";

let folder: string;
let file: FileHandle;
let nowMs = 0;
/** Duration of each synchronous write. */
let tookMs = 0;
let quick = 0;

const writer = () =>
  new LogWriter(
    () => nowMs,
    (fd, bytes, at) => {
      quick++;
      nowMs += tookMs;
      // At most three bytes at a time, like a disk that is nearly full.
      return writeSync(fd, bytes, at, Math.min(3, bytes.length - at));
    },
  );

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-log-"));
  file = await open(join(folder, "log"), "a+");
  nowMs = 1_000;
  tookMs = 0;
  quick = 0;
});

afterEach(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

const written = () => readFile(join(folder, "log"), "utf8");

test("everything is written, in order, however little goes at once", async () => {
  const log = writer();
  await log.write(file, Buffer.from("one two three "));
  await log.write(file, Buffer.from("four"));
  await log.write(file, Buffer.alloc(0));
  expect(await written()).toBe("one two three four");
  expect(quick).toBe(7);
});

test("after a slow write, others do not hold up anybody for a while", async () => {
  const log = writer();
  tookMs = 21;
  await log.write(file, Buffer.from("slow and on"));
  expect(quick).toBe(1);
  await log.write(file, Buffer.from(", more"));
  expect(quick).toBe(1);
  nowMs += 10_000;
  tookMs = 20;
  await log.write(file, Buffer.from("!"));
  await log.write(file, Buffer.from("!"));
  expect(quick).toBe(3);
  expect(await written()).toBe("slow and on, more!!");
});

test("nor during an fsync", async () => {
  const log = writer();
  const syncing = log.sync(file);
  await log.write(file, Buffer.from("meanwhile"));
  expect(quick).toBe(0);
  await syncing;
  await log.write(file, Buffer.from("."));
  expect(quick).toBe(1);
  expect(await written()).toBe("meanwhile.");
});

test("a disk that fails is reported", async () => {
  const log = new LogWriter(
    () => 0,
    () => {
      throw new Error("ENOSPC: no space left on device");
    },
  );
  await expect(log.write(file, Buffer.from("x"))).rejects.toThrow("ENOSPC");
});
