import type { KindDefinition } from "../kinds/kind.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import type { JsonObject, KubeObject } from "../object.ts";
import type { ListPart } from "../resources/list.ts";
import { badRequest, notAcceptable } from "../status.ts";
import {
  columnDefinitions,
  type IncludeObject,
  parseIncludeObject,
  partialMetadata,
  tableHead,
  tableRow,
} from "../table.ts";
import { negotiateRepresentation, type ObjectForm } from "./negotiate.ts";

/** An answer in full, or in pieces of JSON that are sent as they come. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject | AsyncIterable<string>;
  readonly warnings?: readonly string[];
}

/** How the client wants objects to be written. */
export interface Form extends ObjectForm {
  /** Of an object in a table. */
  readonly include: IncludeObject;
}

/** @throws StatusError 406, 400 */
export function readForm(accept: string | undefined, query: URLSearchParams): Form {
  const negotiated = negotiateRepresentation(accept);
  if (negotiated === undefined) throw notAcceptable(["application/json"]);
  const isTable = negotiated.representation === "table";
  const include = parseIncludeObject(isTable ? (query.get("includeObject") ?? undefined) : undefined);
  if (include === undefined) throw badRequest("includeObject must be None, Metadata or Object");
  return { ...negotiated, include };
}

/** One object in the form that the client wants. */
export function objectBody(object: KubeObject, kind: KindDefinition, form: Form, nowMs: number): JsonObject {
  switch (form.representation) {
    case "object":
      return object;
    case "metadata":
      return partialMetadata(object, form.metaVersion);
    case "table": {
      const { resourceVersion = "" } = object.metadata;
      const head = tableHead(columnDefinitions(kind), { resourceVersion }, form.metaVersion);
      return { ...head, rows: [tableRow(kind, object, form, nowMs)] };
    }
  }
}

/** A list in the form that the client wants, written as its parts come. `metadata` is last, being known last. */
export async function* listBody(
  parts: AsyncIterable<ListPart>,
  kind: KindDefinition,
  form: Form,
  nowMs: number,
): AsyncGenerator<string> {
  yield listHead(kind, form);
  let isFirst = true;
  let metadata: JsonObject = {};
  for await (const part of parts) {
    const items = part.objects.map(({ json, object }) => {
      if (form.representation === "object") return json;
      if (form.representation === "metadata")
        return JSON.stringify(partialMetadata(object(), form.metaVersion));
      return JSON.stringify(tableRow(kind, object(), form, nowMs));
    });
    if (items.length > 0) yield `${isFirst ? "" : ","}${items.join(",")}`;
    isFirst &&= items.length === 0;
    metadata = { resourceVersion: part.resourceVersion, ...part.end };
  }
  yield `],"metadata":${JSON.stringify(metadata)}}\n`;
}

function listHead(kind: KindDefinition, form: Form): string {
  switch (form.representation) {
    case "object":
      return `{"kind":"${kind.kind}List","apiVersion":"${apiVersionOf(kind)}","items":[`;
    case "metadata":
      return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${form.metaVersion}","items":[`;
    case "table": {
      const columns = JSON.stringify(columnDefinitions(kind));
      return `{"kind":"Table","apiVersion":"meta.k8s.io/${form.metaVersion}","columnDefinitions":${columns},"rows":[`;
    }
  }
}

/** The answer to a deletion that is done (meta/v1 Status). */
export function deletedStatus(kind: KindDefinition, object: KubeObject): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: object.metadata.name ?? "",
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.plural,
      uid: object.metadata.uid ?? "",
    },
  };
}
