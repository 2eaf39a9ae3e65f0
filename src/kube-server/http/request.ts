import type { Caller } from "../access/directory.ts";
import type { KindDefinition } from "../api/kind.ts";
import type { Plane } from "../api/plane.ts";
import type { Role } from "../api/roles.ts";
import { type FieldError, invalidOptions, unsupportedValue } from "../api/status.ts";
import { forbiddenValue } from "../api/validate.ts";
import { parseFieldValidation } from "../resources/admission.ts";
import { readDryRun } from "../resources/dry-run.ts";
import { applyType } from "../resources/patching.ts";
import type { Target, WriteOptions } from "../resources/target.ts";
import type { Entry } from "./gate.ts";
import { patchTypeOf } from "./negotiate.ts";
import type { ResourcePath } from "./resource-path.ts";

/** A request for resources of a plane that the caller may access. */
export interface ResourceRequest {
  readonly method: string;
  readonly plane: Plane;
  readonly kind: KindDefinition;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly caller: Caller;
  /** Of the caller in the plane's organization. */
  readonly role: Role;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly userAgent: string;
  /** Empty if there is none. */
  readonly body: Buffer;
  readonly onOver: Entry["onOver"];
}

export function targetOf({ plane, kind, path }: ResourceRequest): Target {
  return { plane, kind, namespace: path.namespace ?? "", name: path.name ?? "" };
}

/** The options kind of each verb in meta/v1. */
const optionsKinds: Readonly<Record<string, string>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
};

/**
 * Reads the options of all writes: `dryRun`, `fieldManager`, `fieldValidation`, and for patches `force`.
 *
 * @throws StatusError 422
 */
export function readWriteOptions(request: ResourceRequest): WriteOptions {
  const { method, query, userAgent, path, role } = request;
  const errors: FieldError[] = [];
  if (method === "PATCH") errors.push(...patchFaults(request));
  const given = query.get("fieldManager") ?? "";
  errors.push(...managerFaults(given));
  const isDryRun = readDryRun(query.getAll("dryRun"), errors);
  const fieldValidation = parseFieldValidation(query.get("fieldValidation") ?? undefined);
  if (fieldValidation === undefined) {
    const supported = ["", "Ignore", "Strict", "Warn"];
    errors.push(unsupportedValue("fieldValidation", query.get("fieldValidation"), supported));
  }
  if (errors.length > 0 || fieldValidation === undefined) {
    throw invalidOptions(optionsKinds[method] ?? "UpdateOptions", errors);
  }
  return {
    dryRun: isDryRun,
    fieldValidation,
    fieldManager: given || managerOf(userAgent),
    subresource: path.subresource === "status" ? "status" : "",
    role,
  };
}

function patchFaults({ query, contentType }: ResourceRequest): FieldError[] {
  if (patchTypeOf(contentType) !== applyType) {
    return query.has("force") ? [forbiddenValue("force", "may not be specified for non-apply patch")] : [];
  }
  if ((query.get("fieldManager") ?? "") !== "") return [];
  const message = "Required value: is required for apply patch";
  return [{ reason: "FieldValueRequired", field: "fieldManager", message }];
}

const maxManagerLength = 128;

function managerFaults(name: string): FieldError[] {
  const field = "fieldManager";
  if (Buffer.byteLength(name) > maxManagerLength) {
    const message = `Too long: may not be more than ${maxManagerLength} bytes`;
    return [{ reason: "FieldValueTooLong", field, message }];
  }
  const position = [...name].findIndex((each) => !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(each));
  if (position === -1) return [];
  const code = ([...name][position] ?? "").codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const message = `Invalid value: ${JSON.stringify(name)}: invalid character U+${code} (at position ${position})`;
  return [{ reason: "FieldValueInvalid", field, message }];
}

/** Default manager for clients that name none: the beginning of their user agent, as far as valid. */
function managerOf(userAgent: string): string {
  const name = userAgent.split("/", 1)[0] ?? "";
  return name !== "" && managerFaults(name).length === 0 ? name : "unknown";
}
