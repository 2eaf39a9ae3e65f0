import type { KindDefinition } from "../api/kind.ts";
import { childObject, type KubeObject } from "../api/object.ts";
import { metaPrefix, timeField } from "../api/object-meta.ts";
import { referTo, type Schema, type SchemaComponent, textField } from "../api/schema.ts";

const count = (description: string): Schema => ({ type: "integer", format: "int32", description });
const core = "io.k8s.api.core.v1.";

const objectReference: SchemaComponent = {
  name: `${core}ObjectReference`,
  schema: {
    type: "object",
    description: "ObjectReference identifies an object.",
    "x-kubernetes-map-type": "atomic",
    properties: {
      apiVersion: textField("API version of the referent."),
      kind: textField("Kind of the referent."),
      namespace: textField("Namespace of the referent."),
      name: textField("Name of the referent."),
      uid: textField("UID of the referent."),
      resourceVersion: textField("The version of the referent that the reference is to, if any."),
      fieldPath: textField("The part of the referent that the reference is to, if not the whole of it."),
    },
  },
};

const microTime: SchemaComponent = {
  name: `${metaPrefix}MicroTime`,
  schema: {
    type: "string",
    format: "date-time",
    description: "MicroTime is a point in time with microseconds as RFC 3339 writes it.",
  },
};

const microTimeField = (description: string): Schema => ({
  ...referTo(microTime, description),
  nullable: true,
});

const eventSource: SchemaComponent = {
  name: `${core}EventSource`,
  schema: {
    type: "object",
    description: "EventSource is what an event comes from.",
    properties: {
      component: textField("Component from which the event is generated."),
      host: textField("Node on which the event is generated."),
    },
  },
};

const eventSeries: SchemaComponent = {
  name: `${core}EventSeries`,
  schema: {
    type: "object",
    description: "EventSeries is a series of events that say the same.",
    properties: {
      count: count("Number of occurrences in this series up to the last one."),
      lastObservedTime: microTimeField("Time of the last occurrence."),
    },
  },
};

const involved = (field: string) => (event: KubeObject) =>
  String(childObject(event, "involvedObject")?.[field] ?? "");
const own = (field: string) => (event: KubeObject) => String(event[field] ?? "");

/** core/v1 Event: reports of controllers about an object. `kubectl describe` fails without this kind. */
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
      involvedObject: referTo(objectReference, "The object that this event is about."),
      related: referTo(objectReference, "A second object that this event is about. Optional."),
      reason: textField("A short, machine-readable reason, such as Started."),
      message: textField("A human-readable description of what happened."),
      type: textField("Type of this event: Normal or Warning."),
      action: textField("What was done or failed to be done, regarding the object."),
      count: count("The number of times this event has occurred."),
      firstTimestamp: timeField("The time at which the event was first recorded."),
      lastTimestamp: timeField("The time at which the most recent occurrence was recorded."),
      eventTime: microTimeField("Time when this event was first observed."),
      reportingComponent: textField("Name of the controller that emitted this event."),
      reportingInstance: textField("ID of the instance of that controller."),
      source: referTo(eventSource, "The component that reports this event."),
      series: referTo(eventSeries, "The series that this event stands for. Absent for a single event."),
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
