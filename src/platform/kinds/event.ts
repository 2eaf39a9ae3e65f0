import { childObject, type KubeObject } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import type { KindDefinition } from "./kind.ts";

const text = (description: string): Schema => ({ type: "string", description });
const time = (description: string): Schema => ({ ...text(description), format: "date-time", nullable: true });

const objectReference: Schema = {
  type: "object",
  description: "An object, by what tells it from others.",
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: text("API version of the object."),
    kind: text("Kind of the object."),
    namespace: text("Namespace of the object."),
    name: text("Name of the object."),
    uid: text("UID of the object."),
    resourceVersion: text("The version of the object that the event is about."),
    fieldPath: text("The part of the object that the event is about."),
  },
};

const involved = (field: string) => (event: KubeObject) =>
  String(childObject(event, "involvedObject")?.[field] ?? "");
const own = (field: string) => (event: KubeObject) => String(event[field] ?? "");

/** core/v1 Event: what controllers tell of an object. `kubectl describe` asks for them and fails without the kind. */
export const eventKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  singular: "event",
  shortNames: ["ev"],
  categories: [],
  namespaced: true,
  planes: ["organization", "project"],
  description: "Event is a report of something that happened to an object.",
  nameRule: "subdomain",
  builtIn: true,
  statusSubresource: false,
  schema: {
    type: "object",
    description: "Event is a report of something that happened to an object.",
    required: ["involvedObject"],
    properties: {
      involvedObject: objectReference,
      related: objectReference,
      reason: text("Why, in one word."),
      message: text("What happened, for people."),
      type: text("Normal or Warning."),
      action: text("What was done."),
      count: { type: "integer", format: "int32", description: "How often it happened." },
      firstTimestamp: time("When it first happened."),
      lastTimestamp: time("When it last happened."),
      eventTime: time("When the event was first observed."),
      reportingComponent: text("Who reports it."),
      reportingInstance: text("Which of them."),
      source: {
        type: "object",
        description: "Who reports it.",
        properties: { component: text("The component."), host: text("Its node.") },
      },
      series: {
        type: "object",
        description: "The series that the event is part of.",
        properties: {
          count: { type: "integer", format: "int32", description: "How many there are." },
          lastObservedTime: time("When the last one was seen."),
        },
      },
    },
  },
  columns: [
    {
      name: "Type",
      type: "string",
      description: "Normal or Warning.",
      priority: 0,
      value: own("type"),
    },
    {
      name: "Reason",
      type: "string",
      description: "Why, in one word.",
      priority: 0,
      value: own("reason"),
    },
    {
      name: "Object",
      type: "string",
      description: "The object that it happened to.",
      priority: 0,
      value: (event) => `${involved("kind")(event).toLowerCase()}/${involved("name")(event)}`,
    },
    {
      name: "Message",
      type: "string",
      description: "What happened, for people.",
      priority: 0,
      value: own("message"),
    },
  ],
  selectableFields: {
    ...Object.fromEntries(
      ["apiVersion", "kind", "namespace", "name", "uid", "resourceVersion", "fieldPath"].map(
        (field) => [`involvedObject.${field}`, involved(field)] as const,
      ),
    ),
    reason: own("reason"),
    type: own("type"),
    reportingComponent: own("reportingComponent"),
  },
};
