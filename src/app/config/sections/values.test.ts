import { describe, expect, test } from "vitest";
import {
  addressRangeProblem,
  cityCodeProblem,
  domainProblem,
  machineAddressesProblem,
  nameProblem,
  socketPathProblem,
} from "./values.ts";

describe.each<[what: string, problem: (text: string) => string | undefined, good: string[], bad: string[]]>([
  [
    "address range",
    addressRangeProblem,
    ["10.0.0.0/8", "10.1.2.3", "fd00::/8", "::1"],
    ["10.0.0.0/33", "2130706433", "localhost"],
  ],
  ["name", nameProblem, ["web", "my.domain-1"], ["Web", "-web", "a..b", "a/b"]],
  [
    "domain",
    domainProblem,
    [
      "proxy.localhost",
      "localhost",
      "xn--bcher-kva.example",
      "4.example",
      `${"a".repeat(63)}.example`,
      `${"abcdefghi.".repeat(19)}abcdefghij`,
    ],
    [
      `${"abcdefghi.".repeat(19)}abcdefghijk`,
      `${"a".repeat(64)}.example`,
      "Proxy.example",
      "proxy.example.",
      ".example",
      "*.example",
      "proxy_1.example",
      "-a.example",
      "bücher.example",
      "example:80",
      "10.0.0.1",
      "a.0x7f",
    ],
  ],
  ["city code", cityCodeProblem, ["DFW", "X1"], ["dfw", "D FW", "A".repeat(17)]],
  [
    "socket",
    socketPathProblem,
    ["/run/podman/podman.sock"],
    ["podman.sock", "unix:///run/podman/podman.sock", `/${"x".repeat(107)}`],
  ],
  [
    "addresses of this machine",
    machineAddressesProblem,
    [
      "203.0.113.10",
      "2001:db8::10",
      "::1",
      "10.0.0.0/8",
      "203.0.113.16/28",
      "2001:db8::10/127",
      "203.0.113.10-203.0.114.2",
    ],
    [
      "0.0.0.0",
      "::",
      "fe80::1%eth0",
      "203.0.113.17/28",
      "2001:db8::11/127",
      "203.0.113.10-203.0.113.9",
      "203.0.113.10-2001:db8::",
      "0.0.0.0/8",
      "localhost",
    ],
  ],
])("%s", (_what, problem, good, bad) => {
  test.each(good)("%s is one", (text) => {
    expect(problem(text)).toBeUndefined();
  });
  test.each(bad)("%s is none", (text) => {
    expect(problem(text)).toBeDefined();
  });
});
