import { readBoolean, readInteger } from "../api/query-values.ts";
import { badRequest, type FieldError, invalidOptions } from "../api/status.ts";

/** What a reader asks for, with the names and meanings of core/v1 PodLogOptions. */
export interface LogOptions {
  /** Empty: the only one. */
  readonly container: string;
  readonly follow: boolean;
  readonly timestamps: boolean;
  /** Of the end of the log; undefined: all lines. */
  readonly tailLines?: number;
  /** Lines from this time on, ms since the Unix epoch. */
  readonly sinceMs?: number;
  readonly limitBytes?: number;
}

const kind = "LogOptions";

/** @throws StatusError 400, 422 */
export function readLogOptions(query: URLSearchParams, nowMs: number): LogOptions {
  const errors: FieldError[] = [];
  const number = (name: string, least: number): number | undefined => {
    const value = readInteger(query, name);
    if (value === undefined || value >= least) return value;
    const message = `Invalid value: ${value}: must be greater than or equal to ${least}`;
    errors.push({ reason: "FieldValueInvalid", field: name, message });
    return undefined;
  };
  const tailLines = number("tailLines", 0);
  const limitBytes = number("limitBytes", 1);
  const sinceSeconds = number("sinceSeconds", 1);
  const sinceTime = query.get("sinceTime") ?? "";
  const timeMs = sinceTime === "" ? undefined : Date.parse(sinceTime);
  if (timeMs !== undefined && !Number.isFinite(timeMs))
    throw badRequest(`sinceTime: parsing ${JSON.stringify(sinceTime)}: it is no time of RFC 3339`);
  if (timeMs !== undefined && sinceSeconds !== undefined) {
    const message = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
    errors.push({ reason: "FieldValueForbidden", field: "", message });
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  if (readBoolean(query, "previous") === true)
    throw badRequest("previous: a container that is started again goes on with its log; leave previous out");
  const sinceMs = sinceSeconds === undefined ? timeMs : nowMs - sinceSeconds * 1_000;
  return {
    container: query.get("container") ?? "",
    follow: readBoolean(query, "follow") === true,
    timestamps: readBoolean(query, "timestamps") === true,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceMs === undefined ? {} : { sinceMs: Math.max(0, sinceMs) }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}
