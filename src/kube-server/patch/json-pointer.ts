import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";

/** Parses a JSON pointer (RFC 6901) into unescaped steps. @returns undefined if the text is not a pointer */
export function parsePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/")) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a step; undefined if there is none. */
export function childAt(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = listIndex(step);
    return index === undefined ? undefined : value[index];
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** The object or list that contains the last step of a pointer; undefined if there is none. */
export function containerOf(root: Json, steps: readonly string[]): Json[] | JsonObject | undefined {
  let value: Json | undefined = root;
  for (const step of steps.slice(0, -1)) value = childAt(value, step);
  return Array.isArray(value) || isJsonObject(value) ? value : undefined;
}

/** Parses a step as an index: decimal, without sign or leading zeros. */
export function listIndex(step: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : undefined;
}
