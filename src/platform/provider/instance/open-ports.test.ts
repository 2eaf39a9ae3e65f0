import fc from "fast-check";
import { expect, test } from "vitest";
import { AddressRange, parseAddress } from "../../../base/net/address-range.ts";
import { openPorts } from "./open-ports.ts";
import { rangeTexts, sourceSpans } from "./source-ranges.ts";

const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, except } });
const open = (...ingress: object[]) =>
  openPorts({ networkPolicy: { ingress } }, [{ ports: [{ name: "web", port: 8080 }] }]);

test.each([
  ["from everybody", [{ ports: [{ port: 80 }] }], [{ protocol: "TCP", port: 80 }]],
  [
    "a whole family",
    [{ ports: [{ port: "web" }], from: [block("0.0.0.0/0")] }],
    [{ protocol: "TCP", port: 8080 }],
  ],
  [
    "a range but for a part",
    [
      {
        ports: [{ port: 53, protocol: "UDP" }],
        from: [block("192.0.2.0/24", "192.0.2.8/30", "192.0.2.0/29")],
      },
    ],
    [{ protocol: "UDP", port: 53, from: ["192.0.2.12-192.0.2.255"] }],
  ],
  [
    "an exception of one block that another admits, of both families",
    [
      {
        ports: [{ port: 80 }],
        from: [block("10.0.0.0/8", "10.1.0.0/16"), block("10.1.2.0/24"), block("fd00::/127")],
      },
    ],
    [
      {
        ...{ protocol: "TCP", port: 80 },
        from: ["10.0.0.0-10.0.255.255", "10.1.2.0-10.1.2.255", "10.2.0.0-10.255.255.255", "fd00::-fd00::1"],
      },
    ],
  ],
  [
    "overlapping ports of several rules",
    [
      { ports: [{ port: 80, endPort: 90 }], from: [block("192.0.2.0/25")] },
      { ports: [{ port: 85 }], from: [block("192.0.2.128/25")] },
      { ports: [{ port: 90 }] },
    ],
    [
      { protocol: "TCP", port: 80, endPort: 84, from: ["192.0.2.0-192.0.2.127"] },
      { protocol: "TCP", port: 85, from: ["192.0.2.0-192.0.2.255"] },
      { protocol: "TCP", port: 86, endPort: 89, from: ["192.0.2.0-192.0.2.127"] },
      { protocol: "TCP", port: 90 },
    ],
  ],
  [
    "nobody",
    [{ ports: [{ port: 80 }], from: [block("no range")] }],
    [{ protocol: "TCP", port: 80, from: [] }],
  ],
  [
    "no ports: all of them, of which the named ones stay apart",
    [{ from: [block("192.0.2.0/25")] }, { ports: [{ port: 80 }], from: [block("192.0.2.128/25")] }],
    [
      { protocol: "TCP", port: 1, endPort: 79, isUnnamed: true, from: ["192.0.2.0-192.0.2.127"] },
      { protocol: "TCP", port: 80, from: ["192.0.2.0-192.0.2.255"] },
      { protocol: "TCP", port: 81, endPort: 65_535, isUnnamed: true, from: ["192.0.2.0-192.0.2.127"] },
      { protocol: "UDP", port: 1, endPort: 65_535, isUnnamed: true, from: ["192.0.2.0-192.0.2.127"] },
      { protocol: "SCTP", port: 1, endPort: 65_535, isUnnamed: true, from: ["192.0.2.0-192.0.2.127"] },
    ],
  ],
  [
    "a protocol without a number",
    [{ ports: [{ protocol: "UDP" }] }],
    [{ protocol: "UDP", port: 1, endPort: 65_535, isUnnamed: true }],
  ],
  ["one of no name", [{ ports: [{ port: "none" }] }], []],
])("open ports: %s", (_, rules, expected) => {
  expect(open(...rules)).toEqual(expected);
});

test("ranges hold an address exactly if a block without its exceptions does", () => {
  const range = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 24, max: 32 }))
    .map(([host, bits]) => `10.0.0.${host}/${bits}`);
  const blocks = fc.array(fc.record({ cidr: range, except: fc.array(range, { maxLength: 3 }) }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(blocks, fc.integer({ min: 0, max: 255 }), (all, host) => {
      const address = parseAddress(`10.0.0.${host}`)!;
      const isIn = (text: string) => new AddressRange(text).contains(address);
      const expected = all.some(({ cidr, except }) => isIn(cidr) && !except.some(isIn));
      const ranges = rangeTexts(sourceSpans(all) ?? []).map((text) =>
        text.split("-").map((end) => Number(end.split(".")[3])),
      );
      expect(ranges.some(([first = 0, last = 0]) => first <= host && host <= last)).toBe(expected);
    }),
  );
});

test.each([
  [2, 999],
  [3, 0],
])("%i ports for many ranges: %i of them, the others are closed", (count, expected) => {
  const from = Array.from({ length: 999 }, (_, index) => block(`10.${index >> 7}.${2 * (index & 127)}.0/24`));
  const ports = Array.from({ length: count }, (_, index) => ({ port: index + 1, endPort: 3_000 - index }));
  const opened = open({ ports, from });
  expect(opened.map(({ from: ranges }) => ranges?.length)).toEqual(count === 2 ? [999, 999, 999] : [0, 0, 0]);
  expect(opened.at(-1)?.from).toHaveLength(expected);
});

test("a thousand ports that nest are two thousand less one", () => {
  const ports = Array.from({ length: 1_000 }, (_, index) => ({ port: index + 1, endPort: 3_000 - index }));
  expect(open({ ports, from: [block("10.0.0.0/8")] })).toHaveLength(1_999);
});
