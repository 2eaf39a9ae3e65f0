import { randomUUID } from "node:crypto";
import { z } from "zod";
import { defined } from "../../base/core/defined.ts";
import { describeError } from "../../base/core/errors.ts";
import { retryAfterMs } from "../../base/core/retry-after.ts";
import { redact } from "../../base/log/redact.ts";
import type { BoardFailure } from "./board.ts";

type Headers = Readonly<Record<string, unknown>>;

/** GitHub's documented minimum when a secondary rate limit names no time. */
const secondaryLimitMs = 60_000;
/** Longer than GitHub's longest rate-limit window; a request for more is an error along the way. */
const longestPauseMs = 2 * 3_600_000;

/**
 * Classifies a failed request to GitHub. Reads the error's *properties*, since its classes belong to a
 * library: `status` and `response` of an HTTP response, `errors` and `headers` of a GraphQL response (with
 * status 200).
 *
 * @see https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
export function githubFailure(error: unknown, nowMs: number): BoardFailure {
  const parts = partsOf(error);
  const message = shorten(redact(describeError(error)));
  const isLimited = limited(parts);
  if (isLimited) {
    return { kind: "rate-limited", message, retryAfterMs: pauseMs(parts.headers, nowMs) };
  }
  if (parts.graphqlTypes !== undefined) return { kind: graphqlKind(parts.graphqlTypes), message };
  const { status } = parts;
  if (status === undefined) return { kind: "unavailable", message };
  const waitMs = status >= 500 ? retryAfter(parts.headers, nowMs) : undefined;
  const text = `HTTP ${status}: ${message}`;
  return defined({ kind: statusKind(status), message: text, retryAfterMs: waitMs });
}

interface Parts {
  readonly status: number | undefined;
  readonly headers: Headers;
  /** The `type`s of the errors in a GraphQL response. */
  readonly graphqlTypes: readonly string[] | undefined;
  readonly text: string;
}

function partsOf(error: unknown): Parts {
  const fault = (typeof error === "object" && error !== null ? error : {}) as {
    status?: unknown;
    headers?: Headers;
    response?: { headers?: Headers };
    errors?: unknown;
    message?: unknown;
  };
  const types = Array.isArray(fault.errors)
    ? fault.errors.map((one: unknown) =>
        typeof one === "object" && one !== null && "type" in one ? String(one.type) : "",
      )
    : undefined;
  return {
    // The library names a status of 500 where there was no response, such as for a refused connection.
    status: typeof fault.status === "number" && fault.response !== undefined ? fault.status : undefined,
    headers: fault.response?.headers ?? fault.headers ?? {},
    graphqlTypes: types,
    text: String(fault.message ?? ""),
  };
}

function limited(parts: Parts): boolean {
  if (parts.graphqlTypes?.some((type) => type === "RATE_LIMITED" || type === "RATE_LIMIT")) return true;
  if (parts.status === 429) return true;
  if (parts.status !== 403) return false;
  return (
    parts.headers["x-ratelimit-remaining"] === "0" ||
    parts.headers["retry-after"] !== undefined ||
    /rate limit|abuse/i.test(parts.text)
  );
}

function pauseMs(headers: Headers, nowMs: number): number {
  const fromRetryAfter = retryAfter(headers, nowMs);
  if (fromRetryAfter !== undefined) return fromRetryAfter;
  const reset = Number(headers["x-ratelimit-reset"]);
  if (headers["x-ratelimit-remaining"] === "0" && Number.isFinite(reset)) {
    // Both times by GitHub's clock, if the response has a date: the local clock may be wrong.
    const theirNowMs = Date.parse(String(headers["date"] ?? ""));
    const restMs = reset * 1_000 - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
    return Math.min(longestPauseMs, Math.max(1_000, restMs + 1_000));
  }
  return secondaryLimitMs;
}

function retryAfter(headers: Headers, nowMs: number): number | undefined {
  const [value, date] = [headers["retry-after"]?.toString(), headers["date"]?.toString()];
  return retryAfterMs(value, date, nowMs, longestPauseMs);
}

function graphqlKind(types: readonly string[]): BoardFailure["kind"] {
  if (types.some((type) => type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES")) return "forbidden";
  if (types.includes("NOT_FOUND")) return "not-found";
  return "unavailable";
}

function statusKind(status: number): BoardFailure["kind"] {
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status === 404) return "not-found";
  return "unavailable";
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

const graphqlErrors = z.object({
  data: z.object({ node: z.object({ items: z.object({ nodes: z.array(z.unknown()) }) }) }),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.tuple([z.literal("node"), z.literal("items"), z.literal("nodes"), z.int()], z.unknown()),
      }),
    )
    .min(1),
});

/**
 * The data of a response whose errors are all about single items, such as those of a repository that the
 * token may not read: their content is null in it. Undefined for any other error.
 *
 * @see https://spec.graphql.org/October2021/#sec-Handling-Field-Errors
 */
export function withoutRefusedItems(
  error: unknown,
): { readonly data: unknown; readonly refusals: readonly string[] } | undefined {
  const parsed = graphqlErrors.safeParse(error);
  if (!parsed.success) return undefined;
  const refused = new Map(parsed.data.errors.map(({ path, message }) => [path[3], message]));
  const { data } = error as { data: { node: { items: { nodes: readonly unknown[] } } } };
  const { node } = data;
  const nodes = node.items.nodes.map((item, index) => {
    if (!refused.has(index)) return item;
    // An item of which nothing is shown counts, too: otherwise the reading would be incomplete.
    const rest = { id: `refused ${randomUUID()}`, type: "", isArchived: false, fieldValueByName: null };
    return { ...rest, ...(item ?? {}), content: null, isRefused: true };
  });
  return {
    data: { ...data, node: { ...node, items: { ...node.items, nodes } } },
    refusals: [...refused.values()].map((message) => shorten(redact(message))),
  };
}
