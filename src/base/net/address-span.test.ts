import { expect, test } from "vitest";
import { addressesOfSpan, parseSpan, spanSize } from "./address-span.ts";

test.each([
  ["192.0.2.7", ["192.0.2.7"]],
  ["192.0.2.254-192.0.3.1", ["192.0.2.254", "192.0.2.255", "192.0.3.0", "192.0.3.1"]],
  ["192.0.2.8/31", ["192.0.2.8", "192.0.2.9"]],
  ["192.0.2.9/31", ["192.0.2.8", "192.0.2.9"]],
  ["2001:DB8::ffff-2001:db8::1:0", ["2001:db8::ffff", "2001:db8::1:0"]],
  ["2001:db8::/127", ["2001:db8::", "2001:db8::1"]],
])("the addresses of %s", (text, addresses) => {
  expect(addressesOfSpan(parseSpan(text)!)).toEqual(addresses);
});

test.each([
  "",
  "x",
  "192.0.2.9-192.0.2.8",
  "192.0.2.9-2001:db8::1",
  "192.0.2.0/33",
  "192.0.2.0-",
  "fe80::1%a",
])("%j is no span", (text) => {
  expect(parseSpan(text)).toBeUndefined();
});

test("the size of a span that is too large to be listed", () => {
  expect(spanSize(parseSpan("2001:db8::/64")!)).toBe(2n ** 64n);
});
