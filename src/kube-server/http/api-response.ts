import { defined } from "../../base/core/defined.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { KindDefinition } from "../api/kind.ts";
import { apiVersionOf } from "../api/kind.ts";
import { isJsonObject, type JsonObject, type KubeObject } from "../api/object.ts";
import { badRequest, notAcceptable } from "../api/status.ts";
import {
  columnDefinitions,
  type IncludeObject,
  parseIncludeObject,
  partialMetadata,
  tableHead,
  tableRow,
} from "../api/table.ts";
import type { ListedObject, ListPart } from "../resources/list.ts";
import { createListWriter, type Encoding, encodingOf, encodings } from "./encoding.ts";
import { negotiateRepresentation, type ObjectForm } from "./negotiate.ts";

/** A complete response, or one in pieces of text that are sent as they arrive. */
export interface ApiResponse {
  readonly code: number;
  readonly body: JsonObject | AsyncIterable<string>;
  readonly encoding: Encoding;
  readonly warnings?: readonly string[];
}

/** Requested form of the objects. */
export interface Form extends Omit<ObjectForm, "type"> {
  readonly encoding: Encoding;
  /** Part of each object to include in a table. */
  readonly include: IncludeObject;
}

/** The parts of a request that determine the form of its response. */
export interface FormRequest {
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
  readonly userAgent: string;
}

/** @throws StatusError 406, 400 */
export function readForm({ accept, query, userAgent }: FormRequest): Form {
  const negotiated = negotiateRepresentation(accept);
  if (negotiated === undefined) throw notAcceptable(encodings);
  const { representation, metaVersion, type } = negotiated;
  const isTable = representation === "table";
  const include = parseIncludeObject(isTable ? (query.get("includeObject") ?? undefined) : undefined);
  if (include === undefined) throw badRequest("includeObject must be None, Metadata or Object");
  return { representation, metaVersion, include, encoding: encodingOf(type, query, userAgent) };
}

/** One object in the requested form. */
export function objectBody(object: KubeObject, kind: KindDefinition, form: Form, nowMs: number): JsonObject {
  const { representation, metaVersion } = form;
  switch (representation) {
    case "object":
      return object;
    case "metadata":
      return partialMetadata(object, metaVersion);
    case "table": {
      const metadata = { resourceVersion: object.metadata.resourceVersion ?? "" };
      const head = tableHead(columnDefinitions(kind), metadata, metaVersion);
      return { ...head, rows: [tableRow(kind, object, form, nowMs)] };
    }
  }
}

/** Characters of objects that are converted at once: a page of them would delay other requests. */
const convertedAtOnce = 16 * 1024;

/** A list in the requested form, written page by page. `metadata` comes last, because it is known last. */
export async function* listBody(
  parts: AsyncIterable<ListPart>,
  kind: KindDefinition,
  form: Form,
  nowMs: number,
): AsyncGenerator<string> {
  const { representation, metaVersion } = form;
  const writer = createListWriter(form.encoding);
  yield writer.open(listHead(kind, form), representation === "table" ? "rows" : "items");
  let metadata: JsonObject = {};
  const written = ({ json, object }: ListedObject): string => {
    if (representation === "object") return writer.item(json);
    const item =
      representation === "metadata"
        ? partialMetadata(object(), metaVersion)
        : tableRow(kind, object(), form, nowMs);
    return writer.item(JSON.stringify(item));
  };
  const isConverted = representation !== "object" || form.encoding !== "json";
  for await (const part of parts) {
    let items: string[] = [];
    let converted = 0;
    for (const each of part.objects) {
      items.push(written(each));
      converted += isConverted ? each.json.length : 0;
      if (converted <= convertedAtOnce) continue;
      yield items.join("");
      await yieldToEventLoop();
      [items, converted] = [[], 0];
    }
    if (items.length > 0) yield items.join("");
    metadata = { resourceVersion: part.resourceVersion, ...part.end };
  }
  yield writer.close(metadata);
}

function listHead(kind: KindDefinition, { representation, metaVersion }: Form): JsonObject {
  const apiVersion = `meta.k8s.io/${metaVersion}`;
  switch (representation) {
    case "object":
      return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind) };
    case "metadata":
      return { kind: "PartialObjectMetadataList", apiVersion };
    case "table":
      return { kind: "Table", apiVersion, columnDefinitions: columnDefinitions(kind) };
  }
}

/** Response to a completed deletion (meta/v1 Status). */
export function deletedStatus(kind: KindDefinition, object: KubeObject): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: defined({
      name: object.metadata.name ?? "",
      group: kind.group || undefined,
      kind: kind.plural,
      uid: object.metadata.uid ?? "",
    }),
  };
}

/** Name of the only object in a response: a new one's is not in the path. */
export function nameOf({ body, code }: ApiResponse): string | undefined {
  if (code !== 201 || Symbol.asyncIterator in body) return undefined;
  const [row] = Array.isArray(body["rows"]) ? body["rows"] : [];
  const object = isJsonObject(row) ? row["object"] : body;
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
