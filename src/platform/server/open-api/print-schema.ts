import type { JsonObject } from "../object.ts";
import type { Schema, SchemaComponent } from "../schema/schema.ts";

/** How a version of OpenAPI writes schemas. */
export interface Dialect {
  /** Where the components are: `#/definitions/`. */
  readonly place: string;
  /** A reference cannot have a description beside it in version 3. */
  readonly wrapsReferences: boolean;
  /** What of a schema this version can say. */
  readonly adapt: (schema: Schema) => Schema;
}

export const version3: Dialect = {
  place: "#/components/schemas/",
  wrapsReferences: true,
  adapt: (schema) => schema,
};

/**
 * Version 2 knows no `nullable`, and its checks in kubectl know no unknown fields that are kept: whatever
 * such a place holds has to pass. This is what Kubernetes does to the schemas of CRDs.
 */
export const version2: Dialect = {
  place: "#/definitions/",
  wrapsReferences: false,
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
 * Writes components, and all those that they refer to.
 *
 * @returns by name, in the order of the names
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
    printed.set(next.name, {
      ...printOwn(next.schema, dialect, refer),
      ...(groupVersionKinds === undefined
        ? {}
        : { "x-kubernetes-group-version-kind": groupVersionKinds.map((each) => ({ ...each })) }),
    });
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
  return {
    ...(keywords as unknown as JsonObject),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: print(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: print(additionalProperties) }),
  };
}
