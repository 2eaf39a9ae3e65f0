import type { Json, JsonObject } from "../api/object.ts";
import { toYaml } from "../encoding/yaml.ts";
import { parseMediaRanges } from "./negotiate.ts";

/** Encoding of the objects in a response: `pretty` is indented JSON. */
export type Encoding = "json" | "pretty" | "yaml";

export const encodings = ["application/json", "application/yaml"] as const;

export function contentTypeOf(encoding: Encoding): string {
  return encoding === "yaml" ? "application/yaml" : "application/json";
}

/** Tools whose output people read (k8s.io/apiserver, `isPrettyPrint`). */
const shownToPeople = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** @param type the negotiated media type */
export function encodingOf(type: string, query: URLSearchParams, userAgent: string): Encoding {
  if (type === "application/yaml") return "yaml";
  const pretty = query.get("pretty") ?? "";
  const isPretty =
    pretty === "" ? shownToPeople.test(userAgent) : ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return isPretty ? "pretty" : "json";
}

/** Media type of an error response: one that the client accepts, else JSON. */
export function failureType(accept: string | undefined): string {
  // A failure is never a table, so a range that asks for one does not have it.
  const plain = parseMediaRanges(accept ?? "").filter(({ parameters }) => parameters["as"] === undefined);
  const types = plain.map(({ type }) => type);
  const known = types.find((type) => type !== "application/vnd.kubernetes.protobuf");
  return known === "application/yaml" ? "application/yaml" : "application/json";
}

export function encode(value: Json, encoding: Encoding): string {
  switch (encoding) {
    case "json":
      return `${JSON.stringify(value)}\n`;
    case "pretty":
      return JSON.stringify(value, undefined, 2);
    case "yaml":
      return toYaml(value);
  }
}

/**
 * Writes an object that contains a long list, in pieces: the part before the list, its items, and the rest.
 */
export interface ListWriter {
  open(head: JsonObject, key: string): string;
  /** @param json one item, as JSON */
  item(json: string): string;
  close(metadata: JsonObject): string;
}

export function createListWriter(encoding: Encoding): ListWriter {
  let isEmpty = true;
  /** @returns the separator before an item */
  const separator = (first: string, next: string): string => {
    const text = isEmpty ? first : next;
    isEmpty = false;
    return text;
  };
  switch (encoding) {
    case "json":
      return {
        open: (head, key) => `${JSON.stringify(head).slice(0, -1)},"${key}":[`,
        item: (json) => `${separator("", ",")}${json}`,
        close: (metadata) => `],"metadata":${JSON.stringify(metadata)}}\n`,
      };
    case "pretty": {
      const indented = (value: Json, indent: string): string =>
        JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
      return {
        open: (head, key) => `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "${key}": [`,
        item: (json) => `${separator("\n    ", ",\n    ")}${indented(JSON.parse(json) as Json, "    ")}`,
        close: (metadata) => `${isEmpty ? "" : "\n  "}],\n  "metadata": ${indented(metadata, "  ")}\n}`,
      };
    }
    case "yaml":
      return {
        open: (head, key) => `${toYaml(head)}${key}:`,
        item: (json) => `${separator("\n", "")}${toYaml([JSON.parse(json) as Json])}`,
        close: (metadata) => `${isEmpty ? " []\n" : ""}${toYaml({ metadata })}`,
      };
  }
}
