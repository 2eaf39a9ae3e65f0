import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "./directory-lock.ts";

let directory: string;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "telemetryd-lock-")), "a".repeat(120));
});
afterEach(() => rm(join(directory, ".."), { recursive: true, force: true }));

test("a second lock is refused with the holder's process id, and possible after the release", async () => {
  const first = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow(
    `in use by another telemetryd (process ${process.pid})`,
  );
  await first.release();
  await first.release();
  await (await lockDirectory(directory)).release();
});

test("of many that start at once exactly one gets it, also over a dead socket", async () => {
  // A killed process leaves its socket file behind.
  const script = `require("net").createServer().listen(process.argv[1], () => console.log("ready"))`;
  const holder = spawn(process.execPath, ["-e", script, join(directory, "..", "l")]);
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await mkdir(directory);
  await rename(join(directory, "..", "l"), join(directory, "lock.sock"));

  const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => lockDirectory(directory)));
  const held = attempts.filter((attempt) => attempt.status === "fulfilled");
  expect(held.length).toBe(1);
  for (const attempt of held) await attempt.value.release();
});
