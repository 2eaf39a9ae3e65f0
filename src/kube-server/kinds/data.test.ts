import { expect, test } from "vitest";
import type { KindDefinition } from "../api/kind.ts";
import type { JsonObject, KubeObject } from "../api/object.ts";
import { StatusError } from "../api/status.ts";
import { admit } from "../resources/admission.ts";
import { configMapKind } from "./config-map.ts";
import { secretKind } from "./secret.ts";

const mebibyte = 2 ** 20;
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const zeros = (bytes: number) => base64(Buffer.alloc(bytes));

function objectOf(kind: KindDefinition, fields: JsonObject, annotations = {}): KubeObject {
  return { apiVersion: "v1", kind: kind.kind, metadata: { name: "a", annotations }, ...fields };
}

function faultsOf(kind: KindDefinition, object: KubeObject): string[] {
  try {
    admit(object, undefined, kind);
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

const tooLong = `Too long: may not be more than ${mebibyte} bytes`;

test.each<[string, KindDefinition, JsonObject, string[]]>([
  ["a Secret of 1 MiB", secretKind, { data: { a: zeros(mebibyte) } }, []],
  [
    "a Secret of a byte more",
    secretKind,
    { data: { a: zeros(mebibyte), b: zeros(1) } },
    [`data: ${tooLong}`],
  ],
  ["plain text counts as its bytes", secretKind, { stringData: { a: "x".repeat(mebibyte) } }, []],
  ["a ConfigMap of 1 MiB", configMapKind, { data: { a: "x".repeat(mebibyte) } }, []],
  ["bytes of a ConfigMap", configMapKind, { binaryData: { a: zeros(mebibyte) } }, []],
  [
    "data and binaryData together",
    configMapKind,
    { data: { a: "x".repeat(mebibyte) }, binaryData: { b: zeros(1) } },
    [`[]: ${tooLong}`],
  ],
  ["letters of two bytes", configMapKind, { data: { a: "ä".repeat(mebibyte / 2 + 1) } }, [`[]: ${tooLong}`]],
])("data is limited to 1 MiB: %s", (_name, kind, fields, expected) => {
  expect(faultsOf(kind, objectOf(kind, fields))).toEqual(expected);
});

const registry = "kubernetes.io/dockerconfigjson";
const token = "kubernetes.io/service-account-token";
const account = "kubernetes.io/service-account.name";

test.each<[string, JsonObject, string[]]>([
  ["credentials", { type: registry, data: { ".dockerconfigjson": base64('{"auths":{}}') } }, []],
  ["no credentials", { type: registry }, ["data[.dockerconfigjson]: Required value"]],
  [
    "credentials that are no JSON",
    { type: registry, data: { ".dockerconfigjson": base64("{secret") } },
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": must be a document of JSON'],
  ],
  ["the older form", { type: "kubernetes.io/dockercfg" }, ["data[.dockercfg]: Required value"]],
  ["a token of no account", { type: token }, [`metadata.annotations[${account}]: Required value`]],
])("a Secret's type: %s", (_name, fields, expected) => {
  expect(faultsOf(secretKind, objectOf(secretKind, fields))).toEqual(expected);
});

test("a token's account is an annotation", () => {
  expect(faultsOf(secretKind, objectOf(secretKind, { type: token }, { [account]: "a" }))).toEqual([]);
});

test("null is an empty value", () => {
  for (const kind of [secretKind, configMapKind]) {
    const object = objectOf(kind, { data: { a: null } });
    expect(faultsOf(kind, object)).toEqual([]);
    expect(object["data"]).toEqual({ a: "" });
  }
});
