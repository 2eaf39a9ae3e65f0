import { expect, test } from "vitest";
import {
  addressRangeProblem,
  cityCodeProblem,
  domainProblem,
  machineAddressesProblem,
  nameProblem,
  socketPathProblem,
} from "./values.ts";

test.each([
  ["10.0.0.0/8", true],
  ["10.1.2.3", true],
  ["fd00::/8", true],
  ["::1", true],
  ["10.0.0.0/33", false],
  ["2130706433", false],
  ["localhost", false],
])("address range %s", (text, good) => {
  expect(addressRangeProblem(text) === undefined).toBe(good);
});

test.each([
  ["web", true],
  ["my.domain-1", true],
  ["Web", false],
  ["-web", false],
  ["a..b", false],
  ["a/b", false],
])("name %s", (text, good) => {
  expect(nameProblem(text) === undefined).toBe(good);
});

test.each([
  ["proxy.localhost", true],
  ["localhost", true],
  ["xn--bcher-kva.example", true],
  ["4.example", true],
  [`${"a".repeat(63)}.example`, true],
  [`${"abcdefghi.".repeat(19)}abcdefghij`, true],
  [`${"abcdefghi.".repeat(19)}abcdefghijk`, false],
  [`${"a".repeat(64)}.example`, false],
  ["Proxy.example", false],
  ["proxy.example.", false],
  [".example", false],
  ["*.example", false],
  ["proxy_1.example", false],
  ["-a.example", false],
  ["bücher.example", false],
  ["example:80", false],
  ["10.0.0.1", false],
  ["a.0x7f", false],
])("domain %s", (text, good) => {
  expect(domainProblem(text) === undefined).toBe(good);
});

test.each([
  ["DFW", true],
  ["X1", true],
  ["dfw", false],
  ["D FW", false],
  ["A".repeat(17), false],
])("city code %s", (text, good) => {
  expect(cityCodeProblem(text) === undefined).toBe(good);
});

test.each([
  ["/run/podman/podman.sock", true],
  ["podman.sock", false],
  ["unix:///run/podman/podman.sock", false],
  [`/${"x".repeat(107)}`, false],
])("socket %s", (text, good) => {
  expect(socketPathProblem(text) === undefined).toBe(good);
});

test.each([
  ["203.0.113.10", true],
  ["2001:db8::10", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["fe80::1%eth0", false],
  ["10.0.0.0/8", true],
  ["203.0.113.16/28", true],
  ["203.0.113.17/28", false],
  ["2001:db8::10/127", true],
  ["2001:db8::11/127", false],
  ["203.0.113.10-203.0.114.2", true],
  ["203.0.113.10-203.0.113.9", false],
  ["203.0.113.10-2001:db8::", false],
  ["0.0.0.0/8", false],
  ["localhost", false],
])("addresses of this machine %s", (text, good) => {
  expect(machineAddressesProblem(text) === undefined).toBe(good);
});
