import { Environment } from "@marcbachmann/cel-js";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { parseUrl } from "../../../src/base/core/url.ts";
import { applyDefaults } from "../../../src/kube-server/api/defaults.ts";
import type { Schema } from "../../../src/kube-server/api/schema.ts";

/**
 * A Kubernetes API server's treatment of a custom resource, as far as a test can reproduce it: strict field
 * validation, defaults, the structural schema (by ajv, independent of this project), keyed lists, and CEL
 * rules.
 */

/** @returns the faults, one line each; defaults are filled into the value in place */
export function structuralFaults(value: unknown, schema: Schema): string[] {
  const unknown = unknownFields(value, schema, "");
  applyDefaults(value as never, schema);
  // Compiled once: ajv caches by schema.
  const validate = ajv.compile(schema);
  validate(value);
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath.slice(1).replaceAll("/", ".")} ${message}`,
  );
  // Rules are evaluated only for objects that match the schema, as in an API server.
  if (faults.length > 0) return [...unknown, ...faults];
  return [...unknown, ...listFaults(value, schema, ""), ...ruleFaults(value, schema, "")];
}

const ajv = new Ajv({ allErrors: true, strict: false });
formats.default(ajv, ["date-time"]);
ajv.addFormat("int64", true);

type Visit = (value: unknown, schema: Schema, path: string) => string[];

/** Collects the results of `visit` at the value and at everything in it that has a schema. */
function walk(value: unknown, schema: Schema, path: string, visit: Visit): string[] {
  const found = visit(value, schema, path);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return found;
    return [...found, ...value.flatMap((item, index) => walk(item, items, `${path}[${index}]`, visit))];
  }
  if (typeof value !== "object" || value === null) return found;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const child = schema.properties?.[name];
    return child === undefined ? [] : walk(member, child, path === "" ? name : `${path}.${name}`, visit);
  });
  return [...found, ...members];
}

function unknownFields(root: unknown, rootSchema: Schema, rootPath: string): string[] {
  return walk(root, rootSchema, rootPath, (value, schema, path) => {
    const open =
      schema["x-kubernetes-preserve-unknown-fields"] === true ||
      schema.additionalProperties !== undefined ||
      schema.properties === undefined;
    if (open || typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.keys(value)
      .filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
      .map((name) => `${path}.${name} is not known`);
  });
}

function listFaults(root: unknown, rootSchema: Schema, rootPath: string): string[] {
  return walk(root, rootSchema, rootPath, (value, schema, path) => {
    const type = schema["x-kubernetes-list-type"];
    if (!Array.isArray(value) || (type !== "map" && type !== "set")) return [];
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    const identities = value.map((item) =>
      JSON.stringify(type === "set" ? item : keys.map((key) => item[key])),
    );
    return new Set(identities).size === identities.length ? [] : [`${path} has the same item twice`];
  });
}

function ruleFaults(root: unknown, rootSchema: Schema, rootPath: string): string[] {
  return walk(root, rootSchema, rootPath, (value, schema, path) =>
    (schema["x-kubernetes-validations"] ?? [])
      .filter(({ rule }) => !holds(rule, value))
      .map(({ message }) => `${path} ${message}`),
  );
}

/** A rule that cannot be evaluated rejects the object, as in an API server. */
function holds(rule: string, self: unknown): boolean {
  try {
    // Unlike Go, cel-js accepts only one of the two letters mu.
    const value = typeof self === "string" ? self.replaceAll("\u03bc", "\u00b5") : self;
    return environment.evaluate(rule, { self: value }) === true;
  } catch {
    return false;
  }
}

/**
 * The URL library that Kubernetes adds to CEL, which is Go's `url.ParseRequestURI`. Unlike Go, URL rejects
 * invalid punycode (`xn--a`); such names are left to the policy's status.
 */
const environment = new Environment()
  .registerVariable("self", "dyn")
  .registerType("Url", { ctor: URL, fields: {} })
  .registerFunction(
    "isURL(string): bool",
    (text: string) => parseUrl(text) !== undefined && !/^[^?]*%(?![0-9a-f]{2})/i.test(text),
  )
  .registerFunction("url(string): Url", (text: string) => new URL(text))
  .registerFunction("Url.getPort(): string", (url: URL) => url.port);

/** @returns the reason why a rule cannot be compiled, or undefined */
export function ruleProblem(rule: string): string | undefined {
  const checked = environment.check(rule);
  return checked.valid ? undefined : String(checked.error?.message ?? "unknown");
}

/** Keywords that a structural schema may have (Kubernetes, "Specifying a structural schema"). */
const structuralKeywords = new Set([
  ...["type", "description", "format", "default", "nullable", "properties", "required", "items", "enum"],
  ...[
    "additionalProperties",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
  ],
  ...["maxProperties", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-validations"],
  ...["x-kubernetes-preserve-unknown-fields", "x-kubernetes-map-type", "x-kubernetes-int-or-string"],
]);

/** Faults of a schema that is not structural: a place without a type, a keyword that a CRD may not have. */
export function structureFaults(schema: Schema, path = ""): string[] {
  const own = Object.keys(schema)
    .filter((keyword) => !structuralKeywords.has(keyword))
    .map((keyword) => `${path}: the keyword ${keyword}`);
  if (schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true)
    own.push(`${path}: no type`);
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    own.push(`${path}: properties and additionalProperties`);
  }
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      structureFaults(child, `${path}.${name}`),
    ),
    ...(schema.items === undefined ? [] : structureFaults(schema.items, `${path}[]`)),
  ];
}
