import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as client from "@kubernetes/client-node";
import type { Manifest } from "./kustomize.ts";

/**
 * The built-in kinds of a Kubernetes API server (1.34), as the models that the official client generates from
 * the server's OpenAPI: fields, types, and which are required.
 */

interface Field {
  readonly baseName: string;
  readonly type: string;
}

type Model = { getAttributeTypeMap(): readonly Field[] };

const models = client as unknown as Readonly<Record<string, Model | undefined>>;
const modelsFolder = new URL(
  "gen/models/",
  `file://${createRequire(import.meta.url).resolve("@kubernetes/client-node")}`,
);

/** Faults that a server with strict field validation reports: unknown and missing fields, wrong types. */
export function schemaFaults(manifest: Manifest): string[] {
  const version = manifest.apiVersion.split("/").at(-1) ?? "";
  const model = `${version[0]?.toUpperCase()}${version.slice(1)}${manifest.kind}`;
  if (models[model] === undefined) return [`${manifest.kind}: no such kind in ${manifest.apiVersion}`];
  return faultsOf(manifest, model, `${manifest.kind} ${manifest.metadata.name}`);
}

function faultsOf(value: unknown, type: string, path: string): string[] {
  const array = /^(?:Array|Set)<(.*)>$/.exec(type)?.[1];
  if (array !== undefined) {
    if (!Array.isArray(value)) return [`${path}: must be a list`];
    return value.flatMap((item, index) => faultsOf(item, array, `${path}[${index}]`));
  }
  const member = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (member !== undefined) {
    if (!isObject(value)) return [`${path}: must be a map`];
    return Object.entries(value).flatMap(([key, item]) => faultsOf(item, member, `${path}.${key}`));
  }
  if (type === "any" || type === "object") return [];
  if (type === "IntOrString") {
    return ["string", "number"].includes(typeof value) ? [] : [`${path}: must be a number or a string`];
  }
  const plain = { string: "string", number: "number", boolean: "boolean", Date: "string" }[type];
  if (plain !== undefined) return typeof value === plain ? [] : [`${path}: must be a ${plain}`];

  const model = models[type];
  if (model === undefined) throw new Error(`${path}: the client has no model ${type}`);
  if (!isObject(value)) return [`${path}: must be an object`];
  const fields = new Map(model.getAttributeTypeMap().map((field) => [field.baseName, field.type]));
  const missing = requiredFields(type).filter((field) => value[field] === undefined || value[field] === null);
  return [
    ...missing.map((field) => `${path}.${field}: is required`),
    ...Object.entries(value).flatMap(([field, item]) => {
      const fieldType = fields.get(field);
      if (fieldType === undefined) return [`${path}.${field}: unknown field`];
      return item === null || item === undefined ? [] : faultsOf(item, fieldType, `${path}.${field}`);
    }),
  ];
}

/** Only the declarations of the models tell which fields are required. */
function requiredFields(type: string): string[] {
  const text = readFileSync(new URL(`${type}.d.ts`, modelsFolder), "utf8");
  return [...text.matchAll(/^ {4}'(\w+)': /gm)].map(([, field = ""]) => field);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
