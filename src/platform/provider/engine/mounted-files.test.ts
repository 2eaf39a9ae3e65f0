import { lstat, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeFiles } from "./mounted-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

const files = (contents: Record<string, string>, mode = 0o440) => ({
  mode,
  contents: Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, Buffer.from(text)])),
});

async function shown(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".."));
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

test("shows the files, then the later ones, and nothing of the earlier", async () => {
  await writeFiles(folder, files({ a: "1", b: "2" }));
  expect(await shown()).toEqual({ a: "1", b: "2" });
  expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o440);
  await writeFiles(folder, files({ b: "3", c: "" }, 0o400));
  expect(await shown()).toEqual({ b: "3", c: "" });
  expect((await stat(join(folder, "b"))).mode & 0o777).toBe(0o400);
  // The links, the current link and its target.
  expect(await readdir(folder)).toHaveLength(4);
});

test("writes nothing if nothing has changed", async () => {
  await writeFiles(folder, files({ a: "1" }));
  const before = await stat(join(folder, "a"));
  await writeFiles(folder, files({ a: "1" }));
  expect((await stat(join(folder, "a"))).ino).toBe(before.ino);
});

test("no files are an empty folder", async () => {
  await writeFiles(folder, files({ a: "1" }));
  await writeFiles(folder, files({}));
  expect(await shown()).toEqual({});
});

test("folders for what is mounted below hide the files of their names, until nothing is mounted there", async () => {
  const both = files({ a: "1", keys: "2" });
  const isFolder = async (...path: string[]) => (await lstat(join(folder, ...path))).isDirectory();
  await writeFiles(folder, both);
  for (let time = 0; time < 2; time++) await writeFiles(folder, both, ["keys/deep/er", "other"]);
  expect([await isFolder("keys", "deep", "er"), await isFolder("other")]).toEqual([true, true]);
  expect((await stat(join(folder, "keys", "deep"))).mode & 0o777).toBe(0o755);
  expect(await readFile(join(folder, "a"), "utf8")).toBe("1");
  await writeFiles(folder, both);
  expect(await shown()).toEqual({ a: "1", keys: "2" });
});

test.each(["..", "../a", "a/b", "..data", ".", "", "a\0"])("a key %j is refused", async (name) => {
  await expect(writeFiles(folder, files({ [name]: "x" }))).rejects.toMatchObject({ outcome: "refused" });
});
