import protobuf from "protobufjs";
import type { KindDefinition } from "../kinds/kind.ts";
import type { Json } from "../object.ts";
import { type Schema, wholeObjectSchema } from "../schema/schema.ts";

/** What kubectl asks for, and the only form in which the document is given. */
export const openApiV2Type = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/**
 * The part of gnostic's `openapi.v2.Document` that is needed here. kubectl checks a manifest of kind List with this
 * document and with nothing newer: without it, `kubectl apply` refuses every List.
 */
const definitions = `
syntax = "proto3";
message Info { string title = 1; string version = 2; }
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message AdditionalPropertiesItem { Schema schema = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message Schema {
  string format = 2; string description = 4; repeated string required = 19;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendor_extension = 31;
}
message NamedSchema { string name = 1; Schema value = 2; }
message Paths { repeated NamedAny vendor_extension = 1; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; }
`;

const documentType = protobuf.parse(definitions, { keepCase: true }).root.lookupType("Document");

/** The document over all the kinds that a plane serves. */
export function openApiV2Document(kinds: readonly KindDefinition[]): Uint8Array {
  const schemas = kinds.map((kind) => ({
    name: `${kind.group === "" ? "core" : kind.group}.${kind.version}.${kind.kind}`,
    value: {
      ...encodeSchema(wholeObjectSchema(kind.schema)),
      vendor_extension: [
        extension("x-kubernetes-group-version-kind", [
          { group: kind.group, version: kind.version, kind: kind.kind },
        ]),
      ],
    },
  }));
  const document = {
    swagger: "2.0",
    info: { title: "telemetryd platform", version: "v1" },
    paths: {},
    definitions: { additional_properties: schemas },
  };
  return documentType.encode(documentType.fromObject(document)).finish();
}

/** JSON is YAML too. */
function extension(name: string, value: Json): { name: string; value: { yaml: string } } {
  return { name, value: { yaml: JSON.stringify(value) } };
}

function encodeSchema(schema: Schema): Record<string, unknown> {
  const { type, format, description, required, properties, items, additionalProperties } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, value]) => ({
    name,
    value: encodeSchema(value),
  }));
  return {
    ...(type === undefined ? {} : { type: { value: [type] } }),
    ...(format === undefined ? {} : { format }),
    ...(description === undefined ? {} : { description }),
    ...(required === undefined ? {} : { required: [...required] }),
    ...(fields.length === 0 ? {} : { properties: { additional_properties: fields } }),
    ...(items === undefined ? {} : { items: { schema: [encodeSchema(items)] } }),
    ...(additionalProperties === undefined
      ? {}
      : { additional_properties: { schema: encodeSchema(additionalProperties) } }),
  };
}
