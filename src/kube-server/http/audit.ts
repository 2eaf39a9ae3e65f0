import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Caller } from "../access/directory.ts";
import type { KindDefinition } from "../api/kind.ts";
import type { JsonObject } from "../api/object.ts";
import { type PlanePath, parsePlanePath } from "../api/plane.ts";
import { readBoolean } from "../api/query-values.ts";
import { exchangePath } from "./gate.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { parseResourcePath, type ResourcePath } from "./resource-path.ts";

/** Where events go: a line each, ASCII, with its line break. @returns false if the line is lost */
export type AuditSink = (line: string) => boolean;

/** A request since its head was read. */
export interface Attempt {
  readonly request: IncomingMessage;
  /** Wall-clock time, ms. */
  readonly receivedMs: number;
  /** Undefined until, and unless, a valid token was presented. */
  caller?: Caller;
  /** The event is written, or none is needed. */
  isRecorded: boolean;
}

/** A response, as far as it is known when it begins. */
export interface AttemptOutcome {
  readonly code: number;
  /** Reason of a Status. */
  readonly reason?: string | undefined;
  /** Of the object, where the path has none. */
  readonly name?: string | undefined;
  /** What the path names, where that is known already. */
  readonly place?: { readonly plane: Pick<PlanePath, "type" | "name">; readonly resource: ResourcePath };
}

/** What becomes of events; see `createServerMetrics`. */
export interface AuditCounts {
  written(): void;
  lost(reason: "queue_full" | "unauthenticated"): void;
}

export interface AuditOptions {
  readonly groupDomain: string;
  readonly kinds: readonly KindDefinition[];
  readonly sink: AuditSink;
  readonly counts: AuditCounts;
  nowMs(): number;
}

/**
 * Requests without a valid token have their own pace: a stranger could otherwise fill the log, and so push
 * out the events of others.
 */
const strangers = { perSecond: 10, burst: 100 };
const auditVersion = "audit.k8s.io/v1";
const maxTextChars = 256;
const maxUriChars = 1_024;
const noQuery = new URLSearchParams();

/** The parameters that say what a request does; others may hold anything. */
const namedParameters = [
  ...["dryRun", "fieldManager", "fieldSelector", "force", "labelSelector", "propagationPolicy", "watch"],
] as const;

/**
 * Records requests in the form of Kubernetes' audit events (audit.k8s.io/v1, level Metadata): all but reads,
 * reads of confidential kinds, token exchanges, and whatever is refused with 401 or 403.
 *
 * @returns records an attempt, once
 */
export function createAudit(options: AuditOptions): (attempt: Attempt, outcome: AttemptOutcome) => void {
  const { groupDomain, kinds, sink, counts, nowMs } = options;
  const pace = createRateLimiter(strangers);
  const timeText = createTimeText();
  const planeAnnotation = `${groupDomain}/control-plane`;
  const isConfidential = ({ group, plural }: ResourcePath): boolean =>
    kinds.some((kind) => kind.confidential === true && kind.plural === plural && kind.group === group);

  return (attempt, outcome) => {
    if (attempt.isRecorded) return;
    attempt.isRecorded = true;
    const { method = "", url = "/" } = attempt.request;
    const mark = url.indexOf("?");
    const path = decoded(mark === -1 ? url : url.slice(0, mark));
    const inPlane = outcome.place === undefined ? parsePlanePath(path, groupDomain) : undefined;
    const resource = outcome.place?.resource ?? (inPlane && parseResourcePath(inPlane.path));
    const plane = outcome.place?.plane ?? inPlane;
    const isRead = method === "GET" || method === "HEAD";
    const isRefused = outcome.code === 401 || outcome.code === 403;
    const isSecret = isRead && resource !== undefined && isConfidential(resource);
    if (isRead && !isRefused && !isSecret && path !== exchangePath) return;
    const endedMs = nowMs();
    if (attempt.caller === undefined && pace.take("", endedMs) > 0) return counts.lost("unauthenticated");
    const query = mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1));
    const isWatch = isRead && readBoolean(query, "watch") === true && outcome.code === 200;
    // Each request waits for this: no copies of objects. What is undefined is not written.
    const event = {
      kind: "Event",
      apiVersion: auditVersion,
      level: "Metadata",
      auditID: randomUUID(),
      stage: isWatch ? "ResponseStarted" : "ResponseComplete",
      requestURI: uriOf(path, query),
      verb: verbOf(method, resource, query),
      user: userOf(attempt.caller),
      sourceIPs: [attempt.request.socket.remoteAddress ?? ""],
      userAgent: bounded(attempt.request.headers["user-agent"] ?? ""),
      objectRef: resource && objectRef(resource, outcome.name),
      responseStatus: { metadata: {}, code: outcome.code, reason: outcome.reason },
      requestReceivedTimestamp: timeText(attempt.receivedMs),
      stageTimestamp: timeText(endedMs),
      annotations: plane && { [planeAnnotation]: bounded(`${plane.type}/${plane.name}`) },
    };
    if (sink(auditLine(event))) counts.written();
    else counts.lost("queue_full");
  };
}

