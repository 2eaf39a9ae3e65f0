import { readBoolean, readInteger } from "../api/query-values.ts";
import { type FieldError, invalidOptions, unsupportedValue } from "../api/status.ts";
import { forbiddenValue } from "../api/validate.ts";
import { checkVersion } from "../resources/list.ts";

export interface WatchOptions {
  /** A version; "" or "0": all existing objects, then changes; "now": changes only. */
  readonly start: string;
  readonly bookmarks: boolean;
  /** Send a bookmark after all existing objects (`sendInitialEvents`). */
  readonly initialEvents: boolean;
  readonly timeoutMs: number;
}

/**
 * Reads the parameters of a watch.
 *
 * @param random in [0, 1): a watch without a timeout ends after 30 to 60 minutes, so that watches do not all
 * end at once
 * @throws StatusError 400, 422
 */
export function readWatchOptions(query: URLSearchParams, random: number): WatchOptions {
  const resourceVersion = query.get("resourceVersion") ?? "";
  const seconds = readInteger(query, "timeoutSeconds") ?? 0;
  const initialEvents = readBoolean(query, "sendInitialEvents");
  const errors = matchFaults(query.get("resourceVersionMatch") ?? "", initialEvents);
  if ((query.get("continue") ?? "") !== "") {
    const field = "resourceVersionMatch";
    errors.push(forbiddenValue(field, `${field} is forbidden when continue is provided`));
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  checkVersion(resourceVersion);
  const isFromNow = initialEvents === false && ["", "0"].includes(resourceVersion);
  return {
    start: initialEvents === true ? "" : isFromNow ? "now" : resourceVersion,
    bookmarks: readBoolean(query, "allowWatchBookmarks") === true,
    initialEvents: initialEvents === true,
    timeoutMs: (seconds > 0 ? seconds : 1800 * (1 + random)) * 1000,
  };
}

/** Kubernetes' rules for resourceVersionMatch in watches (validateWatchOptions of apimachinery). */
function matchFaults(match: string, initialEvents: boolean | undefined): FieldError[] {
  const field = "resourceVersionMatch";
  if (initialEvents !== undefined && match !== "NotOlderThan") {
    return [forbiddenValue(field, `sendInitialEvents requires setting ${field} to NotOlderThan`)];
  }
  if (match === "" || initialEvents !== undefined) return [];
  const why = `${field} is forbidden for watch unless sendInitialEvents is provided`;
  const unsupported = match === "NotOlderThan" ? [] : [unsupportedValue(field, match, ["NotOlderThan"])];
  return [forbiddenValue(field, why), ...unsupported];
}
