import { badRequest } from "./status.ts";

/**
 * A query parameter that is an integer (64 bits in Kubernetes; here as far as numbers are exact).
 *
 * @returns undefined where there is none
 * @throws StatusError 400
 */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  const quoted = JSON.stringify(text);
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`${name}: parsing ${quoted}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw badRequest(`${name}: parsing ${quoted}: value out of range`);
  return value;
}

/** A query parameter that is a boolean: whatever is there is true, but for `false` and `0`. Undefined where there is none. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== "0" && value.toLowerCase() !== "false";
}
