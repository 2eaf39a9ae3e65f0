import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";
import { readBoolean, readInteger } from "../api/query-values.ts";
import { badRequest, type FieldError, invalidOptions, unsupportedValue } from "../api/status.ts";
import { readDryRun } from "./dry-run.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

/** meta/v1 DeleteOptions, as far as they are supported. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  /** Undefined: depends on the object's existing finalizers. */
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const policies: readonly Propagation[] = ["Foreground", "Background", "Orphan"];

/**
 * Reads DeleteOptions from the body (if any) and the query. Options of both apply: in Kubernetes, a body
 * makes the server ignore `?dryRun=All`, and the object is deleted.
 *
 * @throws StatusError 400 for a wrong type, 422 for an invalid value
 */
export function readDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const options = optionsIn(body);
  const preconditions = field(options, "preconditions", isJsonObject, "object") ?? {};
  const policy = field(options, "propagationPolicy", isText, "string") ?? query.get("propagationPolicy");
  const orphan =
    field(options, "orphanDependents", isBoolean, "bool") ?? readBoolean(query, "orphanDependents");
  const dryRun = field(options, "dryRun", isTexts, "[]string") ?? query.getAll("dryRun");
  // Graceful termination does not exist here, but an invalid request must not delete anything.
  if (field(options, "gracePeriodSeconds", isInteger, "int64") === undefined) {
    readInteger(query, "gracePeriodSeconds");
  }
  const errors: FieldError[] = [];
  if (policy !== null && orphan !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ reason: "FieldValueInvalid", field: "propagationPolicy", message });
  } else if (policy !== null && !isPolicy(policy)) {
    errors.push(unsupportedValue("propagationPolicy", policy, [...policies, "nil"]));
  }
  const isDryRun = readDryRun(dryRun, errors);
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  return {
    dryRun: isDryRun,
    propagation: policy !== null && isPolicy(policy) ? policy : orphan === true ? "Orphan" : undefined,
    uid: field(preconditions, "uid", isText, "string") || undefined,
    resourceVersion: field(preconditions, "resourceVersion", isText, "string") || undefined,
  };
}

function optionsIn(body: Json | undefined): JsonObject {
  if (body === undefined || body === null) return {};
  if (!isJsonObject(body)) throw badRequest("DeleteOptions must be an object");
  const { kind = "", apiVersion = "" } = body;
  if (kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  return body;
}

/** @throws StatusError 400 */
function field<T extends Json>(
  object: JsonObject,
  name: string,
  is: (value: Json) => value is T,
  type: string,
): T | undefined {
  const value = object[name] ?? null;
  if (value === null) return undefined;
  if (is(value)) return value;
  throw badRequest(`cannot unmarshal ${JSON.stringify(value)} into DeleteOptions.${name} of type ${type}`);
}

const isText = (value: Json): value is string => typeof value === "string";
const isTexts = (value: Json): value is string[] => Array.isArray(value) && value.every(isText);
const isBoolean = (value: Json): value is boolean => typeof value === "boolean";
const isInteger = (value: Json): value is number => Number.isInteger(value);
const isPolicy = (value: string): value is Propagation => policies.some((each) => each === value);
