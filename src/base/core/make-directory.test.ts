import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-make-directory-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("missing parents are created, for this user only; what exists stays", async () => {
  const path = join(folder, "a", "b", "c");
  await Promise.all([makeDirectory(path), makeDirectory(path), makeDirectory(join(folder, "a"))]);
  await makeDirectory(path);
  for (const made of [path, join(folder, "a")]) expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test("a path that leads nowhere is an error, not a loop", async () => {
  await writeFile(join(folder, "file"), "");
  await symlink(join(folder, "missing", "x"), join(folder, "dangling"));
  for (const [path, code] of [
    [join(folder, "file"), "EEXIST"],
    [join(folder, "file", "x"), "ENOTDIR"],
    [join(folder, "dangling"), "EEXIST"],
    ["/proc/x", "ENOENT"],
    ["/proc/x/y", "ENOENT"],
  ] as const) {
    await expect(makeDirectory(path), path).rejects.toMatchObject({ code });
  }
});
