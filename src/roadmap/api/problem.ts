import { STATUS_CODES } from "node:http";

/** A problem as RFC 9457 has it: the body of every response that is not 2xx (but 304, which has none). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

export const problemContentType = "application/problem+json";

/**
 * The problem of a status code. The type is always `about:blank`: the code says it all.
 *
 * @param detail for the person who reads it; never anything about our inside
 */
export function problem(status: number, detail?: string): Problem {
  return {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    ...(detail === undefined ? {} : { detail }),
  };
}
