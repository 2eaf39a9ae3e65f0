import { expect, test } from "vitest";
import { subnetBlock } from "./subnet-block.ts";

const conditions = [{ type: "Allocated", status: "True" }];

test.each([
  ["10.128.0.0", 20, { kind: "block", cidr: "10.128.0.0/20" }],
  ["fd20:0:0:1::", 64, { kind: "block", cidr: "fd20:0:0:1::/64" }],
  ["10.128.0.1", 20, { kind: "invalid", message: "the subnet's block 10.128.0.1/20 has host bits" }],
  ["8.8.8.0", 24, { kind: "invalid", message: "the subnet's block 8.8.8.0/24 is not private" }],
  ["127.0.0.0", 24, { kind: "invalid", message: "the subnet's block 127.0.0.0/24 is not private" }],
  [
    "10.0.0.0",
    8,
    { kind: "invalid", message: "the subnet's block 10.0.0.0/8 must have a prefix of 16 to 29 bits" },
  ],
  ["x", 20, { kind: "invalid", message: "the subnet's block x/20 is no address block" }],
])("%s/%i", (startAddress, prefixLength, block) => {
  expect(subnetBlock({ status: { startAddress, prefixLength, conditions } })).toEqual(block);
});

const ranges = ["10.128.0.0/9", "fd20::/20"];
test.each([
  ["10.128.0.0", 20, "block"],
  ["10.255.240.0", 20, "block"],
  ["fd20:0:0:1::", 64, "block"],
  ["10.20.0.0", 20, "invalid"],
  ["10.127.240.0", 20, "invalid"],
  ["192.168.0.0", 24, "invalid"],
  ["fd00:0:0:1::", 64, "invalid"],
])("of the ranges %s: %s/%i", (startAddress, prefixLength, kind) => {
  const block = subnetBlock({ status: { startAddress, prefixLength, conditions } }, ranges);
  expect(block.kind).toBe(kind);
  if (block.kind === "invalid") expect(block.message).toContain(ranges.join(", "));
});

test("a subnet that is not allocated has none", () => {
  expect(subnetBlock({ status: { startAddress: "10.0.0.0", prefixLength: 20 } })).toEqual({ kind: "none" });
});
