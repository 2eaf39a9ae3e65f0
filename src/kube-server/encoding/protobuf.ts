import protobuf from "protobufjs";
import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";

/**
 * The Kubernetes protobuf encoding, as far as kubectl requires it for requests: four magic bytes, then an
 * envelope (runtime.Unknown) with the object inside. Field numbers come from the published `generated.proto`
 * files.
 */
const definitions = `
syntax = "proto2";
message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
message Unknown { optional TypeMeta typeMeta = 1; optional bytes raw = 2; }
message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
message OwnerReference {
  optional string kind = 1; optional string name = 3; optional string uid = 4; optional string apiVersion = 5;
  optional bool controller = 6; optional bool blockOwnerDeletion = 7;
}
message FieldsV1 { optional bytes Raw = 1; }
message ManagedFieldsEntry {
  optional string manager = 1; optional string operation = 2; optional string apiVersion = 3;
  optional Time time = 4; optional string fieldsType = 6; optional FieldsV1 fieldsV1 = 7;
  optional string subresource = 8;
}
message ObjectMeta {
  optional string name = 1; optional string generateName = 2; optional string namespace = 3;
  optional string selfLink = 4; optional string uid = 5; optional string resourceVersion = 6;
  optional int64 generation = 7; optional Time creationTimestamp = 8; optional Time deletionTimestamp = 9;
  optional int64 deletionGracePeriodSeconds = 10; map<string, string> labels = 11;
  map<string, string> annotations = 12;
  repeated OwnerReference ownerReferences = 13; repeated string finalizers = 14;
  repeated ManagedFieldsEntry managedFields = 17;
}
message Secret {
  optional ObjectMeta metadata = 1; map<string, bytes> data = 2; optional string type = 3;
  map<string, string> stringData = 4; optional bool immutable = 5;
}
message ConfigMap {
  optional ObjectMeta metadata = 1; map<string, string> data = 2; map<string, bytes> binaryData = 3;
  optional bool immutable = 4;
}
message NamespaceSpec { repeated string finalizers = 1; }
message NamespaceStatus { optional string phase = 1; }
message Namespace {
  optional ObjectMeta metadata = 1; optional NamespaceSpec spec = 2; optional NamespaceStatus status = 3;
}
message ResourceAttributes {
  optional string namespace = 1; optional string verb = 2; optional string group = 3;
  optional string version = 4; optional string resource = 5; optional string subresource = 6;
  optional string name = 7;
}
message NonResourceAttributes { optional string path = 1; optional string verb = 2; }
message SelfSubjectAccessReviewSpec {
  optional ResourceAttributes resourceAttributes = 1;
  optional NonResourceAttributes nonResourceAttributes = 2;
}
message SelfSubjectAccessReview {
  optional ObjectMeta metadata = 1; optional SelfSubjectAccessReviewSpec spec = 2;
}
message SelfSubjectRulesReviewSpec { optional string namespace = 1; }
message SelfSubjectRulesReview {
  optional ObjectMeta metadata = 1; optional SelfSubjectRulesReviewSpec spec = 2;
}
message SelfSubjectReview { optional ObjectMeta metadata = 1; }
message Preconditions { optional string uid = 1; optional string resourceVersion = 2; }
message DeleteOptions {
  optional int64 gracePeriodSeconds = 1; optional Preconditions preconditions = 2;
  optional bool orphanDependents = 3; optional string propagationPolicy = 4; repeated string dryRun = 5;
}
`;

const { root } = protobuf.parse(definitions, { keepCase: true });
const envelope = root.lookupType("Unknown");
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Supported kinds; an envelope of another kind is rejected. */
const messages = new Set(["Secret", "ConfigMap", "Namespace", "DeleteOptions"])
  .add("SelfSubjectAccessReview")
  .add("SelfSubjectRulesReview")
  .add("SelfSubjectReview");

/** @returns the object as JSON, or undefined if the bytes are not a supported message */
export function decodeProtobuf(body: Buffer): Json | undefined {
  if (!body.subarray(0, 4).equals(magic)) return undefined;
  try {
    const outer = envelope.decode(body.subarray(4)) as unknown as {
      typeMeta?: { apiVersion?: string; kind?: string };
      raw?: Uint8Array;
    };
    const kind = outer.typeMeta?.kind ?? "";
    if (!messages.has(kind)) return undefined;
    const type = root.lookupType(kind);
    const fields = type.toObject(type.decode(outer.raw ?? new Uint8Array()), {
      longs: Number,
      bytes: String,
    });
    return {
      apiVersion: outer.typeMeta?.apiVersion ?? "",
      kind,
      ...(withoutEmpty(fields as Json) as JsonObject),
    };
  } catch {
    return undefined;
  }
}

/**
 * Drops the empty strings, lists and times that Go writes for unset fields; times and bytes get their JSON
 * form.
 */
function withoutEmpty(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? item);
  }
  if (!isJsonObject(value)) return value === "" ? undefined : value;
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value)) {
    const kept = isFreeMap(name) ? child : special(name, child);
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

/** Maps with user-defined keys: an empty string is a value there. */
function isFreeMap(name: string): boolean {
  return ["data", "stringData", "binaryData", "labels", "annotations"].includes(name);
}

function special(name: string, value: Json): Json | undefined {
  if (isJsonObject(value) && (name === "time" || name.endsWith("Timestamp"))) {
    const seconds = Number(value["seconds"] ?? 0);
    // Go's zero time, in the year 1, means "not set".
    return seconds <= 0 ? undefined : new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  }
  if (isJsonObject(value) && name === "fieldsV1") {
    return JSON.parse(Buffer.from(String(value["Raw"] ?? ""), "base64").toString() || "{}") as Json;
  }
  return withoutEmpty(value);
}
