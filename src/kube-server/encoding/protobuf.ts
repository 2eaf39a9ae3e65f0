import protobuf from "protobufjs";
import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";

/**
 * The Kubernetes protobuf encoding of requests, which kubectl and typed Go clients send for built-in kinds:
 * four magic bytes, then an envelope (runtime.Unknown) with the object inside. Field numbers come from the
 * published `generated.proto` files.
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
message NamespaceCondition {
  optional string type = 1; optional string status = 2; optional Time lastTransitionTime = 4;
  optional string reason = 5; optional string message = 6;
}
message NamespaceStatus { optional string phase = 1; repeated NamespaceCondition conditions = 2; }
message Namespace {
  optional ObjectMeta metadata = 1; optional NamespaceSpec spec = 2; optional NamespaceStatus status = 3;
}
message ObjectReference {
  optional string kind = 1; optional string namespace = 2; optional string name = 3; optional string uid = 4;
  optional string apiVersion = 5; optional string resourceVersion = 6; optional string fieldPath = 7;
}
message EventSource { optional string component = 1; optional string host = 2; }
message EventSeries { optional int32 count = 1; optional Time lastObservedTime = 2; }
message Event {
  optional ObjectMeta metadata = 1; optional ObjectReference involvedObject = 2; optional string reason = 3;
  optional string message = 4; optional EventSource source = 5; optional Time firstTimestamp = 6;
  optional Time lastTimestamp = 7; optional int32 count = 8; optional string type = 9;
  optional Time eventTime = 10; optional EventSeries series = 11; optional string action = 12;
  optional ObjectReference related = 13; optional string reportingComponent = 14;
  optional string reportingInstance = 15;
}
message EventsEvent {
  optional ObjectMeta metadata = 1; optional Time eventTime = 2; optional EventSeries series = 3;
  optional string reportingController = 4; optional string reportingInstance = 5; optional string action = 6;
  optional string reason = 7; optional ObjectReference regarding = 8; optional ObjectReference related = 9;
  optional string note = 10; optional string type = 11; optional EventSource deprecatedSource = 12;
  optional Time deprecatedFirstTimestamp = 13; optional Time deprecatedLastTimestamp = 14;
  optional int32 deprecatedCount = 15;
}
message LeaseSpec {
  optional string holderIdentity = 1; optional int32 leaseDurationSeconds = 2; optional Time acquireTime = 3;
  optional Time renewTime = 4; optional int32 leaseTransitions = 5; optional string strategy = 6;
  optional string preferredHolder = 7;
}
message Lease { optional ObjectMeta metadata = 1; optional LeaseSpec spec = 2; }
message EndpointConditions {
  optional bool ready = 1; optional bool serving = 2; optional bool terminating = 3;
}
message Endpoint {
  repeated string addresses = 1; optional EndpointConditions conditions = 2; optional string hostname = 3;
  optional ObjectReference targetRef = 4; optional string nodeName = 6; optional string zone = 7;
}
message EndpointPort {
  optional string name = 1; optional string protocol = 2; optional int32 port = 3;
  optional string appProtocol = 4;
}
message EndpointSlice {
  optional ObjectMeta metadata = 1; repeated Endpoint endpoints = 2; repeated EndpointPort ports = 3;
  optional string addressType = 4;
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
const messages = new Set([
  "Secret",
  "ConfigMap",
  "Namespace",
  "DeleteOptions",
  "Event",
  "Lease",
  "EndpointSlice",
])
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
    const { kind = "", apiVersion = "" } = outer.typeMeta ?? {};
    if (!messages.has(kind)) return undefined;
    const isEventsEvent = kind === "Event" && apiVersion.startsWith("events.k8s.io/");
    const type = root.lookupType(isEventsEvent ? "EventsEvent" : kind);
    const fields = type.toObject(type.decode(outer.raw ?? new Uint8Array()), {
      longs: Number,
      bytes: String,
    });
    return {
      apiVersion,
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

/** Times with microseconds (meta/v1 MicroTime). */
const microTimes = new Set(["eventTime", "lastObservedTime", "acquireTime", "renewTime"]);

function isTime(name: string): boolean {
  return name === "time" || name === "lastTransitionTime" || name.endsWith("Timestamp");
}

function special(name: string, value: Json): Json | undefined {
  const isMicroTime = microTimes.has(name);
  if (isJsonObject(value) && (isMicroTime || isTime(name))) {
    const seconds = Number(value["seconds"] ?? 0);
    // Go's zero time, in the year 1, means "not set".
    if (seconds <= 0) return undefined;
    const time = new Date(seconds * 1000).toISOString().slice(0, "2006-01-02T15:04:05".length);
    const micros = Math.floor(Number(value["nanos"] ?? 0) / 1000);
    return isMicroTime ? `${time}.${String(micros).padStart(6, "0")}Z` : `${time}Z`;
  }
  if (isJsonObject(value) && name === "fieldsV1") {
    return JSON.parse(Buffer.from(String(value["Raw"] ?? ""), "base64").toString() || "{}") as Json;
  }
  return withoutEmpty(value);
}
