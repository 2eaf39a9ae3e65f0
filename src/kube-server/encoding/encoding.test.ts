import protobuf from "protobufjs";
import { describe, expect, test } from "vitest";
import { StatusError } from "../api/status.ts";
import { decodeBody, measureJson, parseYaml } from "./body.ts";
import { decodeProtobuf } from "./protobuf.ts";

const json = (text: string) => decodeBody(Buffer.from(text), "application/json");
const yaml = (text: string) => parseYaml(Buffer.from(text));

function refusalOf(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
  return 0;
}

/** Ten lines that expand to a hundred thousand values. */
const manyAliases = ["a0: &a0 [1]"]
  .concat(Array.from({ length: 6 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`))
  .join("\n");

test.each([
  ["", 0, 1, 0],
  ['{"a":[{}]}', 3, 4, 1],
  ['"[[[,:"', 0, 1, 0],
  ['["\\"[", []]', 2, 4, 0],
  ['["\\\\", [1, 2], "\\\\\\""]', 2, 6, 0],
  ['["', 1, 2, 0],
  ['"\\', 0, 1, 0],
])("depth, values and members of %s", (text, depth, values, members) => {
  expect(measureJson(text)).toEqual({ depth, values, members });
});

describe("bodies", () => {
  test("JSON, and YAML that is JSON or not", () => {
    expect(json('{"a":1}').value).toEqual({ a: 1 });
    expect(yaml('{"a":1}').value).toEqual({ a: 1 });
    expect(yaml("{a: 1}").value).toEqual({ a: 1 });
    expect(yaml("a:\n- 1\n").value).toEqual({ a: [1] });
    const large = "x".repeat(200_000);
    expect(yaml(`\n{"a":"${large}"}`).value).toEqual({ a: large });
  });

  test.each<[string, () => unknown, number]>([
    ["broken JSON", () => json("{"), 400],
    ["deep JSON", () => json("[".repeat(101) + "]".repeat(101)), 400],
    ["JSON with many values", () => json(`[${"1,".repeat(200_000)}1]`), 413],
    ["JSON with many fields", () => json(`{${'"a":1,'.repeat(60_000)}"b":1}`), 413],
    ["deep JSON as YAML", () => parseYaml(Buffer.from(`${'{"a":'.repeat(101)}1${"}".repeat(101)}`)), 400],
    ["large YAML", () => parseYaml(Buffer.from(`a: ${"x".repeat(200_000)}`)), 413],
    ["large JSON as YAML that is broken", () => parseYaml(Buffer.from(`{"a":"${"x".repeat(200_000)}"`)), 400],
    ["a prototype", () => json('{"a":{"__proto__":{}}}'), 400],
    ["broken YAML", () => parseYaml(Buffer.from("a: [")), 400],
    ["YAML of few bytes with many values", () => yaml(manyAliases), 400],
    ["YAML with more duplicates than are told", () => yaml("a: 1\n".repeat(30)), 400],
    ["deep YAML", () => parseYaml(Buffer.from("- ".repeat(10_000))), 400],
    ["YAML behind a quote", () => parseYaml(Buffer.from(`a: x" \nb: ${"[".repeat(100_000)}`)), 400],
    ["another type", () => decodeBody(Buffer.from("x"), "text/plain"), 415],
    ["no protobuf", () => decodeBody(Buffer.from("x"), "application/vnd.kubernetes.protobuf"), 400],
  ])("%s", (_name, work, code) => {
    expect(refusalOf(work)).toBe(code);
  });

  test("the name of the prototype as text is nothing bad", () => {
    expect(json('{"a":"__proto__"}').value).toEqual({ a: "__proto__" });
  });

  test("YAML's booleans are those of YAML 1.1, as in Kubernetes", () => {
    expect(yaml("a: [yes, On, y, no, OFF, n, 'yes', yesno]\nno: 1").value).toEqual({
      a: [true, true, true, false, false, false, "yes", "yesno"],
      no: 1,
    });
  });

  test.each<[string, () => unknown, string[]]>([
    ["none", () => json('{"a":{"b":1},"b":["a","a"]}'), []],
    ["at the top", () => json('{"a":1,"a":2,"a":3}'), ['duplicate field "a"', 'duplicate field "a"']],
    ["inside", () => json('{"a":[1,{"x":{"b":1,"c":2,"b":3}}]}'), ['duplicate field "a[1].x.b"']],
    ["spelled otherwise", () => json('{"a\\u0062":1,"ab":2}'), ['duplicate field "ab"']],
    ["after a list", () => json('{"a":[],"b":{"c":[[1],[2]],"c":0}}'), ['duplicate field "b.c"']],
    ["in YAML", () => yaml("a: 1\nb:\n  c: 1\n  c: 2\n"), ['line 4: key "c" already set in map']],
  ])("fields that are written twice: %s", (_name, read, duplicates) => {
    expect(read()).toMatchObject({ duplicates });
  });

  test("of fields that are written twice the last counts", () => {
    expect(yaml("a: 1\na: 2").value).toEqual({ a: 2 });
    expect(json('{"a":1,"a":2}').value).toEqual({ a: 2 });
  });
});

describe("protobuf", () => {
  /** Encodes a message by hand: field number, then bytes. */
  const field = (number: number, bytes: Uint8Array | string) => {
    const writer = protobuf.Writer.create().uint32((number << 3) | 2);
    return (typeof bytes === "string" ? writer.string(bytes) : writer.bytes(bytes)).finish();
  };
  const message = (...fields: Uint8Array[]) => Buffer.concat(fields);
  const envelope = (kind: string, raw: Uint8Array, apiVersion = "v1") =>
    message(Buffer.from("k8s\0"), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw));
  const number = (at: number, value: number) =>
    protobuf.Writer.create()
      .uint32(at << 3)
      .int64(value)
      .finish();
  const time = (seconds: number, nanos: number) => message(number(1, seconds), number(2, nanos));

  test("a Secret, its empty fields left out", () => {
    const metadata = message(
      field(1, "name"),
      field(3, ""),
      field(8, message()),
      field(11, message(field(1, "k"), field(2, ""))),
    );
    const data = message(field(1, "password"), field(2, Buffer.from("secret")));
    expect(
      decodeProtobuf(envelope("Secret", message(field(1, metadata), field(2, data), field(3, "Opaque")))),
    ).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "name", labels: { k: "" } },
      data: { password: Buffer.from("secret").toString("base64") },
      type: "Opaque",
    });
  });

  const metadata = field(1, message(field(1, "name")));
  const about = message(field(1, "Workload"), field(3, "web"));

  test.each([
    [
      envelope(
        "Event",
        message(
          metadata,
          ...[field(2, about), field(3, "Started"), field(5, message()), field(6, time(1_700_000_000, 5))],
          ...[field(7, message()), number(8, 3), field(10, time(1_700_000_000, 123_456_789))],
        ),
      ),
      {
        involvedObject: { kind: "Workload", name: "web" },
        ...{ reason: "Started", source: {}, count: 3, firstTimestamp: "2023-11-14T22:13:20Z" },
        eventTime: "2023-11-14T22:13:20.123456Z",
      },
    ],
    [
      envelope(
        "Event",
        message(
          metadata,
          ...[
            field(2, time(1_700_000_000, 0)),
            field(3, message(number(1, 2), field(2, time(1_700_000_060, 0)))),
          ],
          ...[field(4, "c"), field(8, about), field(10, "It runs."), field(12, message()), number(15, 0)],
        ),
        "events.k8s.io/v1",
      ),
      {
        eventTime: "2023-11-14T22:13:20.000000Z",
        series: { count: 2, lastObservedTime: "2023-11-14T22:14:20.000000Z" },
        ...{ reportingController: "c", regarding: { kind: "Workload", name: "web" }, note: "It runs." },
        ...{ deprecatedSource: {}, deprecatedCount: 0 },
      },
    ],
    [
      envelope(
        "Lease",
        message(
          metadata,
          field(
            2,
            message(field(1, "me"), number(2, 15), field(4, time(1_700_000_000, 1_000)), number(5, 0)),
          ),
        ),
        "coordination.k8s.io/v1",
      ),
      {
        spec: {
          ...{ holderIdentity: "me", leaseDurationSeconds: 15, leaseTransitions: 0 },
          renewTime: "2023-11-14T22:13:20.000001Z",
        },
      },
    ],
    [
      envelope(
        "EndpointSlice",
        message(
          metadata,
          field(2, message(field(1, "10.0.0.1"), field(1, "10.0.0.2"), field(2, number(1, 0)))),
          field(3, message(field(1, ""), field(2, "TCP"), number(3, 8080))),
          field(4, "IPv4"),
        ),
        "discovery.k8s.io/v1",
      ),
      {
        endpoints: [{ addresses: ["10.0.0.1", "10.0.0.2"], conditions: { ready: false } }],
        ports: [{ protocol: "TCP", port: 8080 }],
        addressType: "IPv4",
      },
    ],
  ])("kinds of typed Go clients (%#)", (body, expected) => {
    expect(decodeProtobuf(body)).toMatchObject({ metadata: { name: "name" }, ...expected });
  });

  test.each([
    ["another kind", envelope("Pod", message())],
    ["no magic", Buffer.from("xxxxx")],
    ["cut short", envelope("Secret", field(1, message(field(1, "name")))).subarray(0, -2)],
  ])("%s", (_name, body) => {
    expect(decodeProtobuf(body)).toBeUndefined();
  });
});
