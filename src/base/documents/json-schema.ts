import { type DocumentPath, isObject } from "./document-path.ts";

/** The part of JSON Schema that our schemas print and that is walked here. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The schema that rules a member of a value that `schema` rules, or undefined where none does. */
export function schemaOfMember(schema: JsonSchema, step: string | number): JsonSchema | undefined {
  if (typeof step === "number") return variant(schema, "array").items;
  const object = variant(schema, "object");
  if (object.properties !== undefined && Object.hasOwn(object.properties, step))
    return object.properties[step];
  return typeof object.additionalProperties === "object" ? object.additionalProperties : undefined;
}

/** The schema that rules the value at a path, or undefined where none does. */
export function schemaAt(root: JsonSchema, path: DocumentPath): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root;
  for (const step of path) schema = schema === undefined ? undefined : schemaOfMember(schema, step);
  return schema;
}

/** Of a choice of types, the one of that type; the schema itself where there is no choice. */
export function variant(schema: JsonSchema, type: string): JsonSchema {
  return schema.anyOf?.find((each) => each.type === type) ?? schema;
}

export interface UnknownKey {
  readonly path: DocumentPath;
  readonly key: string;
  /** The names that are known there. */
  readonly known: readonly string[];
}

/** Every member that the schema does not name, at any depth, in the order of the document. */
export function unknownKeys(value: unknown, schema: JsonSchema, path: DocumentPath = []): UnknownKey[] {
  if (Array.isArray(value)) {
    const items = variant(schema, "array").items;
    return items === undefined
      ? []
      : value.flatMap((item, index) => unknownKeys(item, items, [...path, index]));
  }
  const object = variant(schema, "object");
  if (!isObject(value) || (object.properties === undefined && object.additionalProperties === undefined))
    return [];
  const found: UnknownKey[] = [];
  for (const [key, member] of Object.entries(value)) {
    const memberPath = [...path, key];
    const memberSchema = schemaOfMember(object, key);
    if (memberSchema !== undefined) found.push(...unknownKeys(member, memberSchema, memberPath));
    else if (object.additionalProperties !== true) {
      found.push({ path: memberPath, key, known: Object.keys(object.properties ?? {}) });
    }
  }
  return found;
}
