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

/**
 * Parses an Accept header into ranges by preference, as a Kubernetes API server does: a range is compared
 * letter by letter, `*` is any type, and `q=0` comes last but is no refusal.
 */
export function parseMediaRanges(header: string): MediaRange[] {
  const ranges = header.split(",").flatMap((part): RatedRange[] => {
    const [text = "", ...rest] = part.split(";").map((piece) => piece.trim());
    const type = text === "*" ? "*/*" : text.replace(/\s*\/\s*/, "/");
    if (type.split("/").length !== 2) return [];
    let quality = 1;
    const parameters: Record<string, string> = {};
    for (const piece of rest) {
      const [name = "", value = "", ...more] = piece.split("=").map((each) => each.trim());
      if (value === "" || more.length > 0) continue;
      if (name === "q") quality = Number(value) || 0;
      else parameters[name] = value;
    }
    return [{ type, parameters, quality }];
  });
  if (ranges.length > maxSortedRanges) return ranges.sort((a, b) => b.quality - a.quality);
  // One after another, since the order is not transitive.
  for (let next = 1; next < ranges.length; next++) {
    for (let at = next; at > 0; at--) {
      const [before, range] = [ranges[at - 1], ranges[at]];
      if (before === undefined || range === undefined || !isPreferred(range, before)) break;
      [ranges[at - 1], ranges[at]] = [range, before];
    }
  }
  return ranges;
}

interface RatedRange extends MediaRange {
  readonly quality: number;
}

const maxSortedRanges = 12;

/** A higher `q`, or a type that is named where the other is any. */
function isPreferred(range: RatedRange, other: RatedRange): boolean {
  if (range.quality > other.quality) return true;
  if (!range.type.startsWith("*/") && other.type.startsWith("*/")) return true;
  return !range.type.endsWith("/*") && other.type.endsWith("/*");
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

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaTypePattern = new RegExp(
  `^\\s*(${token}/${token})\\s*(?:;\\s*${token}\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*)*(?:;\\s*)?$`,
);

/**
 * Media type of a Content-Type header, in lower case: JSON if it is absent or empty, as for a Kubernetes API
 * server. A text that is no media type is returned as "", which nothing supports.
 */
export function mediaType(header: string | undefined): string {
  if (header === undefined || header === "") return "application/json";
  return mediaTypePattern.exec(header)?.[1]?.toLowerCase() ?? "";
}

/** Type of a patch: what is before the parameters, letter by letter. */
export function patchTypeOf(header: string | undefined): string {
  return (header ?? "").split(";", 1)[0] ?? "";
}
