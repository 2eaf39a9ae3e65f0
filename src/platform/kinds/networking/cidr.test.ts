import fc from "fast-check";
import { expect, test } from "vitest";
import { type CidrBlock, isStrictSubset, overlap, parseCidr } from "./cidr.ts";

const parsed = (text: string): CidrBlock => {
  const block = parseCidr(text);
  if (block === undefined) throw new Error(text);
  return block;
};

test.each([
  ["10.0.0.0/8", "IPv4", 8, false],
  ["10.0.0.1/8", "IPv4", 8, true],
  ["0.0.0.0/0", "IPv4", 0, false],
  ["255.255.255.255/32", "IPv4", 32, false],
  ["::/0", "IPv6", 0, false],
  ["FD20::/20", "IPv6", 20, false],
  ["fd20::1/64", "IPv6", 64, true],
  ["::ffff:10.0.0.0/104", "IPv6", 104, false],
])("%s", (text, family, prefixLength, hasHostBits) => {
  expect(parseCidr(text)).toMatchObject({ family, prefixLength, hasHostBits });
});

test.each([
  ...["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0/8", "010.0.0.0/8"],
  ...["0x0a.0.0.0/8", "167772160/8", "10.0.0.0/8 ", " 10.0.0.0/8", "10.0.0.0/8/8", "fd00::/129", "fd00:::/8"],
  ...["fe80::%eth0/64", "[fd00::]/8", "::/-1", "1::2::3/64", `${"0".repeat(1_000_000)}/8`],
])("no block: %j", (text) => {
  expect(parseCidr(text)).toBeUndefined();
});

const block = fc
  .tuple(fc.nat({ max: 3 }), fc.nat({ max: 255 }), fc.integer({ min: 6, max: 16 }))
  .map(([first, second, length]) => parsed(`${first}.${second}.0.0/${length}`));

test("blocks overlap if and only if one is in the other, or they are equal", () => {
  fc.assert(
    fc.property(block, block, (left, right) => {
      const isEqual = left.first === right.first && left.last === right.last;
      const isNested = isStrictSubset(left, right) || isStrictSubset(right, left);
      expect(overlap(left, right)).toBe(isEqual || isNested);
      expect(overlap(left, right)).toBe(overlap(right, left));
    }),
  );
});

test("a block has 2 to the power of the remaining bits addresses", () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 0, max: 128 }), (address, length) => {
      const { first, last } = parsed(`${address}/${length}`);
      expect(last - first + 1n).toBe(2n ** BigInt(128 - length));
      expect(first % (last - first + 1n)).toBe(0n);
    }),
  );
});
