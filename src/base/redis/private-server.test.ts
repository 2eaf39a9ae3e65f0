import { join } from "node:path";
import { expect, test } from "vitest";
import { socketPath } from "./private-server.ts";

test("the socket is in the state directory where its path fits", () => {
  expect(socketPath("/var/lib/telemetryd")).toBe("/var/lib/telemetryd/redis/redis.sock");
});

test("a long path gets a short stand-in of its own", () => {
  const long = join("/tmp", "x".repeat(120));
  const path = socketPath(long);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(104);
  expect(path).not.toBe(socketPath(`${long}y`));
  expect(path).toBe(socketPath(long));
});
