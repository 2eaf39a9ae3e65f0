import protobuf from "protobufjs";
import { isJsonObject, type Json, type JsonObject } from "../object.ts";

/**
 * OpenAPI v2 as protobuf: gnostic's `openapi.v2.Document`, the form that kubectl and client-go ask for.
 * These are the messages and fields that the documents here need.
 */
const definitions = `
syntax = "proto3";
message Document {
  string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9;
}
message Info { string title = 1; string version = 2; }
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Paths { repeated NamedPathItem path = 2; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem {
  Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation patch = 8;
  repeated ParametersItem parameters = 9;
}
message Operation {
  repeated string tags = 1; string description = 3; string operation_id = 5; repeated string produces = 6;
  repeated string consumes = 7; repeated ParametersItem parameters = 8; Responses responses = 9;
  repeated string schemes = 10; repeated NamedAny vendor_extension = 13;
}
message ParametersItem { Parameter parameter = 1; }
message Parameter { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; }
message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message NonBodyParameter {
  QueryParameter query_parameter_sub_schema = 3; PathParameter path_parameter_sub_schema = 4;
}
message QueryParameter {
  bool required = 1; string in = 2; string description = 3; string name = 4; string type = 6;
  bool unique_items = 20;
}
message PathParameter {
  bool required = 1; string in = 2; string description = 3; string name = 4; string type = 5;
  bool unique_items = 19;
}
message Responses { repeated NamedResponseValue response_code = 1; }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message ResponseValue { Response response = 1; }
message Response { string description = 1; SchemaItem schema = 2; }
message SchemaItem { Schema schema = 1; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message AdditionalPropertiesItem { Schema schema = 1; }
message Schema {
  string _ref = 1; string format = 2; string description = 4; double maximum = 7; double minimum = 9;
  int64 max_length = 11; int64 min_length = 12; string pattern = 13;
  int64 max_items = 14; int64 min_items = 15;
  int64 max_properties = 17; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendor_extension = 31;
}
`;

/** gnostic's `openapi.v2.Document` */
export const openApiV2Message = protobuf.parse(definitions, { keepCase: true }).root.lookupType("Document");

/** @param document what `openApiV2Document` gives */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const message = {
    swagger: document["swagger"],
    info: document["info"],
    paths: { path: named(document["paths"], pathItem) },
    definitions: { additional_properties: named(document["definitions"], schema) },
  };
  return openApiV2Message.encode(openApiV2Message.fromObject(message)).finish();
}

type Message = Record<string, unknown>;

function named(members: Json | undefined, convert: (value: JsonObject) => Message): Message[] {
  return entries(members).map(([name, value]) => ({ name, value: convert(asObject(value)) }));
}

function entries(value: Json | undefined): [string, Json][] {
  return Object.entries(asObject(value));
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** JSON is YAML too. */
function any(value: Json): Message {
  return { yaml: JSON.stringify(value) };
}

function vendorExtensions(value: JsonObject): Message[] {
  return Object.entries(value)
    .filter(([name]) => name.startsWith("x-"))
    .map(([name, member]) => ({ name, value: any(member) }));
}

function pathItem({ parameters, ...operations }: JsonObject): Message {
  const messages = Object.entries(operations).map(([method, value]) => [method, operation(asObject(value))]);
  return { parameters: list(parameters).map(parameter), ...Object.fromEntries(messages) };
}

function operation(value: JsonObject): Message {
  const { operationId, parameters, responses, ...same } = value;
  return {
    ...same,
    operation_id: operationId,
    parameters: list(parameters).map(parameter),
    responses: { response_code: named(responses, response) },
    vendor_extension: vendorExtensions(value),
  };
}

function response({ description, schema: content }: JsonObject): Message {
  const own = content === undefined ? {} : { schema: { schema: schema(asObject(content)) } };
  return { response: { description, ...own } };
}

function parameter(value: Json): Message {
  const { uniqueItems, schema: content, ...same } = asObject(value);
  if (same["in"] === "body") {
    return { parameter: { body_parameter: { ...same, schema: schema(asObject(content)) } } };
  }
  const which = same["in"] === "path" ? "path_parameter_sub_schema" : "query_parameter_sub_schema";
  return { parameter: { non_body_parameter: { [which]: { ...same, unique_items: uniqueItems } } } };
}

function schema(value: JsonObject): Message {
  const { format, description, maximum, minimum, pattern, required, type, properties } = value;
  const message: Message = {
    ...{ _ref: value["$ref"], format, description, maximum, minimum, pattern, required },
    max_length: value["maxLength"],
    min_length: value["minLength"],
    max_items: value["maxItems"],
    min_items: value["minItems"],
    max_properties: value["maxProperties"],
    enum: list(value["enum"]).map(any),
    vendor_extension: vendorExtensions(value),
  };
  if (type !== undefined) message["type"] = { value: [type] };
  if (isJsonObject(value["items"])) message["items"] = { schema: [schema(value["items"])] };
  if (isJsonObject(value["additionalProperties"])) {
    message["additional_properties"] = { schema: schema(value["additionalProperties"]) };
  }
  if (properties !== undefined) message["properties"] = { additional_properties: named(properties, schema) };
  return message;
}
