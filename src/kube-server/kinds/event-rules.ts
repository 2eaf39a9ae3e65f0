import { isSet } from "../api/fields.ts";
import { childObject, type JsonObject, type KubeObject, sameJson } from "../api/object.ts";
import { isLabelKey } from "../api/selectors.ts";
import type { FieldError } from "../api/status.ts";
import { invalidValue, requiredValue } from "../api/validate.ts";
import { defaultNamespace } from "./namespace.ts";

const maxWordLength = 128;
const maxMessageLength = 1024;

/**
 * Rules of all events, given as they are stored. An event with an `eventTime` is one of the newer kind, which
 * says what reports it. Kubernetes names the fields so for both groups.
 */
export function eventFaults(event: KubeObject): FieldError[] {
  const faults = namespaceFaults(event);
  if (!isSet(event["eventTime"])) return faults;
  const reporter = textOf(event, "reportingComponent");
  if (reporter === "") faults.push(requiredValue("reportingController"));
  if (!isLabelKey(reporter)) {
    faults.push(invalidValue("reportingController", reporter, "must be a qualified name"));
  }
  for (const field of ["reportingInstance", "action", "reason"]) {
    const { length } = textOf(event, field);
    if (length === 0) faults.push(requiredValue(field));
    if (length > maxWordLength)
      faults.push(invalidValue(field, "", `can have at most ${maxWordLength} characters`));
  }
  if (textOf(event, "message").length > maxMessageLength) {
    faults.push(invalidValue("message", "", `can have at most ${maxMessageLength} characters`));
  }
  return faults;
}

/** An object of cluster scope has its events in the first namespace. */
function namespaceFaults(event: KubeObject): FieldError[] {
  const { namespace = "" } = event.metadata;
  const about = textOf(childObject(event, "involvedObject") ?? {}, "namespace");
  const isNew = isSet(event["eventTime"]);
  if (about === "" ? namespace === defaultNamespace : isNew || about === namespace) return [];
  return [invalidValue("involvedObject.namespace", about, "does not match event.namespace")];
}

/** Rules of events.k8s.io/v1 on creation, beside those of all events. */
export function newEventFaults(event: KubeObject): FieldError[] {
  const faults = seriesFaults(event);
  if (!isSet(event["eventTime"])) faults.push(requiredValue("eventTime"));
  const type = textOf(event, "type");
  if (type !== "Normal" && type !== "Warning") {
    faults.push(invalidValue("type", "", `has invalid value: ${type}`));
  }
  const { component = "", host = "" } = childObject(event, "source") ?? {};
  const { firstTimestamp, lastTimestamp, count } = event;
  const old = { firstTimestamp, lastTimestamp, count, source: component || host };
  for (const [field, value] of Object.entries(old)) {
    if (value) faults.push(invalidValue(field, "", "needs to be unset"));
  }
  return faults;
}

/** Rules of events.k8s.io/v1 on update: only the series changes. */
export function changedEventFaults(event: KubeObject, old: KubeObject): FieldError[] {
  const faults = sameJson(event["series"], old["series"]) ? [] : seriesFaults(event);
  for (const field of fixedFields) {
    if (sameJson(event[field] ?? null, old[field] ?? null)) continue;
    const name = field === "reportingComponent" ? "reportingController" : field;
    faults.push(invalidValue(name, event[field] ?? null, "field is immutable"));
  }
  return faults;
}

const fixedFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
].concat(["count", "type", "eventTime", "action", "related", "reportingComponent", "reportingInstance"]);

function seriesFaults(event: KubeObject): FieldError[] {
  const series = childObject(event, "series");
  if (series === undefined) return [];
  const faults: FieldError[] = [];
  if (Number(series["count"] ?? 0) < 2) faults.push(invalidValue("series.count", "", "should be at least 2"));
  if (!isSet(series["lastObservedTime"])) faults.push(requiredValue("series.lastObservedTime"));
  return faults;
}

function textOf(object: JsonObject, field: string): string {
  return String(object[field] ?? "");
}
