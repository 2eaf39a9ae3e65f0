import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findProgram } from "./program-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-programs-"));
  for (const name of ["first", "second", "sbin"]) await mkdir(join(folder, name));
  vi.stubEnv("PATH", `${join(folder, "first")}::${join(folder, "second")}`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function program(path: string, mode = 0o755): Promise<void> {
  await writeFile(join(folder, path), "#!/bin/sh\n");
  await chmod(join(folder, path), mode);
}

const find = () => findProgram("haproxy", [join(folder, "sbin")]);

test("PATH comes first, in its order; then the further folders", async () => {
  expect(await find()).toBeUndefined();
  for (const place of ["sbin", "second", "first"]) {
    await program(`${place}/haproxy`);
    expect(await find()).toBe(join(folder, place, "haproxy"));
  }
});

test("a folder, and a file that cannot be run, are no programs", async () => {
  await mkdir(join(folder, "first/haproxy"));
  await program("second/haproxy", 0o644);
  expect(await find()).toBeUndefined();
});
