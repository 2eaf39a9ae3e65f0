import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { currentHoldings, leaksSince } from "../support/leak-check.ts";

async function startedServer(): Promise<() => Promise<unknown>> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return () => {
    server.close();
    return once(server, "close");
  };
}

async function startedProcess(): Promise<() => Promise<unknown>> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  return () => {
    child.kill("SIGKILL");
    return once(child, "exit");
  };
}

async function startedTimer(): Promise<() => Promise<unknown>> {
  const timer = setInterval(() => undefined, 60_000);
  return async () => clearInterval(timer);
}

it.each([
  ["a listening socket", startedServer, /TCPServerWrap|TCPSERVERWRAP/],
  ["a child process", startedProcess, /process \d+: sleep 60/],
  ["a timer", startedTimer, /Timeout/],
])("sees %s that was left, and that it is gone", async (_name, start, expected) => {
  const before = currentHoldings();
  const stop = await start();
  expect(leaksSince(before, currentHoldings()).join("\n")).toMatch(expected);
  await stop();
  await expect.poll(() => leaksSince(before, currentHoldings())).toEqual([]);
});
