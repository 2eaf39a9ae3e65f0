import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseYaml } from "../../base/documents/yaml-source.ts";
import type { Json } from "../api/object.ts";
import { decodeBody } from "./body.ts";
import { toYaml } from "./yaml.ts";

test("an object as kubectl shows one", () => {
  const object = {
    apiVersion: "v1",
    metadata: { name: "a", labels: { "example.com/on": "yes", empty: "" }, finalizers: [] },
    data: [{ key: "x: y", list: [1, [true, null], {}] }, "multi\nline", "2026-01-01"],
  };
  expect(toYaml(object)).toBe(`apiVersion: v1
metadata:
  name: a
  labels:
    example.com/on: "yes"
    empty: ""
  finalizers: []
data:
- key: "x: y"
  list:
  - 1
  - - true
    - null
  - {}
- "multi\\nline"
- "2026-01-01"
`);
});

test("whatever is written is read as the same", () => {
  const words = fc.constantFrom(
    "yes",
    "NULL",
    "~",
    "-",
    "a b",
    "1e3",
    "0x1",
    "? x",
    "#",
    "é",
    "\u2028",
    "\ud800",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
      words,
      fc.string({ unit: "grapheme" }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(words, fc.string()).filter((key) => key !== "__proto__" && key !== "<<"),
        tie("value"),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      const { documents, problems } = parseYaml(toYaml(given as Json));
      expect(problems).toEqual([]);
      expect(documents[0]?.value).toEqual(JSON.parse(JSON.stringify(given)));
    }),
  );
});

describe("the limits of YAML", () => {
  const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n";
  const read = (text: string) => decodeBody(Buffer.from(text), "application/yaml").value;

  test("let a manifest of 700 lines pass", () => {
    const lines = Array.from({ length: 700 }, (_, at) => `  setting-${at}.properties: value-${at}\n`);
    const text = head + lines.join("");
    expect(text.length).toBeGreaterThan(18 * 1_024);
    expect(read(text)).toMatchObject({ data: { "setting-699.properties": "value-699" } });
  });

  test("name themselves and the remedy", () => {
    expect(() => read(`${head}  a: [${"a,".repeat(8_000)}]`)).toThrow(
      "Request entity too large: YAML is limited to 6000 tokens; send JSON instead",
    );
    expect(() => read(`${head}  a: ${"x".repeat(200_000)}`)).toThrow(
      "Request entity too large: YAML is limited to 131072 bytes; send JSON instead",
    );
  });
});
