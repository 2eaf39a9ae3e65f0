import { defined } from "../../base/core/defined.ts";
import type { JsonObject } from "../api/object.ts";
import type { Schema, SchemaComponent } from "../api/schema.ts";

/** A version's way of writing schemas. */
export interface Dialect {
  /** Path of the components: `#/definitions/`. */
  readonly place: string;
  /** In version 3, a reference cannot have a description beside it. */
  readonly wrapsReferences: boolean;
  /** Whether `anyOf` exists. */
  readonly hasAlternatives: boolean;
  /** Reduces a schema to the features of this version. */
  readonly adapt: (schema: Schema) => Schema;
}

export const version3: Dialect = {
  place: "#/components/schemas/",
  wrapsReferences: true,
  hasAlternatives: true,
  adapt: (schema) => schema,
};

/**
 * Version 2 lacks `nullable` and `anyOf`, and kubectl's validation with it does not support preserved
 * unknown fields: such places must accept any value. Kubernetes does the same to the schemas of CRDs.
 */
export const version2: Dialect = {
  place: "#/definitions/",
  wrapsReferences: false,
  hasAlternatives: false,
  adapt(schema) {
    const { nullable, default: _, ...known } = schema;
    if (nullable !== true && known["x-kubernetes-preserve-unknown-fields"] !== true) return known;
    const { type: __, format: ___, properties, items, additionalProperties, ...rest } = known;
    return rest;
  },
};

export function referenceTo({ name }: SchemaComponent, { place }: Dialect): JsonObject {
  return { $ref: place + name };
}

/**
 * Prints components, with all components that they refer to.
 *
 * @returns schemas by name, sorted by name
 */
export function printComponents(components: readonly SchemaComponent[], dialect: Dialect): JsonObject {
  const printed = new Map<string, JsonObject>();
  const waiting = [...components];
  const refer = (component: SchemaComponent): JsonObject => {
    if (!printed.has(component.name)) waiting.push(component);
    return referenceTo(component, dialect);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (printed.has(next.name)) continue;
    const { groupVersionKinds } = next;
    printed.set(
      next.name,
      defined({
        ...printOwn(next.schema, dialect, refer),
        "x-kubernetes-group-version-kind": groupVersionKinds?.map((each) => ({ ...each })),
      }),
    );
  }
  return Object.fromEntries([...printed].sort(([left], [right]) => (left < right ? -1 : 1)));
}

type Refer = (component: SchemaComponent) => JsonObject;

function printSchema(schema: Schema, dialect: Dialect, refer: Refer): JsonObject {
  if (schema.component === undefined) return printOwn(schema, dialect, refer);
  const reference = refer(schema.component);
  const { description = "" } = schema;
  if (description === schema.component.schema.description) return reference;
  return dialect.wrapsReferences ? { description, allOf: [reference] } : { description, ...reference };
}

function printOwn(schema: Schema, dialect: Dialect, refer: Refer): JsonObject {
  const { component: _, properties, items, additionalProperties, ...keywords } = dialect.adapt(schema);
  const print = (child: Schema) => printSchema(child, dialect, refer);
  const fields = Object.entries(properties ?? {}).map(([name, child]) => [name, print(child)] as const);
  const isEither = keywords["x-kubernetes-int-or-string"] === true && dialect.hasAlternatives;
  return defined({
    ...(keywords as unknown as JsonObject),
    anyOf: isEither ? [{ type: "integer" }, { type: "string" }] : undefined,
    properties: properties && Object.fromEntries(fields),
    items: items && print(items),
    additionalProperties: additionalProperties && print(additionalProperties),
  });
}
