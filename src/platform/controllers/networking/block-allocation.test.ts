import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCidr } from "../../kinds/networking/cidr.ts";
import { addressText, blockNumber, blockText, freeNumbers } from "./block-allocation.ts";

const range = (text: string) => parseCidr(text) ?? expect.fail(`${text} is no block`);

test.each([
  ["10.128.0.0/9", [], "10.128.0.0/20"],
  ["10.128.0.0/9", ["10.128.0.0/20"], "10.128.16.0/20"],
  ["10.128.0.0/9", ["10.128.16.0/20", "10.128.0.0/20", "10.128.0.0/20"], "10.128.32.0/20"],
  ["10.0.0.0/20", [], "10.0.0.0/20"],
  ["10.0.0.0/20", ["10.0.0.0/20"], undefined],
  ["fd20:0:1::/48", [], "fd20:0:1::/64"],
  ["fd20:0:1::/48", ["fd20:0:1::/64"], "fd20:0:1:1::/64"],
])("%s with %j held: %s", (text, held, expected) => {
  const { family } = range(text);
  const numbers = held.map((each) => blockNumber(range(each)));
  const first = freeNumbers([range(text)], numbers)[0]?.[0];
  expect(first === undefined ? undefined : blockText(family, first)).toBe(expected);
});

test("blocks and numbers are the same thing twice", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 20 - 1 }), (number) => {
      expect(blockNumber(range(blockText("IPv4", BigInt(number))))).toBe(BigInt(number));
    }),
  );
});

test("free numbers are those of the range that are not held", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 })), (held) => {
      const free = freeNumbers([range("0.0.0.0/15")], held.map(BigInt));
      const found = new Set<number>();
      for (const [first, last] of free) for (let n = Number(first); n <= last; n++) found.add(n);
      const all = Array.from({ length: 32 }, (_, number) => number);
      expect([...found]).toEqual(all.filter((number) => !held.includes(number)));
    }),
  );
});

test.each([
  ["IPv4", 0x0a_80_00_02n, "10.128.0.2"],
  ["IPv6", 0xfd20_0000_0001_0000_0000_0000_0000_0002n, "fd20:0:1::2"],
] as const)("%s address", (family, address, text) => {
  expect(addressText(family, address)).toBe(text);
});
