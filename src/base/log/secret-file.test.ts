import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../core/clock.ts";
import { SecretFile } from "./secret-file.ts";

const forever = new AbortController().signal;
let folder: string;
let nowMs = 0;
const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: async () => undefined };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "secret-file-"));
  nowMs = 1_000;
});
afterEach(() => rm(folder, { recursive: true }));

test("is read, without the line break at its end, and again when it changes", async () => {
  const path = join(folder, "password");
  await writeFile(path, "first\n");
  const secret = new SecretFile(path, clock);
  expect(await secret.value(forever)).toBe("first");

  await writeFile(`${path}.new`, "second\n\n");
  await rename(`${path}.new`, path);
  expect(await secret.value(forever)).toBe("first");
  nowMs += 1_000;
  expect(await secret.value(forever)).toBe("second\n");
});

test("a file that vanishes or is emptied leaves the last content in force", async () => {
  const path = join(folder, "password");
  await writeFile(path, "kept");
  const secret = new SecretFile(path, clock);
  await secret.value(forever);
  await writeFile(path, "");
  nowMs += 1_000;
  expect(await secret.value(forever)).toBe("kept");
  await rm(path);
  nowMs += 1_000;
  expect(await secret.value(forever)).toBe("kept");
});

test.each([
  ["missing", undefined, /no such file/],
  ["empty", "\n", /it is empty/],
  ["large", "x".repeat(65 * 1024), /larger than 64 KiB/],
])("%s from the start is an error that names the file", async (name, content, message) => {
  const path = join(folder, name);
  if (content !== undefined) await writeFile(path, content);
  const secret = new SecretFile(path, clock);
  await expect(secret.value(forever)).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    message: expect.stringMatching(message),
  });
});
