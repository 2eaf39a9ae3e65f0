import { defined } from "../../base/core/defined.ts";
import type { CauseReason } from "../../base/documents/schema-issue.ts";
import type { JsonObject } from "./object.ts";

/**
 * Why a field of an object is invalid; becomes a cause of a 422 Status. `field` is a path such as
 * `spec.sinks[0].name`.
 */
export interface FieldError {
  readonly reason: CauseReason;
  readonly field: string;
  /** The text after the field: `Required value`, `Invalid value: "x": must be ...`. */
  readonly message: string;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Response to a failed request (meta/v1 Status). */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: JsonObject;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  /** Subject of the failure; absent if the message says it all. */
  readonly details?: StatusDetails | undefined;
  readonly code: number;
}

/**
 * A rejected request. Handlers throw it from any depth, and the application responds with its Status. It
 * never leaves this room, so it is not in the program's table of errors.
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;
  /** Methods that the path supports, for a 405 (RFC 9110, section 15.5.6). */
  readonly allowed: readonly string[];
  /** About the request that is rejected: its unknown and repeated fields. */
  warnings: readonly string[] = [];

  constructor(status: Status, allowed: readonly string[] = []) {
    super(status.message);
    this.status = status;
    this.allowed = allowed;
  }
}

/** Rejected because a quota would be exceeded: 403, as in Kubernetes. */
export class QuotaExceededError extends StatusError {}

/** The control plane was deleted during a request; reported as if it had never existed. */
export class PlaneGoneError extends Error {
  override readonly name = "PlaneGoneError";
}

/**
 * Name of a resource in errors: usually the plural (`secrets`), the kind for 422. Core kinds have no group.
 */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/**
 * Limits of the causes and text lengths of a Status: it must not become many times the size of the request.
 */
const maxCauses = 100;
const maxCauseLength = 1_024;

function cut(text: string): string {
  return text.length > maxCauseLength ? `${text.slice(0, maxCauseLength)}…` : text;
}

function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  const status = defined<Status>({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details,
    code,
  });
  return new StatusError(status);
}

/** `secrets`, `exportpolicies.telemetry.example`. */
export function qualifiedPlural(resource: ResourceName): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

function about(resource: ResourceName, name: string): StatusDetails {
  return resource.group === ""
    ? { name, kind: resource.plural }
    : { name, group: resource.group, kind: resource.plural };
}

/**
 * The single response for denied access: it never reveals whether the token, the membership or the control
 * plane is the reason.
 */
export function forbiddenPath(method: string, path: string): StatusError {
  const verb = method.toLowerCase();
  const message = `forbidden: User "system:anonymous" cannot ${verb} path "${path}"`;
  return failure(403, "Forbidden", message, {});
}

/** An authorized caller attempts something that is not allowed to anyone on this object. */
export function forbidden(
  resource: ResourceName,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const what = name === "" ? qualifiedPlural(resource) : `${qualifiedPlural(resource)} "${name}"`;
  const message = `${what} is forbidden: ${why}`;
  return failure(403, "Forbidden", message, defined({ ...about(resource, name), causes }));
}

/** A namespace that is being deleted takes no new objects. Clients ask for the cause. */
export function namespaceTerminating(resource: ResourceName, name: string, namespace: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  const cause = { reason: "NamespaceTerminating", message, field: "metadata.namespace" };
  return forbidden(resource, name, why, [cause]);
}

/**
 * A request that the caller's role does not permit, in the words of a Kubernetes API server.
 *
 * @param attempt `verb` as in a SelfSubjectAccessReview; `namespace` absent: of the whole plane
 * @param why ends the message; names the remedy
 */
export function accessForbidden(
  resource: ResourceName,
  name: string,
  attempt: {
    readonly user: string;
    readonly verb: string;
    readonly namespace?: string | undefined;
    readonly subresource?: string | undefined;
  },
  why: string,
): StatusError {
  const { user, verb, namespace, subresource } = attempt;
  const where =
    namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const plural = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const what = `resource "${plural}" in API group "${resource.group}" ${where}`;
  return forbidden(resource, name, `User ${JSON.stringify(user)} cannot ${verb} ${what}: ${why}`);
}

/** @param why which quota, how much is requested, used and permitted */
export function quotaExceeded(resource: ResourceName, name: string, why: string): QuotaExceededError {
  return new QuotaExceededError(forbidden(resource, name, why).status);
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function notFound(resource: ResourceName, name: string): StatusError {
  return failure(404, "NotFound", `${qualifiedPlural(resource)} "${name}" not found`, about(resource, name));
}

export function pathNotFound(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource");
}

/** @param allowed methods that the path supports */
export function methodNotAllowed(allowed: readonly string[]): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError(failure(405, "MethodNotAllowed", message).status, allowed);
}

/** Methods of read-only paths. */
export const readMethods = ["GET", "HEAD"] as const;

