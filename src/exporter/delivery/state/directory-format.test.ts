import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkDirectoryFormat, claimFormat, directoryFormat } from "./directory-format.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-format-"));
  file = join(directory, "format");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("a directory without a number gets this program's; a check alone writes nothing", async () => {
  expect(await checkDirectoryFormat(directory)).toBe(true);
  expect(await readdir(directory)).toEqual([]);
  await claimFormat(directory);
  expect(await readFile(file, "utf8")).toBe(`${directoryFormat}\n`);
  expect(await readdir(directory)).toEqual(["format"]);
  expect(await checkDirectoryFormat(directory)).toBe(false);
});

test("a newer number is refused with its file and what to do, and stays", async () => {
  await writeFile(file, "7\n");
  await expect(claimFormat(directory)).rejects.toThrow(
    `${file}: the state was written by a newer telemetryd (format 7; this one knows ${directoryFormat}): run that version`,
  );
  expect(await readFile(file, "utf8")).toBe("7\n");
});

test("what cannot be written is named", async () => {
  await mkdir(`${file}.new`);
  await expect(claimFormat(directory)).rejects.toThrow(`${file} cannot be used: EISDIR`);
});