export function eventHead(): JsonObject {
  return { kind: "Event", apiVersion: auditVersion, level: "Metadata", auditID: randomUUID() };
}

/** An event as {@link AuditSink} has it. */
export function auditLine(event: object): string {
  return `${escaped(JSON.stringify(event))}\n`;
}

function userOf(caller: Caller | undefined): JsonObject {
  if (caller === undefined) return { username: "system:anonymous", groups: ["system:unauthenticated"] };
  const extra = { "authentication.kubernetes.io/credential-id": [`PAT=${caller.tokenId}`] };
  return { username: bounded(caller.user), groups: ["system:authenticated"], extra };
}

/** The verb that Kubernetes' RBAC has for a request; of a path without a resource, the method. */
function verbOf(method: string, resource: ResourcePath | undefined, query: URLSearchParams): string {
  if (resource === undefined) return bounded(method.toLowerCase());
  return resourceVerb(method, resource, query);
}

/** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; else the method. */
export function resourceVerb(
  method: string,
  { name }: Pick<ResourcePath, "name">,
  query: URLSearchParams,
): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (readBoolean(query, "watch") === true) return "watch";
      return name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      return bounded(method.toLowerCase());
  }
}

function objectRef(path: ResourcePath, name: string | undefined): object {
  const text = (value: string | undefined) => (value === undefined ? undefined : bounded(value));
  return {
    resource: bounded(path.plural),
    namespace: text(path.namespace),
    name: text(path.name ?? name),
    apiGroup: path.group === "" ? undefined : bounded(path.group),
    apiVersion: bounded(path.version),
    subresource: text(path.subresource),
  };
}

function uriOf(path: string, query: URLSearchParams): string {
  if (query.size === 0) return shortened(path);
  const kept = new URLSearchParams();
  for (const parameter of namedParameters) {
    const value = query.get(parameter);
    if (value !== null) kept.set(parameter, bounded(value));
  }
  return shortened(kept.size === 0 ? path : `${path}?${kept}`);
}

function shortened(uri: string): string {
  return uri.length <= maxUriChars ? uri : `${uri.slice(0, maxUriChars)}...TRUNCATED`;
}

export function bounded(text: string): string {
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}...TRUNCATED`;
}

function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Printable ASCII: the texts are a client's, and somebody shows the log on a terminal. */
function escaped(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** meta/v1 MicroTime. */
export function microTime(ms: number): string {
  return createTimeText()(ms);
}

/** {@link microTime} for times that are mostly of the same second, whose text is kept: a fifth of an event's cost. */
function createTimeText(): (ms: number) => string {
  let keptSecond = Number.NaN;
  let text = "";
  return (ms) => {
    const second = Math.floor(ms / 1_000);
    if (second !== keptSecond) {
      keptSecond = second;
      text = new Date(second * 1_000).toISOString().slice(0, -4);
    }
    return `${text}${String(Math.floor(ms) - second * 1_000).padStart(3, "0")}000Z`;
  };
}
