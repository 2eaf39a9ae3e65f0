import protobuf from "protobufjs";
import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";

/**
 * OpenAPI v2 as protobuf: gnostic's `openapi.v2.Document`, the form that kubectl and client-go request. Field
 * numbers come from gnostic's OpenAPIv2.proto. Written field by field, because reflection-based messages are
 * far slower and would block the event loop.
 */

type Writer = protobuf.Writer;

const wire = { varint: 0, fixed64: 1, delimited: 2 } as const;

/** Writes a field; omits it if the value has another type. */
type Write = (writer: Writer, field: number, value: Json | undefined) => void;

/** Fields of a message: number, name in the document, type. */
type Fields = readonly (readonly [number: number, name: string, write: Write])[];

function tag(writer: Writer, field: number, type: number): Writer {
  return writer.uint32((field << 3) | type);
}

const text: Write = (writer, field, value) => {
  if (typeof value === "string") tag(writer, field, wire.delimited).string(value);
};

const flag: Write = (writer, field, value) => {
  if (value === true) tag(writer, field, wire.varint).bool(true);
};

const integer: Write = (writer, field, value) => {
  if (typeof value === "number") tag(writer, field, wire.varint).int64(value);
};

const decimal: Write = (writer, field, value) => {
  if (typeof value === "number") tag(writer, field, wire.fixed64).double(value);
};

/** JSON is valid YAML. */
const any: Write = (writer, field, value) => {
  if (value !== undefined) message(writer, field, () => text(writer, 2, JSON.stringify(value)));
};

const each = (write: Write): Write => {
  return (writer, field, value) => {
    for (const item of Array.isArray(value) ? value : []) write(writer, field, item);
  };
};

/** A message with these fields, and vendor extensions if it has a field for them. */
function messageOf(fields: Fields, extensions?: number): Write {
  return (writer, field, value) => {
    if (!isJsonObject(value)) return;
    message(writer, field, () => {
      for (const [number, name, write] of fields) write(writer, number, value[name]);
      if (extensions !== undefined) vendorExtensions(writer, extensions, value);
    });
  };
}

/** A message with a single field. */
const within = (number: number, write: Write): Write => {
  return (writer, field, value) => {
    if (isJsonObject(value)) message(writer, field, () => write(writer, number, value));
  };
};

/** A map, which gnostic writes as a list of names and values. */
const named = (write: Write): Write => {
  return (writer, field, value) => {
    for (const [name, member] of Object.entries(isJsonObject(value) ? value : {})) {
      message(writer, field, () => {
        text(writer, 1, name);
        write(writer, 2, member);
      });
    }
  };
};

function message(writer: Writer, field: number, write: () => void): void {
  tag(writer, field, wire.delimited).fork();
  write();
  writer.ldelim();
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

/** Schemas are recursive. */
const schema: Write = (writer, field, value) => ownSchema(writer, field, value);

const ownSchema = messageOf(
  [
    [1, "$ref", text],
    [2, "format", text],
    [4, "description", text],
    [7, "maximum", decimal],
    [9, "minimum", decimal],
    [11, "maxLength", integer],
    [12, "minLength", integer],
    [13, "pattern", text],
    [14, "maxItems", integer],
    [15, "minItems", integer],
    [17, "maxProperties", integer],
    [18, "minProperties", integer],
    [19, "required", each(text)],
    [20, "enum", each(any)],
    [21, "additionalProperties", within(1, schema)],
    [
      22,
      "type",
      (writer, field, type) => {
        if (type !== undefined) message(writer, field, () => text(writer, 1, type));
      },
    ],
    [23, "items", within(1, schema)],
    [25, "properties", within(1, named(schema))],
  ],
  31,
);

const bodyParameter = messageOf([
  [2, "name", text],
  [3, "in", text],
  [4, "required", flag],
  [5, "schema", schema],
]);

const placeParameter = (type: number, unique: number): Write =>
  messageOf([
    [1, "required", flag],
    [2, "in", text],
    [3, "description", text],
    [4, "name", text],
    [type, "type", text],
    [unique, "uniqueItems", flag],
  ]);

const parameterPlaces: Readonly<Record<string, Write>> = {
  body: within(1, bodyParameter),
  query: within(2, within(3, placeParameter(6, 20))),
  path: within(2, within(4, placeParameter(5, 19))),
};

const parameter: Write = (writer, field, value) => {
  if (!isJsonObject(value)) return;
  const write = parameterPlaces[String(value["in"])];
  if (write !== undefined) message(writer, field, () => write(writer, 1, value));
};

const response = within(
  1,
  messageOf([
    [1, "description", text],
    [2, "schema", within(1, schema)],
  ]),
);

const operation = messageOf(
  [
    [1, "tags", each(text)],
    [3, "description", text],
    [5, "operationId", text],
    [6, "produces", each(text)],
    [7, "consumes", each(text)],
    [8, "parameters", each(parameter)],
    [9, "responses", within(1, named(response))],
    [10, "schemes", each(text)],
  ],
  13,
);

const pathItem = messageOf([
  [2, "get", operation],
  [3, "put", operation],
  [4, "post", operation],
  [5, "delete", operation],
  [8, "patch", operation],
  [9, "parameters", each(parameter)],
]);

const documentFields: Fields = [
  [1, "swagger", text],
  [
    2,
    "info",
    messageOf([
      [1, "title", text],
      [2, "version", text],
    ]),
  ],
  [8, "paths", within(2, named(pathItem))],
  [9, "definitions", within(1, named(schema))],
];

/** @param document from `openApiV2Document` */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [number, name, write] of documentFields) write(writer, number, document[name]);
  return writer.finish();
}
