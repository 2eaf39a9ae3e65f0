import { STATUS_CODES } from "node:http";
import { defined } from "../../base/core/defined.ts";

/** A problem (RFC 9457): the body of every response that is not 2xx, except 304, which has none. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

export const problemContentType = "application/problem+json";

/**
 * The problem for a status code. The type is always `about:blank`: the code is sufficient.
 *
 * @param detail for human readers; never internal details
 */
export function problem(status: number, detail?: string): Problem {
  return defined({ type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, detail });
}
