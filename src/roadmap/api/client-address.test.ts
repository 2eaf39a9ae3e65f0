import { expect, test } from "vitest";
import { clientKey } from "./client-address.ts";

test.each([
  ["192.0.2.1", undefined, "192.0.2.1"],
  ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
  ["2001:db8:1:2::9", undefined, "2001:db8:1:2::/64"],
  ["::1", undefined, "0:0:0:0::/64"],
  ["fe80::1%eth0", undefined, "fe80:0:0:0::/64"],
  [undefined, undefined, "unknown"],
  // Behind a proxy: its own entry is the last one.
  ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
  ["10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
  ["10.0.0.1", "6.6.6.6,198.51.100.7:4711", "198.51.100.7"],
  ["10.0.0.1", "[2001:db8::1]:4711", "2001:db8:0:0::/64"],
  ["10.0.0.1", "2001:db8::1", "2001:db8:0:0::/64"],
  ["10.0.0.1", "unknown", "10.0.0.1"],
  ["10.0.0.1", "", "10.0.0.1"],
])("%s, forwarded for %s: %s", (remote, forwarded, expected) => {
  expect(clientKey(remote, forwarded)).toBe(expected);
});
