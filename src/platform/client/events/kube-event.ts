import { redact } from "../../../base/log/redact.ts";
import { conditionTime } from "../../../exporter/policy/status/condition-changes.ts";

/** The object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface EventReport {
  readonly type: "Normal" | "Warning";
  /** One word, such as `Retrying`. */
  readonly reason: string;
  readonly message: string;
}

/** Occurrences of the same event; times are Unix ms. */
export interface Occurrences {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

const maxMessageLength = 1_024;
const maxSubjectLength = 230;

/** A core/v1 Event, the kind that `kubectl describe` reads. @param component what reports it */
export function kubeEvent(
  name: string,
  subject: EventSubject,
  { type, reason, message }: EventReport,
  { count, firstMs, lastMs }: Occurrences,
  component: string,
) {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name },
    involvedObject: { ...subject },
    type,
    reason,
    message: eventMessage(message),
    count,
    firstTimestamp: conditionTime(firstMs),
    lastTimestamp: conditionTime(lastMs),
    source: { component },
    reportingComponent: component,
  };
}

/** The name of an event. @param identity hexadecimal, different for each event about the object */
export function eventName(subject: EventSubject, identity: string): string {
  // A name that is cut off must still end like a DNS label.
  return `${subject.name.slice(0, maxSubjectLength).replace(/[-.]+$/, "")}.${identity.slice(0, 16)}`;
}

/** The path of a namespace's events. */
export function eventsPath({ namespace }: EventSubject): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}

export function eventMessage(message: string): string {
  return redact(message).slice(0, maxMessageLength);
}
