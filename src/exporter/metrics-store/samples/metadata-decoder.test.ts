import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MetadataDecoder, type MetricMetadata, maxFamilies, maxHelpLength } from "./metadata-decoder.ts";

/** Decodes a body that arrives in pieces of this size. */
function decode(body: string | Buffer, pieceBytes = Infinity) {
  const bytes = Buffer.from(body);
  const decoder = new MetadataDecoder();
  for (let at = 0; at < bytes.length; at += Math.min(pieceBytes, bytes.length)) {
    // In memory that is reused, as a connection's.
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
    decoder.take(piece);
    piece.fill("x");
  }
  return decoder.finish();
}

const gauge = { type: "gauge", help: "Whether.", unit: "" };
const up = { family: "up", ...gauge };
const malformed = { kind: "failed", reason: "malformed_answer" };

test("the first description of each metric counts; what has no known type is left out", () => {
  const data = {
    up: [gauge],
    seconds: [
      { type: "histogram", help: "One.", unit: "seconds" },
      { type: "counter", help: "Another.", unit: "" },
    ],
    bare: [{ type: "counter" }],
    unknown: [{ type: "unknown", help: "", unit: "" }],
    none: [],
    odd: 7,
  };
  expect(decode(JSON.stringify({ status: "success", data }))).toEqual(
    new Map([
      ["up", up],
      ["seconds", { family: "seconds", type: "histogram", help: "One.", unit: "seconds" }],
      ["bare", { family: "bare", type: "counter", help: "", unit: "" }],
    ]),
  );
});

const described = JSON.stringify([gauge]);

test.each([
  [
    "other fields before and after data",
    `{"a":[{"data":{}}],"data":{"up":${described}},"b":{"data":{"x":1}}}`,
  ],
  [
    "white space everywhere",
    ` \n{ "data"\t: {\r"up" : [ { "type" : "gauge" , "help" : "Whether." } ] } } \n`,
  ],
  ["escapes in keys", `{"d\\u0061ta":{"\\u0075p":${described}}}`],
  ["brackets and quotes in texts", `{"a":"}]{[\\"","data":{"x\\"]}":1,"up":${described}}}`],
  ["duplicate keys, of which the last counts", `{"data":{"up":[{"type":"counter"}],"up":${described}}}`],
  [
    "first elements that are no descriptions",
    `{"data":{"a":[7,${gaugeText()}],"b":[[${gaugeText()}],${gaugeText()}],"c":["x"],"up":${described}}}`,
  ],
  ["objects in place of arrays", `{"data":{"a":${gaugeText()},"b":{"c":${described}},"up":${described}}}`],
  [
    "descriptions with more fields",
    `{"data":{"up":[{"x":{"type":"counter"},"type":"gauge","help":"Whether."}]}}`,
  ],
  ["a prototype", `{"data":{"up":[{"__proto__":{"unit":"x"},"type":"gauge","help":"Whether."}]}}`],
])("%s", (_, body) => {
  for (const pieceBytes of [1, 2, 3, 7, Infinity]) {
    expect(decode(body, pieceBytes)).toEqual(new Map([["up", up]]));
  }
});

function gaugeText(): string {
  return JSON.stringify(gauge);
}

test("a family may have any name", () => {
  const names = ["__proto__", "constructor", "data", "", "ü", 'a"b'];
  const data = names.map((name) => `${JSON.stringify(name)}:${described}`).join(",");
  const families = decode(`{"data":{${data}}}`) as ReadonlyMap<string, MetricMetadata>;
  expect([...families.keys()]).toEqual(names);
  expect(families.get("__proto__")).toEqual({ ...gauge, family: "__proto__" });
});

test.each([
  ["[]"],
  ["null"],
  ["<html>"],
  [""],
  ['{"status":"success"}'],
  ['{"data":7}'],
  ['{"data":[{"up":1}]}'],
  ['{"data":"{}"}'],
  ['{"data":{}}}'],
  ['{"data":{}}{}'],
  ['"data"'],
  ['{"data":{"up":[{type:1}]}}'],
  ['{"data":{"up\u0001":[]}}'],
])("%j is none", (body) => {
  expect(decode(body)).toMatchObject(malformed);
  expect(decode(body, 1)).toMatchObject(malformed);
});

test("a body cut off at any byte is none", () => {
  const whole = `{"status":"success","data":{"up":${described},"a\\"b":[{"type":"counter","help":"ü\\\\"}]}}`;
  const bytes = Buffer.from(whole);
  expect(decode(bytes)).toBeInstanceOf(Map);
  for (let length = 0; length < bytes.length; length++) {
    expect(decode(bytes.subarray(0, length))).toMatchObject(malformed);
  }
});

