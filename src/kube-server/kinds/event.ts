import { type KindDefinition, nameColumn, type PrinterColumn } from "../api/kind.ts";
import { childObject, type KubeObject } from "../api/object.ts";
import { microTimeField, timeField } from "../api/object-meta.ts";
import {
  integerField,
  objectField,
  referTo,
  type Schema,
  type SchemaComponent,
  textField,
} from "../api/schema.ts";
import { eventFaults } from "./event-rules.ts";

const count = (description: string): Schema => integerField("int32", description);
const core = "io.k8s.api.core.v1.";

export const objectReference: SchemaComponent = {
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

export const eventSource: SchemaComponent = {
  name: `${core}EventSource`,
  schema: objectField("EventSource is what an event comes from.", [], {
    component: textField("Component from which the event is generated."),
    host: textField("Node on which the event is generated."),
  }),
};

const eventSeries: SchemaComponent = {
  name: `${core}EventSeries`,
  schema: objectField("EventSeries is a series of events that say the same.", [], {
    count: count("Number of occurrences in this series up to the last one."),
    lastObservedTime: microTimeField("Time of the last occurrence."),
  }),
};

const involved = (field: string) => (event: KubeObject) =>
  String(childObject(event, "involvedObject")?.[field] ?? "");
const own = (field: string) => (event: KubeObject) => String(event[field] ?? "");

/** What reports, and where, as kubectl shows it. */
function sourceOf(event: KubeObject): string {
  const source = childObject(event, "source");
  const component = source?.["component"] || event["reportingComponent"];
  const instance = source?.["host"] || event["reportingInstance"];
  return [component, instance].filter(Boolean).join(", ");
}

/** "" shows as unknown. */
const firstSeen = (event: KubeObject): string => String(event["firstTimestamp"] ?? event["eventTime"] ?? "");

function lastSeen(event: KubeObject): string {
  const series = childObject(event, "series");
  if (series !== undefined) return String(series["lastObservedTime"] ?? "");
  return String(event["lastTimestamp"] ?? firstSeen(event));
}

function countOf(event: KubeObject): number {
  const series = childObject(event, "series");
  if (series !== undefined) return Number(series["count"] ?? 0);
  // An event without a series and a count has occurred once.
  return Number(event["count"]) || 1;
}

function objectOf(event: KubeObject): string {
  const kind = involved("kind")(event).toLowerCase();
  const name = involved("name")(event);
  return name === "" ? kind : `${kind}/${name}`;
}

function column(
  name: string,
  description: string,
  value: PrinterColumn["value"],
  { type = "string", priority = 0 }: Partial<Pick<PrinterColumn, "type" | "priority">> = {},
): PrinterColumn {
  return { name, type, description, priority, value };
}

/** Of both groups' events, given as they are stored. */
export const eventColumns: readonly PrinterColumn[] = [
  column("Last Seen", "How long ago it happened last.", lastSeen, { type: "date" }),
  column("Type", "Normal or Warning.", own("type")),
  column("Reason", "Why, in one word.", own("reason")),
  column("Object", "The object that it happened to.", objectOf),
  column("Subobject", "The part of the object.", involved("fieldPath"), { priority: 1 }),
  column("Source", "What reports it.", sourceOf, { priority: 1 }),
  column("Message", "What happened, for people.", (event) => own("message")(event).trim()),
  column("First Seen", "How long ago it happened first.", firstSeen, { type: "date", priority: 1 }),
  column("Count", "How often it happened.", countOf, { type: "integer", priority: 1 }),
  { ...nameColumn, priority: 1 },
];

/** core/v1 Event: reports of controllers about an object. `kubectl describe` fails without this kind. */
export const eventKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  categories: [],
  namespaced: true,
  planes: ["organization", "project"],
  nameRule: "subdomain",
  builtIn: true,
  statusSubresource: false,
  providerVerbs: ["create", "patch", "update"],
  schema: objectField("Event is a report of something that happened to an object.", ["involvedObject"], {
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
  }),
  columns: eventColumns,
  selectableFields: {
    ...Object.fromEntries(
      ["apiVersion", "kind", "namespace", "name", "uid", "resourceVersion", "fieldPath"].map(
        (field) => [`involvedObject.${field}`, involved(field)] as const,
      ),
    ),
    reason: own("reason"),
    type: own("type"),
    reportingComponent: own("reportingComponent"),
    source: (event) =>
      String(childObject(event, "source")?.["component"] || own("reportingComponent")(event)),
  },
  validate: (event) => eventFaults(event),
};
