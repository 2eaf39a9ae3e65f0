import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-replace-file-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("makes a file that only its owner reads, and replaces it", async () => {
  const path = join(folder, "file");
  await replaceFile(path, "one, and more");
  await replaceFile(path, Buffer.from("two"));
  expect(await readFile(path, "utf8")).toBe("two");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["file"]);
});

test("what a crash has left beside it is no obstacle", async () => {
  const path = join(folder, "file");
  await writeFile(`${path}.new`, "a part of what a killed process wrote");
  await replaceFile(path, "whole");
  expect(await readFile(path, "utf8")).toBe("whole");
});

test("a failure leaves nothing beside it", async () => {
  const path = join(folder, "directory");
  await mkdir(path);
  await expect(replaceFile(path, "text")).rejects.toMatchObject({ code: "EISDIR" });
  expect(await readdir(folder)).toEqual(["directory"]);
  await expect(replaceFile(join(folder, "none", "file"), "text")).rejects.toMatchObject({ code: "ENOENT" });
});
