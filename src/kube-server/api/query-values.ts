import { badRequest } from "./status.ts";

/**
 * Parses an integer query parameter (64-bit in Kubernetes; here within the range of exact numbers).
 *
 * @returns undefined if absent
 * @throws StatusError 400
 */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const quoted = JSON.stringify(text);
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`${name}: parsing ${quoted}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw badRequest(`${name}: parsing ${quoted}: value out of range`);
  return value;
}

/** Parses a boolean query parameter: any value except `false` and `0` is true. Undefined if absent. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== "0" && value.toLowerCase() !== "false";
}
