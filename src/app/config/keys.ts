import { z } from "zod";
import type { JsonSchema } from "../../base/documents/json-schema.ts";
import { configSchema } from "./schema.ts";

/** The file's schema, as JSON Schema; `x-type` and `x-expects` are for the loader only. */
export const configJsonSchema = z.toJSONSchema(configSchema, { io: "input" }) as JsonSchema;

/** One configuration key, for the environment, the flags and the documentation. */
export interface ConfigKey {
  /** `metrics.basicAuth.username`; for members of list items `delivery.endpoints[].urlPrefix`. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly type: KeyType;
  readonly required: boolean;
  /** `TELEMETRYD_…`, if the key can be set in the environment. */
  readonly variable: string | undefined;
}

export type KeyType =
  | "text"
  | "duration"
  | "size"
  | "path"
  | "whole number"
  | "true or false"
  | "list"
  | "map"
  | "text or list"
  | "list of objects";

/** The texts that a path's key takes beside paths. */
export function wordsOf(schema: JsonSchema): readonly unknown[] {
  const words = schema["x-words"];
  return Array.isArray(words) ? words : [];
}

/** Every key that holds a value, in schema order. */
export const configKeys: readonly ConfigKey[] = listKeys(configJsonSchema, "", true);

/** `metrics.basicAuth.passwordFile` -> `TELEMETRYD_METRICS_BASIC_AUTH_PASSWORD_FILE` */
export function environmentName(name: string): string {
  const words = name.replaceAll(".", "_").replace(/([a-z0-9])([A-Z])/g, "$1_$2");
  return `TELEMETRYD_${words.toUpperCase()}`;
}

function listKeys(schema: JsonSchema, prefix: string, settable: boolean): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([member, memberSchema]) => {
    const name = prefix === "" ? member : `${prefix}.${member}`;
    if (memberSchema.properties !== undefined) return listKeys(memberSchema, name, settable);
    const type = keyType(memberSchema);
    const ownVariable = settable && type !== "map" && type !== "list of objects";
    const key: ConfigKey = {
      name,
      schema: memberSchema,
      type,
      required: schema.required?.includes(member) ?? false,
      variable: ownVariable ? environmentName(name) : undefined,
    };
    const items = type === "list of objects" ? memberSchema.items : undefined;
    return items === undefined ? [key] : [key, ...listKeys(items, `${name}[]`, false)];
  });
}

function keyType(schema: JsonSchema): KeyType {
  const special = schema["x-type"];
  if (special === "duration" || special === "size" || special === "path") return special;
  if (schema.anyOf !== undefined) return "text or list";
  switch (schema.type) {
    case "integer":
      return "whole number";
    case "boolean":
      return "true or false";
    case "array":
      return schema.items?.properties === undefined ? "list" : "list of objects";
    case "object":
      return "map";
    default:
      return "text";
  }
}
