import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EgressGuard, type EgressRules } from "./egress.ts";

const defaults: EgressRules = { deny: ["169.254.0.0/16", "fe80::/10"], allow: [] };

/** Every form in which IPv6 embeds an IPv4 address. */
function embeddings(ipv4: string): string[] {
  const hex = ipv4.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  const high = `${hex[0]}${hex[1]}`;
  const low = `${hex[2]}${hex[3]}`;
  const inverted = (text: string) => (Number.parseInt(text, 16) ^ 0xffff).toString(16);
  return [
    `::ffff:${ipv4}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:1:2:3:4:${inverted(high)}:${inverted(low)}`,
    `::ffff:0:${ipv4}`,
    `::${high}:${low}`,
  ];
}

describe("never, for nobody, whatever is allowed", () => {
  const everything: EgressRules = { deny: [], allow: ["0.0.0.0/0", "::/0"] };
  const plain = [
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "224.0.0.1",
  ];
  const cases = [
    ...plain,
    ...plain.flatMap((address) => (address === "0.0.0.0" ? [] : embeddings(address))),
    ...["fe80::1", "fe80::1%eth0", "[fe80::1]", "febf::1", "fd00:ec2::254", "::", "ff02::1"],
    "255.255.255.255",
  ];
  test.each(cases)("%s", (address) => {
    for (const scope of ["operator", "tenant"] as const) {
      expect(new EgressGuard(everything, scope).blockReason(address)).toContain("never allowed");
    }
  });
});

describe("private and loopback: for the operator, and for tenants only where allowed", () => {
  const plain = [
    "127.0.0.1",
    "127.255.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
  ];
  test.each([...plain, ...plain.flatMap(embeddings), "::1", "fd00::1", "fc00::1"])("%s", (address) => {
    expect(new EgressGuard(defaults, "operator").blockReason(address)).toBeUndefined();
    expect(new EgressGuard(defaults, "tenant").blockReason(address)).toContain("not a public address");
    const allowing = { ...defaults, allow: ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] };
    const more = { ...allowing, allow: [...allowing.allow, "100.64.0.0/10", "::1", "fc00::/7"] };
    expect(new EgressGuard(more, "tenant").blockReason(address)).toBeUndefined();
  });
});

test.each(["192.0.2.1", "198.18.0.1", "203.0.113.9", "240.0.0.1", "2001:db8::1", "100::1", "192.88.99.1"])(
  "%s is reserved, not public",
  (address) => {
    expect(new EgressGuard(defaults, "tenant").blockReason(address)).toContain("not a public address");
  },
);

test.each([
  "8.8.8.8",
  "93.184.216.34",
  "172.32.0.1",
  "11.0.0.1",
  "2606:4700::1111",
  ...embeddings("8.8.8.8"),
])("%s is public", (address) => {
  expect(new EgressGuard(defaults, "tenant").blockReason(address)).toBeUndefined();
});

test("what is denied is denied to the operator as well, and wins over what is allowed", () => {
  const rules = { deny: ["8.8.8.0/24", "2606:4700::/32", "64:ff9b::/96"], allow: ["8.8.8.8"] };
  for (const scope of ["operator", "tenant"] as const) {
    const guard = new EgressGuard(rules, scope);
    expect(guard.blockReason("8.8.8.8")).toBe("8.8.8.8 is denied by egress.deny (8.8.8.0/24)");
    expect(guard.blockReason("::ffff:8.8.8.8")).toContain("which leads to 8.8.8.8, is denied");
    expect(guard.blockReason("2606:4700::1111")).toContain("denied");
    expect(guard.blockReason("64:ff9b::1.1.1.1")).toContain("denied");
    expect(guard.blockReason("1.1.1.1")).toBeUndefined();
  }
});

test.each(["localhost", "", "1.2.3", "0x7f.0.0.1", "2130706433", "1.2.3.4.5", "::g"])(
  "%j is no address, and blocked",
  (text) => {
    expect(new EgressGuard(defaults, "operator").blockReason(text)).toContain("is not an IP address");
  },
);

