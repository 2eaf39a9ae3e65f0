import type { MetaVersion } from "../api/table.ts";

/** Form of the objects in a response. */
export type Representation = "object" | "table" | "metadata";

export interface ObjectForm {
  readonly representation: Representation;
  readonly type: "application/json" | "application/yaml";
  /** For tables and metadata only. */
  readonly metaVersion: MetaVersion;
}

export interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses an Accept or Content-Type header into ranges by preference (by `q`, then by position). */
export function parseMediaRanges(header: string): MediaRange[] {
  const ranges = header
    .split(",")
    .map((part) => {
      const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
      const parameters: Record<string, string> = {};
      for (const piece of rest) {
        const [name = "", value = ""] = piece.split("=");
        parameters[name.trim().toLowerCase()] = value.trim().replace(/^"|"$/g, "");
      }
      return { type: type.toLowerCase(), parameters };
    })
    .filter((range) => range.type !== "");
  const quality = (range: MediaRange) => Number(range.parameters["q"] ?? 1);
  return ranges.filter((range) => quality(range) > 0).sort((a, b) => quality(b) - quality(a));
}

/**
 * Negotiates a response's form from the Accept header. JSON wins over protobuf if the client accepts both.
 *
 * @returns undefined if no acceptable form is available (406)
 */
export function negotiateRepresentation(accept: string | undefined): ObjectForm | undefined {
  const plain = { representation: "object", type: "application/json", metaVersion: "v1" } as const;
  if (accept === undefined || accept.trim() === "") return plain;
  for (const { type: range, parameters } of parseMediaRanges(accept)) {
    const type = range === "application/yaml" ? range : isJsonRange(range) ? "application/json" : undefined;
    if (type === undefined) continue;
    const { as, g, v: metaVersion } = parameters;
    if (as === undefined) return { ...plain, type };
    if (g !== "meta.k8s.io" || (metaVersion !== "v1" && metaVersion !== "v1beta1")) continue;
    if (as === "Table") return { representation: "table", type, metaVersion };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
      return { representation: "metadata", type, metaVersion };
    }
  }
  return undefined;
}

function isJsonRange(type: string): boolean {
  return type === "application/json" || type === "application/*" || type === "*/*";
}

/** The first of the offered types in the client's order of preference; undefined for a 406. */
export function negotiateType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === "") return offered[0];
  for (const { type } of parseMediaRanges(accept)) {
    const found = offered.find((each) => {
      return type === each || type === "*/*" || (type.endsWith("/*") && each.startsWith(type.slice(0, -1)));
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Content type of aggregated discovery, "plain" for the unaggregated lists, or undefined (406). */
export function negotiateDiscovery(accept: string | undefined): "v2" | "v2beta1" | "plain" | undefined {
  if (accept === undefined || accept.trim() === "") return "plain";
  for (const { type, parameters } of parseMediaRanges(accept)) {
    if (type === "application/yaml" && parameters["as"] === undefined) return "plain";
    if (!isJsonRange(type)) continue;
    if (parameters["as"] === undefined) return "plain";
    if (parameters["g"] !== "apidiscovery.k8s.io" || parameters["as"] !== "APIGroupDiscoveryList") continue;
    const version = parameters["v"];
    if (version === "v2" || version === "v2beta1") return version;
  }
  return undefined;
}

/** Media type of a Content-Type header; JSON if absent. */
export function mediaType(header: string | undefined): string {
  return parseMediaRanges(header ?? "")[0]?.type ?? "application/json";
}
