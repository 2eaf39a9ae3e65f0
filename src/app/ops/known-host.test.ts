import { expect, test } from "vitest";
import { isKnownHost } from "./known-host.ts";

const names = new Set(["ops.example.com"]);

test.each<[host: string | undefined, onLoopback: boolean, onNetwork: boolean]>([
  ["127.0.0.1:9464", true, true],
  ["10.1.2.3:9464", true, true],
  ["[::1]:9464", true, true],
  ["[fd00::1]", true, true],
  ["localhost:9464", true, true],
  ["LOCALHOST", true, true],
  ["localhost.:9464", true, true],
  ["a.localhost:9464", true, true],
  ["ops.example.com", true, true],
  ["OPS.example.com.:443", true, true],
  [undefined, true, true],
  // No outsider can register these; on loopback they are not needed.
  ["telemetryd:9464", false, true],
  ["telemetryd.monitoring.svc:9464", false, true],
  ["telemetryd.monitoring.svc.cluster.local:9464", false, true],
  ["evil.example:9464", false, false],
  ["127.0.0.1.evil.example:9464", false, false],
  ["localhost.evil.example:9464", false, false],
  ["ops.example.com.evil.example", false, false],
  ["evil.example:9464:9464", false, false],
  ["evil.example/127.0.0.1", false, false],
  ["evil.example@127.0.0.1", false, false],
  ["[::1", false, false],
  ["", false, false],
])("%s", (host, onLoopback, onNetwork) => {
  expect(isKnownHost(host, "127.0.0.1", names)).toBe(onLoopback);
  expect(isKnownHost(host, "localhost", names)).toBe(onLoopback);
  expect(isKnownHost(host, "", names)).toBe(onNetwork);
});

test("the name that it listens at", () => {
  expect(isKnownHost("telemetryd.example.com:9464", "telemetryd.example.com", new Set())).toBe(true);
});