const json = fc.jsonValue({ maxDepth: 4 });
const description = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("gauge", "counter", "odd"),
      help: fc.string(),
      unit: fc.string(),
    }),
  },
  { weight: 1, arbitrary: json },
);
const data = fc.dictionary(fc.string(), fc.oneof(fc.array(description, { maxLength: 3 }), json));

test("the families are those that a parser of the whole body finds, however it is cut", () => {
  const responses = fc.record({ before: json, data, after: json });
  fc.assert(
    fc.property(
      responses,
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      (response, pieceBytes, isIndented) => {
        const body = JSON.stringify(response, undefined, isIndented ? 2 : 0);
        const whole = JSON.parse(body) as typeof response;
        const expected = Object.entries(whole.data).flatMap(([family, list]) => {
          const first = Array.isArray(list)
            ? (list[0] as Partial<MetricMetadata> | null | undefined)
            : undefined;
          if (typeof first !== "object" || first === null || Array.isArray(first)) return [];
          if (!["gauge", "counter"].includes(String(first.type))) return [];
          const text = (value: unknown) => (typeof value === "string" ? value : "");
          return [
            [family, { family, type: first.type, help: text(first.help), unit: text(first.unit) }] as const,
          ];
        });
        expect(decode(body, pieceBytes)).toEqual(new Map(expected));
      },
    ),
  );
});

test("any bytes end in families or a failure", () => {
  const tokens = [
    "{",
    "}",
    "[",
    "]",
    '"data":{"a":[{"type":"gauge"}',
    '"',
    "\\",
    ",",
    ":",
    "data",
    " ",
    "\\u00",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 60 }), (parts) => {
      expect(decode(`{${parts.join("")}`, 3)).toBeDefined();
    }),
  );
});

describe("bounds", () => {
  test("help is cut, and a pair of surrogates with it", () => {
    const help = `${"x".repeat(maxHelpLength - 1)}😀`;
    const body = JSON.stringify({ data: { up: [{ ...gauge, help }] } });
    const families = decode(body) as ReadonlyMap<string, MetricMetadata>;
    expect(families.get("up")?.help).toBe(`${"x".repeat(maxHelpLength - 1)}\ufffd`);
  });

  test("a family is left out with a very long name or description; the others stay", () => {
    const long = "x".repeat(100_000);
    const body = JSON.stringify({ data: { [long]: [gauge], y: [{ ...gauge, help: long }], up: [gauge] } });
    for (const pieceBytes of [1_000, Infinity]) {
      expect(decode(body, pieceBytes)).toEqual(new Map([["up", up]]));
    }
  });

  test("families beyond the maximum are left out", () => {
    const count = maxFamilies + 10;
    const entries = Array.from({ length: count }, (_, index) => `"f${index}":[{"type":"gauge"}]`);
    expect(decode(`{"data":{${entries.join(",")}}}`)).toHaveProperty("size", maxFamilies);
  });

  test("deep nesting, long texts and backslashes take linear time", () => {
    const size = 4 * 2 ** 20;
    const bodies = [
      `{"data":${'{"a":['.repeat(size / 6)}`,
      `{"data":{"up":[${"[".repeat(size)}`,
      `{"data":{"up":[{"type":"gauge","help":${"[".repeat(size)}`,
      `{"data":{"${"x".repeat(size)}`,
      `{"data":{"up":[{"help":"${"\\\\".repeat(size / 2)}`,
      `{"data":{${'"a":[{"type":"gauge"}],'.repeat(size / 23)}`,
      `{"data":{"up":[{"x":"${"\\ud800".repeat(10)}`,
    ];
    for (const body of bodies) {
      expect(decode(body, 65_536)).toMatchObject(malformed);
      expect(decode(body.slice(0, 300_000), 1)).toMatchObject(malformed);
    }
  });
});

test("equal families are those of the response before, and only others are changes", () => {
  const body = (help: string) =>
    Buffer.from(JSON.stringify({ data: { up: [gauge], a: [{ ...gauge, help }] } }));
  const first = decode(body("One.")) as ReadonlyMap<string, MetricMetadata>;
  const same = new MetadataDecoder(first);
  same.take(body("One."));
  expect(same.hasChanges).toBe(false);
  const other = new MetadataDecoder(first);
  other.take(body("Two."));
  expect(other.hasChanges).toBe(true);
  expect((other.finish() as typeof first).get("up")).toBe(first.get("up"));
  const fewer = new MetadataDecoder(first);
  fewer.take(Buffer.from(JSON.stringify({ data: { up: [gauge] } })));
  expect(fewer.hasChanges).toBe(true);
});
