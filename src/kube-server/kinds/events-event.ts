import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { microTimeField, timeField } from "../api/object-meta.ts";
import { integerField, objectField, referTo, type SchemaComponent, textField } from "../api/schema.ts";
import { eventColumns, eventKind, eventSource, objectReference } from "./event.ts";
import { changedEventFaults, eventFaults, newEventFaults } from "./event-rules.ts";

/** Fields of core/v1 Event that have another name here. */
const namesHere = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
} as const;
const namesStored = Object.fromEntries(Object.entries(namesHere).map(([stored, here]) => [here, stored]));

function renamed(event: KubeObject, names: Readonly<Record<string, string>>): KubeObject {
  const fields = Object.entries(event).map(([field, value]) => {
    return [Object.hasOwn(names, field) ? names[field] : field, value] as const;
  });
  return Object.fromEntries(fields) as KubeObject;
}

const toStored = (event: KubeObject): KubeObject => renamed(event, namesStored);
const toServed = (event: KubeObject): KubeObject => renamed(event, namesHere);

const eventSeries: SchemaComponent = {
  name: "io.k8s.api.events.v1.EventSeries",
  schema: objectField("EventSeries is a series of events that say the same.", ["count", "lastObservedTime"], {
    count: integerField("int32", "Number of occurrences in this series up to the last one."),
    lastObservedTime: microTimeField("Time of the last occurrence."),
  }),
};

/** events.k8s.io/v1 Event: the events of core/v1 in the form of client-go's newer recorder. */
export const eventsEventKind: KindDefinition = {
  ...eventKind,
  group: "events.k8s.io",
  storedAs: eventKind,
  conversion: { toServed, toStored },
  schema: objectField("Event is a report of something that happened to an object.", [], {
    eventTime: microTimeField("Time when this event was first observed. Required."),
    series: referTo(eventSeries, "The series that this event stands for. Absent for a single event."),
    reportingController: textField("Name of the controller that emitted this event."),
    reportingInstance: textField("ID of the instance of that controller."),
    action: textField("What was done or failed to be done, regarding the object."),
    reason: textField("Why the action was taken, in one word."),
    regarding: referTo(objectReference, "The object that this event is about."),
    related: referTo(objectReference, "A second object that this event is about. Optional."),
    note: textField("A human-readable description of what happened."),
    type: textField("Type of this event: Normal or Warning."),
    deprecatedSource: referTo(eventSource, "The component that reports an event of core/v1."),
    deprecatedFirstTimestamp: timeField("The time at which an event of core/v1 was first recorded."),
    deprecatedLastTimestamp: timeField("The time at which an event of core/v1 occurred last."),
    deprecatedCount: integerField("int32", "The number of times an event of core/v1 has occurred."),
  }),
  columns: eventColumns.map((column) => ({ ...column, value: (event) => column.value(toStored(event)) })),
  selectableFields: Object.fromEntries(
    Object.entries(eventKind.selectableFields).map(([field, value]) => {
      const [first = "", ...rest] = field.split(".");
      const here = first === "source" ? first : [renamedField(first), ...rest].join(".");
      return [here, (event: KubeObject) => value(toStored(event))];
    }),
  ),
  validate(event, old) {
    const stored = toStored(event);
    const others = old === undefined ? newEventFaults(stored) : changedEventFaults(stored, toStored(old));
    return [...eventFaults(stored), ...others];
  },
};

function renamedField(field: string): string {
  return Object.entries(namesHere).find(([stored]) => stored === field)?.[1] ?? field;
}
