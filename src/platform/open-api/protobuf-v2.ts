import protobuf from "protobufjs";
import { isJsonObject, type Json, type JsonObject } from "../object.ts";

/**
 * OpenAPI v2 as protobuf: gnostic's `openapi.v2.Document`, the form that kubectl and client-go ask for. The
 * numbers are those of gnostic's OpenAPIv2.proto. Written field by field: messages made by reflection take
 * several times as long, and the event loop waits meanwhile.
 */

type Writer = protobuf.Writer;

const wire = { varint: 0, fixed64: 1, delimited: 2 } as const;

/** @param document what `openApiV2Document` gives */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const writer = protobuf.Writer.create();
  const info = asObject(document["info"]);
  text(writer, 1, document["swagger"]);
  message(writer, 2, () => {
    text(writer, 1, info["title"]);
    text(writer, 2, info["version"]);
  });
  message(writer, 8, () => named(writer, 2, document["paths"], pathItem));
  message(writer, 9, () => named(writer, 1, document["definitions"], schema));
  return writer.finish();
}

// Each writes a field of one type; what is absent is left out.

function tag(writer: Writer, field: number, type: number): Writer {
  return writer.uint32((field << 3) | type);
}

function text(writer: Writer, field: number, value: Json | undefined): void {
  if (typeof value === "string") tag(writer, field, wire.delimited).string(value);
}

function texts(writer: Writer, field: number, values: Json | undefined): void {
  for (const value of list(values)) text(writer, field, value);
}

function flag(writer: Writer, field: number, value: Json | undefined): void {
  if (value === true) tag(writer, field, wire.varint).bool(true);
}

function integer(writer: Writer, field: number, value: Json | undefined): void {
  if (typeof value === "number") tag(writer, field, wire.varint).int64(value);
}

function decimal(writer: Writer, field: number, value: Json | undefined): void {
  if (typeof value === "number") tag(writer, field, wire.fixed64).double(value);
}

function message(writer: Writer, field: number, write: () => void): void {
  tag(writer, field, wire.delimited).fork();
  write();
  writer.ldelim();
}

/** JSON is YAML too. */
function any(writer: Writer, field: number, value: Json): void {
  message(writer, field, () => text(writer, 2, JSON.stringify(value)));
}

/** A map, which gnostic writes as a list of names and values. */
function named(
  writer: Writer,
  field: number,
  members: Json | undefined,
  write: (writer: Writer, value: JsonObject) => void,
): void {
  for (const [name, value] of Object.entries(asObject(members))) {
    message(writer, field, () => {
      text(writer, 1, name);
      message(writer, 2, () => write(writer, asObject(value)));
    });
  }
}

function vendorExtensions(writer: Writer, field: number, value: JsonObject): void {
  for (const [name, member] of Object.entries(value)) {
    if (!name.startsWith("x-")) continue;
    message(writer, field, () => {
      text(writer, 1, name);
      any(writer, 2, member);
    });
  }
}

const methods = { get: 2, put: 3, post: 4, delete: 5, patch: 8 } as const;

function pathItem(writer: Writer, value: JsonObject): void {
  for (const [method, field] of Object.entries(methods)) {
    const found = value[method];
    if (isJsonObject(found)) message(writer, field, () => operation(writer, found));
  }
  parameters(writer, 9, value["parameters"]);
}

function operation(writer: Writer, value: JsonObject): void {
  texts(writer, 1, value["tags"]);
  text(writer, 3, value["description"]);
  text(writer, 5, value["operationId"]);
  texts(writer, 6, value["produces"]);
  texts(writer, 7, value["consumes"]);
  parameters(writer, 8, value["parameters"]);
  message(writer, 9, () => named(writer, 1, value["responses"], response));
  texts(writer, 10, value["schemes"]);
  vendorExtensions(writer, 13, value);
}

function response(writer: Writer, value: JsonObject): void {
  const content = value["schema"];
  message(writer, 1, () => {
    text(writer, 1, value["description"]);
    if (!isJsonObject(content)) return;
    message(writer, 2, () => message(writer, 1, () => schema(writer, content)));
  });
}

function parameters(writer: Writer, field: number, values: Json | undefined): void {
  for (const value of list(values)) {
    message(writer, field, () => message(writer, 1, () => parameter(writer, asObject(value))));
  }
}

function parameter(writer: Writer, value: JsonObject): void {
  if (value["in"] === "body") {
    message(writer, 1, () => {
      text(writer, 2, value["name"]);
      text(writer, 3, value["in"]);
      flag(writer, 4, value["required"]);
      message(writer, 5, () => schema(writer, asObject(value["schema"])));
    });
    return;
  }
  const numbers = value["in"] === "path" ? { own: 4, type: 5, unique: 19 } : { own: 3, type: 6, unique: 20 };
  message(writer, 2, () => {
    message(writer, numbers.own, () => {
      flag(writer, 1, value["required"]);
      text(writer, 2, value["in"]);
      text(writer, 3, value["description"]);
      text(writer, 4, value["name"]);
      text(writer, numbers.type, value["type"]);
      flag(writer, numbers.unique, value["uniqueItems"]);
    });
  });
}

function schema(writer: Writer, value: JsonObject): void {
  const { additionalProperties, items, properties, type } = value;
  text(writer, 1, value["$ref"]);
  text(writer, 2, value["format"]);
  text(writer, 4, value["description"]);
  decimal(writer, 7, value["maximum"]);
  decimal(writer, 9, value["minimum"]);
  integer(writer, 11, value["maxLength"]);
  integer(writer, 12, value["minLength"]);
  text(writer, 13, value["pattern"]);
  integer(writer, 14, value["maxItems"]);
  integer(writer, 15, value["minItems"]);
  integer(writer, 17, value["maxProperties"]);
  texts(writer, 19, value["required"]);
  for (const each of list(value["enum"])) any(writer, 20, each);
  if (isJsonObject(additionalProperties)) {
    message(writer, 21, () => message(writer, 1, () => schema(writer, additionalProperties)));
  }
  if (type !== undefined) message(writer, 22, () => text(writer, 1, type));
  if (isJsonObject(items)) message(writer, 23, () => message(writer, 1, () => schema(writer, items)));
  if (properties !== undefined) message(writer, 25, () => named(writer, 1, properties, schema));
  vendorExtensions(writer, 31, value);
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
