import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject, KubeObject } from "../api/object.ts";
import { columnDefinitions, tableRow } from "../api/table.ts";
import { parseServed, servedObject, storedForm } from "../store/stored-object.ts";
import { eventKind } from "./event.ts";
import { eventsEventKind } from "./events-event.ts";

const old: KubeObject = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e", namespace: "default", resourceVersion: "7" },
  involvedObject: { kind: "Workload", name: "web", namespace: "default" },
  reason: "Started",
  message: "  It runs. ",
  source: { component: "workload-controller" },
  firstTimestamp: "2026-11-20T00:00:00Z",
  lastTimestamp: "2026-11-20T00:05:00Z",
  count: 42,
  type: "Normal",
};
const series = { count: 3, lastObservedTime: "2026-11-20T00:08:00.000000Z" };
const recorded: KubeObject = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: "n", namespace: "default" },
  eventTime: "2026-11-20T00:01:00.000000Z",
  reportingController: "example.com/controller",
  reportingInstance: "controller-1",
  action: "Start",
  reason: "Started",
  regarding: { kind: "Workload", name: "web", namespace: "default" },
  note: "It runs.",
  type: "Normal",
};

test("both groups have the same events, each with its own fields", () => {
  const here = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: old.metadata,
    regarding: old["involvedObject"],
    reason: "Started",
    note: "  It runs. ",
    deprecatedSource: old["source"],
    deprecatedFirstTimestamp: old["firstTimestamp"],
    deprecatedLastTimestamp: old["lastTimestamp"],
    deprecatedCount: 42,
    type: "Normal",
  };
  expect(servedObject(old, eventsEventKind)).toEqual(here);
  expect(parseServed(JSON.stringify(old), eventsEventKind)).toEqual(here);
  expect(storedForm(here as KubeObject, eventsEventKind)).toEqual(old);
});

test("an event comes back as it was written, whatever is in it", () => {
  const names = Object.keys(eventsEventKind.schema.properties ?? {});
  const fields = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(fields, (given) => {
      const event: KubeObject = { ...(given as JsonObject), ...identityOf("events.k8s.io/v1") };
      // A field of the other group's is unknown here and dropped before.
      const others = Object.keys(eventKind.schema.properties ?? {}).filter((each) => !names.includes(each));
      for (const each of others) delete event[each];
      expect(servedObject(storedForm(event, eventsEventKind), eventsEventKind)).toEqual(event);
    }),
  );
});

const identityOf = (apiVersion: string) => ({ apiVersion, kind: "Event", metadata: { name: "e" } });

test("kubectl's columns: how often, and when last", () => {
  const nowMs = Date.parse("2026-11-20T00:09:00Z");
  const names = columnDefinitions(eventKind).map(({ name, priority }) => `${name} ${priority}`);
  expect(names).toEqual(
    ["Last Seen 0", "Type 0", "Reason 0", "Object 0", "Subobject 1", "Source 1", "Message 0"].concat([
      "First Seen 1",
      "Count 1",
      "Name 1",
    ]),
  );
  const cells = (kind: typeof eventKind, event: KubeObject) =>
    tableRow(kind, event, { include: "None", metaVersion: "v1" }, nowMs)["cells"];
  const shown = [
    "4m",
    "Normal",
    "Started",
    "workload/web",
    "",
    "workload-controller",
    "It runs.",
    "9m",
    42,
    "e",
  ];
  expect(cells(eventKind, old)).toEqual(shown);
  expect(cells(eventsEventKind, servedObject(old, eventsEventKind))).toEqual(shown);
  const source = "example.com/controller, controller-1";
  const once = ["8m", "Normal", "Started", "workload/web", "", source, "It runs.", "8m", 1, "n"];
  expect(cells(eventsEventKind, recorded)).toEqual(once);
  expect(cells(eventsEventKind, { ...recorded, series })).toEqual(["60s", ...once.slice(1, 8), 3, "n"]);
  const { firstTimestamp: _, lastTimestamp: __, ...timeless } = old;
  expect(cells(eventKind, timeless as KubeObject)).toMatchObject({ 0: "<unknown>", 7: "<unknown>" });
});

