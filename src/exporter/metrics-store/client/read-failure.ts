import { redact } from "../../../base/log/redact.ts";
import { withoutAddresses } from "../../../base/net/addresses.ts";
import { namesMissingNodes, namesSpanLimit, refusalText, remedyOf } from "./refusal.ts";

/** Reason of a failed read. Stable: a metric's label, and the basis of conditions. */
export type ReadFailureReason =
  | "unreachable"
  | "timeout"
  | "connection_lost"
  | "overloaded"
  | "unauthorized"
  | "not_found"
  | "redirected"
  | "bad_request"
  | "server_error"
  | "unexpected_status"
  | "unframed_body"
  | "store_error"
  | "malformed_line"
  | "malformed_answer"
  | "answer_too_large"
  | "partial_answer"
  | "incomplete_body"
  | "credentials_unreadable"
  | "tenant_violation"
  | "unsupported_selector"
  | "unknown_flavor";

/** An expected failure. It is returned, never thrown. */
export interface ReadFailure {
  readonly kind: "failed";
  readonly reason: ReadFailureReason;
  /** Message for the person who has to act on it. */
  readonly message: string;
  /** The pause that the store asked for (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
}

export function failure(reason: ReadFailureReason, message: string, retryAfterMs?: number): ReadFailure {
  return { kind: "failed", reason, message, retryAfterMs };
}

/**
 * A failure's message for a tenant: a query's faults in full, otherwise only the useful part. The store's
 * address, its messages about its nodes and its connection details are for the operator only.
 */
export function tenantMessage({ reason, message }: ReadFailure): string {
  switch (reason) {
    case "unsupported_selector":
      return message;
    case "answer_too_large":
    case "bad_request":
      return withoutAddresses(message);
    case "tenant_violation":
      return "the query reaches beyond the project's own series";
    case "timeout":
      return "the metrics store did not respond in time; a query of fewer series may help";
    case "overloaded":
      return "the metrics store is overloaded";
    default:
      return storeUnreadable;
  }
}

export const storeUnreadable = "the metrics store cannot be read at present";

/** The failure that a response other than 2xx means. `body` is the beginning of its text. */
export function failureOfStatus(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  nowMs: number,
): ReadFailure {
  const text = refusalText(body);
  const said = [text, remedyOf(text)].filter((part) => part !== undefined && part !== "").join("; ");
  const message = `the store responded with ${status}${said === "" ? "" : `: ${said}`}`;
  if (status >= 300 && status < 400) {
    return failure(
      "redirected",
      `the store responded with ${status} to ${redact(String(headers["location"] ?? "nowhere"))}`,
    );
  }
  switch (status) {
    case 401:
    case 403:
    case 407:
      return failure("unauthorized", message);
    case 404:
    case 405:
    case 410:
      return failure("not_found", `${message}; is the path prefix of metrics.url right?`);
    case 429:
      return failure("overloaded", message, retryAfterMs(headers["retry-after"], nowMs));
    case 503: {
      const reason = namesMissingNodes(text) ? "partial_answer" : "overloaded";
      return failure(reason, message, retryAfterMs(headers["retry-after"], nowMs));
    }
    case 408:
    case 504:
      return failure("timeout", message);
    case 413:
      return failure("answer_too_large", message);
    default:
      if (status >= 500) return failure("server_error", message, retryAfterMs(headers["retry-after"], nowMs));
      if (status >= 400) return failure(namesSpanLimit(text) ? "answer_too_large" : "bad_request", message);
      return failure("unexpected_status", message);
  }
}

/** RFC 9110, section 10.2.3: seconds or a date. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
