import { type ApiResponse, problemResponse, type RawHeaders } from "./api-response.ts";
import type { RateCounter } from "./rate-counter.ts";

/** The headers with a client's limit. @param remaining of the counter; below zero is none */
export function rateHeaders(rate: RateCounter, remaining: number): RawHeaders {
  return [
    ...["RateLimit-Limit", String(rate.limit)],
    ...["RateLimit-Remaining", String(Math.max(0, remaining))],
    ...["RateLimit-Reset", String(rate.resetSeconds())],
  ];
}

/** The response beyond the limit, without its {@link rateHeaders}. */
export function tooManyRequests(rate: RateCounter): ApiResponse {
  const reset = String(rate.resetSeconds());
  return problemResponse(429, `Try again in ${reset} s.`, ["Retry-After", reset]);
}