const newer = (fields: JsonObject = {}): KubeObject => ({
  ...storedForm(recorded, eventsEventKind),
  ...fields,
});
const about = (namespace: Json): JsonObject => ({
  involvedObject: { kind: "Workload", name: "web", namespace },
});

test.each<[string, KubeObject, string[]]>([
  ["an event of core/v1", old, []],
  ["of another namespace", { ...old, ...about("other") }, ["involvedObject.namespace"]],
  ["of cluster scope, in the first namespace", { ...old, ...about("") }, []],
  [
    "of cluster scope, elsewhere",
    { ...old, ...about(""), metadata: { name: "e", namespace: "web" } },
    ["involvedObject.namespace"],
  ],
  ["an event with eventTime", newer(), []],
  ["its object in another namespace", newer(about("other")), []],
  ["eventTime that is null", newer({ eventTime: null, action: "" }), []],
  ["nothing that reports", newer({ reportingComponent: "" }), ["reportingController", "reportingController"]],
  ["a reporter that is no name", newer({ reportingComponent: "a b" }), ["reportingController"]],
  ["no instance and action", newer({ reportingInstance: "", action: null }), ["reportingInstance", "action"]],
  ["words too long", newer({ action: "a".repeat(129), reason: "r".repeat(129) }), ["action", "reason"]],
  ["a message too long", newer({ message: "m".repeat(1_025) }), ["message"]],
])("core/v1 rules: %s", (_name, event, expected) => {
  expect(eventKind.validate?.(event, undefined).map(({ field }) => field)).toEqual(expected);
});

test.each<[string, JsonObject, string[]]>([
  ["what client-go records", {}, []],
  ["a series", { series }, []],
  ["a series of one", { series: { count: 1 } }, ["series.count", "series.lastObservedTime"]],
  ["no time", { eventTime: null }, ["eventTime"]],
  ["another type", { type: "Other" }, ["type"]],
  [
    "fields of core/v1",
    {
      deprecatedCount: 2,
      deprecatedSource: { component: "c" },
      deprecatedFirstTimestamp: "2026-11-20T00:00:00Z",
    },
    ["firstTimestamp", "count", "source"],
  ],
  ["what Go writes for absent ones", { deprecatedCount: 0, deprecatedSource: {} }, []],
])("events.k8s.io/v1 rules of a new event: %s", (_name, fields, expected) => {
  const faults = eventsEventKind.validate?.({ ...recorded, ...fields }, undefined) ?? [];
  expect(faults.map(({ field }) => field)).toEqual(expected);
});

test.each<[string, JsonObject, string[]]>([
  ["a longer series", { series: { ...series, count: 4 } }, []],
  ["another note", { note: "No." }, ["message"]],
  ["another reporter", { reportingController: "other" }, ["reportingController"]],
])("events.k8s.io/v1 rules of an update: %s", (_name, fields, expected) => {
  const before = { ...recorded, series };
  const faults = eventsEventKind.validate?.({ ...before, ...fields }, before) ?? [];
  expect(faults.map(({ field }) => field)).toEqual(expected);
});

test("both groups select the same events", () => {
  const here = servedObject(old, eventsEventKind);
  for (const [field, value] of Object.entries(eventKind.selectableFields)) {
    const name = field
      .replace("involvedObject", "regarding")
      .replace("reportingComponent", "reportingController");
    expect([name, eventsEventKind.selectableFields[name]?.(here)]).toEqual([name, value(old)]);
  }
  expect(eventKind.selectableFields["source"]?.(old)).toBe("workload-controller");
  expect(eventKind.selectableFields["source"]?.(newer())).toBe("example.com/controller");
});
