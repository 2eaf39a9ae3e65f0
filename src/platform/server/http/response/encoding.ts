import { toYaml } from "../../encoding/yaml.ts";
import type { Json, JsonObject } from "../../object.ts";
import { parseMediaRanges } from "./negotiate.ts";

/** How the objects of a response are written down: `pretty` is JSON for people. */
export type Encoding = "json" | "pretty" | "yaml";

export const encodings = ["application/json", "application/yaml"] as const;

export function contentTypeOf(encoding: Encoding): string {
  return encoding === "yaml" ? "application/yaml" : "application/json";
}

/** Tools that people look at the responses of (k8s.io/apiserver, `isPrettyPrint`). */
const shownToPeople = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** @param type the media type that was negotiated */
export function encodingOf(type: string, query: URLSearchParams, userAgent: string): Encoding {
  if (type === "application/yaml") return "yaml";
  const pretty = query.get("pretty") ?? "";
  const isPretty =
    pretty === "" ? shownToPeople.test(userAgent) : ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return isPretty ? "pretty" : "json";
}

/** The media type for a failure: what the client takes, or JSON all the same. */
export function failureType(accept: string | undefined): string {
  const types = parseMediaRanges(accept ?? "").map(({ type }) => type);
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

/** Writes an object with a long list in it, piece by piece: what is before the list, its items, what comes after it. */
export interface ListWriter {
  open(head: JsonObject, key: string): string;
  /** @param json one item, as JSON */
  item(json: string): string;
  close(metadata: JsonObject): string;
}

export function createListWriter(encoding: Encoding): ListWriter {
  let isEmpty = true;
  /** @returns what goes before an item */
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
