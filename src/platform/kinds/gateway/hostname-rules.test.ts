import { expect, test } from "vitest";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { checkHostname, commonHostname } from "./hostname-rules.ts";

test.each([
  ["a.example.com", "a.example.com", "a.example.com"],
  ["a.example.com", "b.example.com", undefined],
  ["*.example.com", "a.example.com", "a.example.com"],
  ["*.example.com", "a.b.example.com", "a.b.example.com"],
  ["*.example.com", "example.com", undefined],
  ["*.example.com", "xexample.com", undefined],
  ["*.example.com", "*.b.example.com", "*.b.example.com"],
  ["*.example.com", "*.example.com", "*.example.com"],
  ["*.example.com", "*.com", "*.example.com"],
  ["*.a.com", "*.b.com", undefined],
])("%s and %s have in common: %s", (a, b, common) => {
  expect(commonHostname(a, b)).toBe(common);
  expect(commonHostname(b, a)).toBe(common);
});

test.each([
  ["www.example.com", undefined],
  ["*.example.com", undefined],
  ["192.0.2.1", "must be a DNS name, not an address"],
  ["localhost", "must be a whole DNS name"],
  ["*.com", "must be a whole DNS name"],
  [`${"a".repeat(64)}.example.com`, "must have labels of at most 63 characters"],
])("%s as a hostname: %s", (name, fault) => {
  const faults = new FaultList();
  checkHostname(name, "spec.hostnames[0]", faults);
  expect(faults.errors.length > 0).toBe(fault !== undefined);
  if (fault !== undefined) expect(JSON.stringify(faults.errors)).toContain(fault);
});
