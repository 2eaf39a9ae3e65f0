import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import type { ApiResponse } from "../replay.ts";

/** One thing in which two responses differ. */
export interface Difference {
  /** `code`, `reason`, `causes`, `body`, `header allow`, ... */
  readonly what: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const headers = ["content-type", "warning", "allow", "retry-after"];

/** Compares what clients rely on; messages and what each server assigns by itself are left out. */
export function responseDifferences(ours: ApiResponse, theirs: ApiResponse): Difference[] {
  const found: Difference[] = [];
  const compare = (what: string, our: unknown, their: unknown): void => {
    if (!isDeepStrictEqual(our, their)) found.push({ what, ours: our, theirs: their });
  };
  compare("code", ours.code, theirs.code);
  for (const name of headers) compare(`header ${name}`, ours.headers[name], theirs.headers[name]);
  const [our, their] = [documentOf(ours), documentOf(theirs)];
  if (isStatus(our) && isStatus(their) && ours.code >= 300) {
    compare("reason", our["reason"], their["reason"]);
    compare("subject", subjectOf(our), subjectOf(their));
    compare("causes", causesOf(our), causesOf(their));
  } else compare("body", normalised(our), normalised(their));
  return found;
}

/** Whether both refuse a request in other words. */
export function hasOtherWords(ours: ApiResponse, theirs: ApiResponse): boolean {
  const [our, their] = [documentOf(ours), documentOf(theirs)];
  return isStatus(our) && isStatus(their) && our["message"] !== their["message"];
}

type Document = Record<string, unknown>;

/** JSON, YAML, the events of a watch, or text. */
export function documentOf({
  headers: given,
  json,
  text,
}: Pick<ApiResponse, "headers" | "json" | "text">): unknown {
  const type = String(given["content-type"] ?? "");
  if (type.startsWith("application/yaml")) return parse(text) as unknown;
  // The only event of a watch.
  if (typeof json === "object" && json !== null && "type" in json && "object" in json) return [json];
  if (json !== undefined) return json;
  const lines = text.split("\n").filter((line) => line !== "");
  try {
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    return text;
  }
}

function isStatus(value: unknown): value is Document {
  return typeof value === "object" && value !== null && (value as Document)["kind"] === "Status";
}

function subjectOf(status: Document): unknown {
  const { name, kind, group } = (status["details"] ?? {}) as Document;
  return { name, kind, group };
}

function causesOf(status: Document): unknown {
  const causes = ((status["details"] as Document | undefined)?.["causes"] ?? []) as Document[];
  // An API server checks metadata several times, and repeats what it finds.
  return [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))].sort();
}

const times = ["creationTimestamp", "deletionTimestamp", "time"];
const assigned = ["uid", "resourceVersion", "continue", ...times];

/** Without what differs between any two servers and moments. */
export function normalised(value: unknown, name = ""): unknown {
  if (assigned.includes(name) && typeof value === "string" && value !== "") return "set";
  if (Array.isArray(value)) {
    const items = value.map((item) => normalised(item));
    if (name === "managedFields") return items.toSorted((a, b) => (managerOf(a) < managerOf(b) ? -1 : 1));
    if (name === "cells") return items.map((cell) => (/^\d+m?s$/.test(String(cell)) ? "age" : cell));
    return items.filter((item) => (item as Document | null)?.["type"] !== "BOOKMARK");
  }
  if (typeof value !== "object" || value === null) return value;
  // The lists of custom resources have an empty token.
  const isLeftOut = (key: string, field: unknown) =>
    key === "description" || (key === "continue" && field === "");
  const fields = Object.entries(value).filter(([key, field]) => !isLeftOut(key, field));
  const isGenerated = "generateName" in value && "managedFields" in value;
  return Object.fromEntries(
    fields.map(([key, field]) => {
      if (key === "name" && isGenerated) return [key, String(field).slice(0, -5)];
      if (key === "verbs" && Array.isArray(field)) return [key, field.toSorted()];
      if (key === "message" && typeof field === "string") return [key, field.replaceAll(/\d+/g, "0")];
      return [key, normalised(field, key)];
    }),
  );
}

function managerOf(entry: unknown): string {
  const { manager, operation, subresource, apiVersion } = entry as Document;
  return JSON.stringify([manager, operation, subresource, apiVersion]);
}
