import fc from "fast-check";
import { expect, test } from "vitest";
import { each, first, JsonScanner, maxCapturedBytes } from "./json-scanner.ts";

const path = ["data", each, "list", each] as const;

/** The values at `path` of a document that arrives in pieces of this size. */
function scan(document: string | Buffer, pieceBytes = Infinity) {
  const bytes = Buffer.from(document);
  const values: unknown[] = [];
  let ends = 0;
  const scanner = new JsonScanner([
    { path, onValue: (value) => values.push(value) },
    { path: ["data", each], onEnd: () => ends++ },
  ]);
  for (let at = 0; at < bytes.length; at += Math.min(pieceBytes, bytes.length)) {
    // In memory that is reused, as a connection's.
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
    scanner.take(piece);
    piece.fill("x");
  }
  return { values, ends, isComplete: scanner.isComplete };
}

/** Strings, objects and arrays: what the scanner passes on. */
function isPassed(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

const noise = fc.jsonValue({ maxDepth: 4 });
const entry = fc.record({ before: noise, list: fc.array(noise, { maxLength: 6 }), list2: noise });
const document = fc.record({ other: noise, data: fc.array(entry, { maxLength: 5 }), dat: noise });

test("finds what JSON.parse finds at the place, however the document arrives", () => {
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 40 }), fc.boolean(), (value, pieceBytes, isSpaced) => {
      const text = JSON.stringify(value, undefined, isSpaced ? 1 : 0);
      const expected = value.data.flatMap(({ list }) => list.filter(isPassed));
      const ends = value.data.length;
      const passed = JSON.parse(JSON.stringify(expected)) as unknown[];
      expect(scan(text, pieceBytes)).toEqual({ values: passed, ends, isComplete: true });
    }),
  );
});

test.each<[string, string, unknown[]]>([
  ["escapes in keys", '{"d\\u0061ta":[{"l\\u0069st":["a"]}]}', ["a"]],
  ["the place elsewhere", '{"x":{"data":[{"list":["a"]}]},"data":{"list":["b"]}}', []],
  ["an object in place of an array", '{"data":{"list":{"list":["a"]}}}', ["a"]],
  ["a key as a value", '{"data":[{"x":"list","list":["data"]}]}', ["data"]],
  ["duplicate keys", '{"data":[{"list":["a"],"list":["b"]}],"data":[{"list":["c"]}]}', ["a", "b", "c"]],
  ["__proto__", '{"__proto__":1,"data":[{"__proto__":["x"],"list":["a"]}]}', ["a"]],
  ["numbers and literals", '{"data":[{"list":[1,true,null,"a",-1e9]}]}', ["a"]],
])("%s", (_, text, values) => {
  expect(scan(text)).toMatchObject({ values, isComplete: true });
});

test.each([
  ["nothing", ""],
  ["text after the end", "{}x"],
  ["two documents", "{}{}"],
  ["a text only", '"a"'],
  ["too many brackets", "{}}"],
  ["a broken value at the place", '{"data":[{"list":[{"a":}]}]}'],
])("%s is no document", (_, text) => {
  expect(scan(text).isComplete).toBe(false);
});

test("a value comes with its keys, and may be wanted of the first element of an array only", () => {
  const found: unknown[] = [];
  const ends: boolean[] = [];
  const scanner = new JsonScanner([
    { path: ["data", each, first], onValue: (value, keys) => found.push([keys[2], value]) },
    { path: ["data"], onEnd: (isObject) => ends.push(isObject) },
  ]);
  const data = { a: ["x", "y", ["z"]], b: [1, "x"], c: { d: "x" }, e: [["x", "y"], "z"], first: ["x"] };
  scanner.take(Buffer.from(JSON.stringify({ data, x: { a: ["x"] } })));
  const last = new JsonScanner([{ path: ["data"], onEnd: (isObject) => ends.push(isObject) }]);
  last.take(Buffer.from('{"data":[["x"]]}'));
  expect([found, ends]).toEqual([
    [
      ["a", "x"],
      ["e", ["x", "y"]],
      ["first", "x"],
    ],
    [true, false],
  ]);
});

test("a document that is cut off is not complete", () => {
  const text = JSON.stringify({ data: [{ list: ["a", { b: '"}' }] }] });
  for (let end = 0; end < text.length; end++) expect(scan(text.slice(0, end)).isComplete).toBe(false);
});

test("too long values and keys are passed over", () => {
  const long = "a".repeat(maxCapturedBytes);
  const text = JSON.stringify({ [long]: 1, data: [{ [long]: 1, list: [long, "a", [long], ["b"]] }] });
  for (const pieceBytes of [1_000, Infinity]) {
    expect(scan(text, pieceBytes)).toMatchObject({
      values: [undefined, "a", undefined, ["b"]],
      isComplete: true,
    });
  }
});

test.each([
  ["brackets", "[".repeat(8_000_000)],
  ["objects", '{"data":'.repeat(1_000_000)],
  ["quotes", `{"data":[{"list":["${'\\"'.repeat(4_000_000)}`],
  ["commas", `{"data":[{"list":[${",".repeat(8_000_000)}`],
  ["short values", `{"data":[{"list":[${'"",'.repeat(2_000_000)}`],
])("8 MB of %s take linear time", (_, text) => {
  const before = process.cpuUsage();
  expect(scan(text, 2 ** 17).isComplete).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
});
