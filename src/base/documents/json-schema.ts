import { type DocumentPath, isObject } from "./yaml/document-path.ts";

/** The part of JSON Schema used by this program's schemas. */
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

/** The schema of a member of a value described by `schema`, or undefined when there is none. */
export function schemaOfMember(schema: JsonSchema, step: string | number): JsonSchema | undefined {
  if (typeof step === "number") return variant(schema, "array").items;
  const object = variant(schema, "object");
  if (object.properties !== undefined && Object.hasOwn(object.properties, step))
    return object.properties[step];
  return typeof object.additionalProperties === "object" ? object.additionalProperties : undefined;
}

/** The schema of the value at a path, or undefined when there is none. */
export function schemaAt(root: JsonSchema, path: DocumentPath): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root;
  for (const step of path) schema = schema === undefined ? undefined : schemaOfMember(schema, step);
  return schema;
}

/** The `anyOf` alternative of the given type; the schema itself when there are no alternatives. */
export function variant(schema: JsonSchema, type: string): JsonSchema {
  return schema.anyOf?.find((each) => each.type === type) ?? schema;
}

interface UnknownKey {
  readonly path: DocumentPath;
  readonly key: string;
  /** The names allowed at that place. */
  readonly known: readonly string[];
}

/** Every member unknown to the schema, at any depth, in document order. */
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
