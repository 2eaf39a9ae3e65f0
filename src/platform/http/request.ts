import type { Caller } from "../access/directory.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import type { Plane } from "../plane.ts";
import { parseFieldValidation } from "../resources/admission.ts";
import { readDryRun } from "../resources/deletion.ts";
import type { Target, WriteOptions } from "../resources/target.ts";
import { badRequest } from "../status.ts";
import type { ResourcePath } from "./resource-path.ts";

/** A request for resources of a plane that the caller may use. */
export interface ResourceRequest {
  readonly method: string;
  readonly plane: Plane;
  readonly kind: KindDefinition;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly caller: Caller;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly userAgent: string;
  /** Empty where there is none. */
  readonly body: Buffer;
}

export function targetOf({ plane, kind, path }: ResourceRequest): Target {
  return { plane, kind, namespace: path.namespace ?? "", name: path.name ?? "" };
}

/**
 * Reads what all writes have in common: `dryRun`, `fieldManager`, `fieldValidation`.
 *
 * @throws StatusError 400
 */
export function readWriteOptions(request: ResourceRequest): WriteOptions {
  const { query, userAgent, path } = request;
  const fieldValidation = parseFieldValidation(query.get("fieldValidation") ?? undefined);
  if (fieldValidation === undefined) {
    const given = JSON.stringify(query.get("fieldValidation"));
    throw badRequest(
      `fieldValidation: Unsupported value: ${given}: supported values: "Ignore", "Warn", "Strict"`,
    );
  }
  const fieldManager = query.get("fieldManager") ?? (userAgent.split("/")[0] || "unknown");
  if (fieldManager.length > 128) throw badRequest("fieldManager: Too long: may not be more than 128 bytes");
  return {
    dryRun: readDryRun(query.getAll("dryRun")),
    fieldValidation,
    fieldManager,
    subresource: path.subresource === "status" ? "status" : "",
  };
}

/** A query parameter that is a boolean, as Go's ParseBool reads it, "" being true. */
export function isTrue(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && ["", "1", "t", "T", "true", "TRUE", "True"].includes(value);
}
