import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Alias, Composer, stringify } from "yaml";
import { parseYaml } from "./yaml-source.ts";

describe("values and places", () => {
  const text = `# a comment
metrics:
  url: http://a
  version: 1.0
  list:
    - one
    - { two: 2 }
`;
  const file = parseYaml(text);
  const document = file.documents[0]!;

  test("plain values", () => {
    expect(file.problems).toEqual([]);
    expect(document.value).toEqual({
      metrics: { url: "http://a", version: 1, list: ["one", { two: 2 }] },
    });
  });

  test.each([
    [["metrics", "url"], 3, 8],
    [["metrics", "list", 1, "two"], 7, 14],
    [["metrics"], 3, 3],
    [["metrics", "missing"], 2, 1],
    [["metrics", "list", 7], 5, 3],
    [["nothing", "of", "this"], 2, 1],
    [[], 2, 1],
  ])("position of %j", (path, line, column) => {
    expect(document.places.positionOf(path)).toEqual({ line, column });
  });

  test("position of a name, source of a scalar", () => {
    expect(document.places.keyPositionOf(["metrics", "list"])).toEqual({ line: 5, column: 3 });
    expect(document.places.sourceOf(["metrics", "version"])).toBe("1.0");
    expect(document.places.sourceOf(["metrics"])).toBeUndefined();
  });
});

describe("forms", () => {
  test.each([
    ["several documents", "---\na: 1\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
    ["JSON with tabs", '{\n\t"a": [\n\t\t1, "x"\n\t]\n}\n', [{ a: [1, "x"] }]],
    ["an alias", "a: &x { k: 1 }\nb: *x\n", [{ a: { k: 1 }, b: { k: 1 } }]],
    ["an empty file", "", []],
    ["only comments", "# nothing\n", []],
    ["an empty document", "---\n", [null]],
    ["keys that are not text", "1: a\ntrue: b\n", [{ 1: "a", true: "b" }]],
  ])("%s", (_name, text, expected) => {
    const file = parseYaml(text);
    expect(file.problems).toEqual([]);
    expect(file.documents.map((document) => document.value)).toEqual(expected);
  });

  test("__proto__ is a member like any other", () => {
    const value = parseYaml("__proto__: { polluted: true }\n").documents[0]?.value as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("polluted" in value).toBe(false);
  });
});

describe("problems, each with its place", () => {
  test.each([
    ["a: [1, 2\n", 2, 1, "", /flow sequence/i],
    ["a: 1\n  b: 2\n", 1, 4, "", /Nested mappings are not allowed in compact mappings/],
    ["a: 1\nb: 1\na: 2\n", 3, 1, "a", /^is written twice; keep one$/],
    ["a: &x\n  b: *x\n", 2, 6, "a.b", /alias inside of its own anchor/],
    ["? [a]\n: 1\n", 1, 3, "", /a key must be plain text/],
    ["a: *nothing\n", 1, 4, "a", /^the alias \*nothing has no anchor before it$/],
  ])("%j", (text, line, column, path, message) => {
    const { problems } = parseYaml(text);
    expect(problems[0]).toMatchObject({ line, column, path });
    expect(problems[0]?.message).toMatch(message);
  });
});

describe("what would be costly is rejected at once", () => {
  afterEach(() => vi.restoreAllMocks());
  const laughs = `a: &a [1,1]\n${["b", "c", "d", "e", "f", "g", "h"]
    .map((name, index) => `${name}: &${name} [${Array(12).fill(`*${"abcdefg"[index]}`).join(",")}]`)
    .join("\n")}`;
  test.each([
    ["brackets", "[".repeat(200_000), /nested too deeply/],
    ["block lists", "- ".repeat(100_000), /nested too deeply/],
    ["exact depth", `${"[".repeat(40)}${"{a: [".repeat(20)}`, /nested too deeply/],
    ["aliases", `x: &x 1\n${"- *x\n".repeat(101)}`, /more than 100 aliases/],
    ["documents", "---\na: 1\n".repeat(1_001), /more than 1000 documents/],
    ["tokens", "- a: b\n".repeat(150_000), /tokens/],
    ["brackets that close nothing", "]".repeat(1_000_000), /tokens/],
  ])("%s, before the text is composed", (_name, text, message) => {
    const compose = vi.spyOn(Composer.prototype, "compose");
    expect(parseYaml(text).problems[0]?.message).toMatch(message);
    expect(compose).not.toHaveBeenCalled();
  });

  test("billion laughs, each alias looked up once", () => {
    const resolve = vi.spyOn(Alias.prototype, "resolve");
    expect(parseYaml(laughs).problems[0]?.message).toMatch(/holds too many values, aliases counted/);
    expect(resolve.mock.calls.length).toBeLessThanOrEqual(laughs.split("*").length - 1);
  });

  test("the keys of one object are not compared in pairs", () => {
    const count = 2_000;
    const text = Array.from({ length: count }, (_, index) => `k${index}: 1\n`).join("");
    const some = vi.spyOn(Array.prototype, "some");
    const { documents } = parseYaml(text);
    const compared = some.mock.contexts.reduce<number>((sum, array) => sum + (array as unknown[]).length, 0);
    some.mockRestore();
    expect(Object.keys(documents[0]?.value as object)).toHaveLength(count);
    expect(compared).toBeLessThan(20 * count);
  });
});

test("what the library writes is read back, and random text never throws", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      // JSON.stringify turns -0 into 0.
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(parseYaml(stringify(plain, { aliasDuplicateObjects: false })).documents[0]?.value).toEqual(
        plain,
      );
    }),
    { numRuns: 200 },
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab:-?[]{},&*!|>'\"%@# \n\t") }), (text) => {
      const file = parseYaml(text);
      for (const document of file.documents) document.places.positionOf(["a", 0]);
    }),
    { numRuns: 500 },
  );
});