export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(", ")}`;
  return failure(406, "NotAcceptable", message);
}

export function requestTimeout(message: string): StatusError {
  return failure(408, "Timeout", message);
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const message = `${qualifiedPlural(resource)} "${name}" already exists`;
  return failure(409, "AlreadyExists", message, about(resource, name));
}

export const modifiedMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedPlural(resource)} "${name}": ${why}`;
  return failure(409, "Conflict", message, about(resource, name));
}

/**
 * A server-side apply that would change fields of other managers.
 *
 * @param count of all conflicts; `causes` may list only the first
 */
export function applyConflict(causes: readonly StatusCause[], count = causes.length): StatusError {
  const noun = count === 1 ? "conflict" : "conflicts";
  const shown = causes.slice(0, maxCauses).map((cause) => {
    return { ...cause, message: cut(cause.message), field: cut(cause.field ?? "") };
  });
  const byManager = new Map<string, string[]>();
  for (const { message, field } of shown) {
    byManager.set(message, [...(byManager.get(message) ?? []), field]);
  }
  const list = [...byManager].map(([message, fields]) => {
    return [
      `${message.replace("conflict with", "conflicts with")}:`,
      ...fields.map((field) => `- ${field}`),
    ].join("\n");
  });
  if (count > shown.length) list.push("...");
  const [only] = shown;
  const what = count === 1 && only !== undefined ? `${only.message}: ${only.field}` : list.join("\n");
  const message = `Apply failed with ${count} ${noun}: ${what}`;
  return failure(409, "Conflict", message, { causes: shown });
}

/** A past version that the change log no longer holds. */
export function expired(message: string, continueToken?: string): StatusError {
  const error = failure(410, "Expired", message);
  if (continueToken === undefined) return error;
  return new StatusError({ ...error.status, metadata: { continue: continueToken } });
}

export function tooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", message);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failure(415, "UnsupportedMediaType", message);
}

export function invalid(resource: ResourceName, name: string, errors: readonly FieldError[]): StatusError {
  const kind = resource.group === "" ? resource.kind : `${resource.kind}.${resource.group}`;
  const causes = errors.slice(0, maxCauses).map(({ reason, message, field }) => {
    return { reason, message: cut(message), field: cut(field) };
  });
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > maxCauses) texts.push("...");
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const details: StatusDetails = defined({
    name: name || undefined,
    group: resource.group || undefined,
    kind: resource.kind,
    causes,
  });
  return failure(422, "Invalid", `${kind} "${name}" is invalid: ${list}`, details);
}

/**
 * A patch that does not fit the object.
 *
 * @param why which operation and path, or why its result is no object of the kind
 * @param isDecoded whether the patch could be applied, so that its result is the fault
 */
export function unfitPatch(
  resource: ResourceName,
  name: string,
  why: string,
  isDecoded: boolean,
): StatusError {
  const message = isDecoded ? `Invalid value: ${why}` : why;
  const { status } = invalid(resource, name, [{ reason: "FieldValueInvalid", field: "patch", message }]);
  // The API server names no object here.
  const details = isDecoded ? defined({ causes: status.details?.causes }) : {};
  return new StatusError({ ...status, details });
}

/** Invalid query parameters or body of options (meta/v1 ListOptions, CreateOptions, ...). */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: "meta.k8s.io", plural: "", kind }, "", errors);
}

/** @param supported in display order; not listed if there are none */
export function unsupportedValue(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const list = supported.map((each) => JSON.stringify(each)).join(", ");
  const shown = list === "" ? "" : `: supported values: ${list}`;
  const message = `Unsupported value: ${JSON.stringify(value)}${shown}`;
  return { reason: "FieldValueNotSupported", field, message };
}

export function tooManyRequests(retryAfterSeconds: number, message: string): StatusError {
  return failure(429, "TooManyRequests", message, { retryAfterSeconds });
}

export function headTooLarge(): StatusError {
  return failure(431, "RequestHeaderFieldsTooLarge", "the head of the request is too large");
}

export function internalError(): StatusError {
  return failure(500, "InternalError", "an error on the server has prevented the request from succeeding");
}

/**
 * The store does not respond.
 *
 * @param isBrief so far: clients repeat the request a second later
 */
export function unavailable(isBrief: boolean): StatusError {
  const message = "the server is currently unable to handle the request";
  return failure(503, "ServiceUnavailable", message, isBrief ? { retryAfterSeconds: 1 } : {});
}

/** The provider that runs an object sends nothing of it. */
export function noProvider(retryAfterSeconds: number): StatusError {
  const message = "its provider does not send the log: it is not connected, or sends too many others";
  return failure(503, "ServiceUnavailable", message, { retryAfterSeconds });
}

export function tooLargeResourceVersion(asked: string, current: string): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return failure(504, "Timeout", message, { causes, retryAfterSeconds: 1 });
}