describe("NAT64 prefixes of the network (RFC 6052, section 2.4)", () => {
  const nat64Prefixes = [
    ...["2606:4700::/32", "2a00:1:100::/40", "2a00:1:122::/48", "2a00:2:122:300::/56", "2a00:3:122:344::/64"],
    "2a00:4:122:344::/96",
  ];
  const guard = new EgressGuard({ ...defaults, nat64Prefixes }, "tenant");
  test.each([
    ["2606:4700:c000:221::", "192.0.2.33"],
    ["2606:4700:a01:203::", "10.1.2.3"],
    ["2a00:1:10a:102:3::", "10.1.2.3"],
    ["2a00:1:122:a01:2:300::", "10.1.2.3"],
    ["2a00:2:122:30a:1:203::", "10.1.2.3"],
    ["2a00:3:122:344:a:102:300::", "10.1.2.3"],
    ["2a00:4:122:344::10.1.2.3", "10.1.2.3"],
    ["2606:4700:a9fe:a9fe::", "169.254.169.254"],
  ])("%s leads to %s", (address, inner) => {
    expect(guard.blockReason(address)).toContain(`which leads to ${inner}, is `);
    expect(new EgressGuard(defaults, "tenant").blockReason(address)).toBeUndefined();
  });
  test.each(["2606:4700:808:808::", "2a00:3:122:344:8:808:800::", "2a00:4:122:344::8.8.8.8"])(
    "%s is public",
    (address) => {
      expect(guard.blockReason(address)).toBeUndefined();
    },
  );
});

test.each([
  // One form per prefix length (48, 56, 64, 96 bits): only the network's operator knows which one is in use.
  ["64:ff9b:1:a01:2:300::", "10.1.2.3"],
  ["64:ff9b:1:a:1:203::", "10.1.2.3"],
  ["64:ff9b:1::a:102:300:0", "10.1.2.3"],
  ["64:ff9b:1::10.1.2.3", "10.1.2.3"],
  ["64:ff9b:1:a01:2:300:808:808", "10.1.2.3"],
  // ISATAP, also under a public prefix, with and without the universal bit.
  ["2606:4700::5efe:10.1.2.3", "10.1.2.3"],
  ["2606:4700::200:5efe:10.1.2.3", "10.1.2.3"],
  ["2606:4700::200:5efe:169.254.169.254", "169.254.169.254"],
  ["fd00::5efe:10.1.2.3", undefined],
  ["fd00::5efe:8.8.8.8", undefined],
])("%s is not public: it may lead to %s", (address, inner) => {
  const reason = new EgressGuard(defaults, "tenant").blockReason(address);
  expect(reason).toMatch(/is (not a public address|link-local)/);
  if (inner !== undefined) expect(reason).toContain(`which leads to ${inner}, `);
});

test("where it may lead to several addresses, allowing one is not enough", () => {
  const guard = new EgressGuard({ ...defaults, allow: ["10.1.2.3"] }, "tenant");
  expect(guard.blockReason("64:ff9b:1::10.1.2.3")).toBeUndefined();
  expect(guard.blockReason("64:ff9b:1:c0a8:1:100:a01:203")).toContain("192.168.1.1");
});

test.each([
  ...[
    "2001:db8::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff::1",
    "3fff::1",
    "3fff:fff::1",
    "2620:4f:8000::1",
  ],
  ...[
    "1::1",
    "100:1::1",
    "1fff::1",
    "4000::1",
    "5f00::1",
    "8000::1",
    "e000::1",
    "fbff::1",
    "fe00::1",
    "fec0::1",
  ],
  ...["0:0:0:1::1", "::2:0:0:0", "64:ff9c::1"],
])("%s is not public: special or unallocated", (address) => {
  expect(new EgressGuard(defaults, "tenant").blockReason(address)).toContain("is not a public address");
  expect(new EgressGuard(defaults, "operator").blockReason(address)).toBeUndefined();
});

test.each([
  "2000::1",
  "2001:200::1",
  "2001:4860::8888",
  "2400::1",
  "2620:4f:8001::1",
  "3ffe::1",
  "3fff:1000::1",
])("%s is public space", (address) => {
  expect(new EgressGuard(defaults, "tenant").blockReason(address)).toBeUndefined();
});

test("an embedded address is judged as the address itself", () => {
  const guard = new EgressGuard(defaults, "tenant");
  const part = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 255 }), part, part, part, (...parts) => {
      const ipv4 = parts.join(".");
      const blocked = guard.blockReason(ipv4) !== undefined;
      for (const form of embeddings(ipv4))
        expect([form, guard.blockReason(form) !== undefined]).toEqual([form, blocked]);
    }),
  );
});
