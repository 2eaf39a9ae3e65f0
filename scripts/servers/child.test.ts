import { expect, it } from "vitest";
import { type Child, startChild, waitUntilReady } from "./child.ts";
import { isRunning } from "./process-table.ts";

const { signal } = new AbortController();

function shell(script: string, ownGroup = false): Promise<Child> {
  return startChild({ name: "shell", program: "/bin/sh", args: ["-c", script], ownGroup });
}

it("keeps the output of both streams and reports how the process ended", async () => {
  const child = await shell("echo out; echo err >&2; exit 3");
  expect(await child.exited).toEqual({ code: 3, signal: null });
  expect(child.log().split("\n").sort()).toEqual(["", "err", "out"]);
  expect(child.exit()).toEqual({ code: 3, signal: null });
});

it("cannot start what is not there", async () => {
  const start = startChild({ name: "ghost", program: "/nonexistent/ghost", args: [] });
  await expect(start).rejects.toThrow("ghost: cannot be started");
});

it("stop kills what does not listen to SIGTERM, and may be called twice", async () => {
  const child = await shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
  await expect.poll(() => child.log()).toContain("up");
  expect(await child.stop(100)).toEqual({ code: null, signal: "SIGKILL" });
  expect(await child.stop()).toEqual({ code: null, signal: "SIGKILL" });
});

it("signals the whole process group", async () => {
  const child = await shell("sleep 60 & echo $!; wait", true);
  await expect.poll(() => child.log()).toMatch(/^\d+\n/);
  const grandchild = Number(child.log());
  expect(isRunning(grandchild)).toBe(true);
  await child.kill();
  await expect.poll(() => isRunning(grandchild)).toBe(false);
});

it("says why a server did not become ready", async () => {
  const ends = await shell("echo 'cannot open data'; exit 1");
  const never = async (): Promise<boolean> => false;
  await expect(waitUntilReady("db", ends, never, 5000, signal)).rejects.toThrow(
    /^db: ended while it started \(exit status 1\); the end of its log:\n {2}cannot open data$/,
  );
  const hangs = await shell("echo 'still loading'; exec sleep 60");
  await expect(waitUntilReady("db", hangs, never, 200, signal)).rejects.toThrow(
    /^db: not ready after 200 ms; the end of its log:\n {2}still loading$/,
  );
  expect(hangs.exit()).toEqual({ code: null, signal: "SIGKILL" });
});
