import { createHash } from "node:crypto";
import { apiVersionOf, type KindDefinition } from "./kinds/kind.ts";
import type { Json, JsonObject } from "./object.ts";
import { objectMetaSchema, wholeObjectSchema } from "./schema/schema.ts";

/** An OpenAPI v3 document of one group version, as it is sent. */
export interface OpenApiDocument {
  /** `api/v1`, `apis/<group>/<version>`. */
  readonly path: string;
  readonly json: string;
  /** Of the content, in upper-case hex; part of the document's URL so that clients can keep it for good. */
  readonly hash: string;
}

const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/** The documents of all group versions among the kinds. */
export function openApiDocuments(kinds: readonly KindDefinition[]): OpenApiDocument[] {
  const versions = new Map<string, KindDefinition[]>();
  for (const kind of kinds) {
    const path = groupVersionPath(kind);
    versions.set(path, [...(versions.get(path) ?? []), kind]);
  }
  return [...versions].map(([path, members]) => {
    const json = JSON.stringify(openApiDocument(path, members));
    return { path, json, hash: createHash("sha512").update(json).digest("hex").toUpperCase() };
  });
}

function groupVersionPath(kind: KindDefinition): string {
  return kind.group === "" ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
}

/** `/openapi/v3`: where the documents are. */
export function openApiIndex(documents: readonly OpenApiDocument[]): JsonObject {
  const entries = documents.map(({ path, hash }) => {
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(entries) };
}

function openApiDocument(path: string, kinds: readonly KindDefinition[]): JsonObject {
  return {
    openapi: "3.0.0",
    info: { title: "telemetryd platform", version: path },
    paths: Object.assign({}, ...kinds.map((kind) => kindPaths(path, kind))) as JsonObject,
    components: {
      schemas: {
        ...metaSchemas(),
        ...(Object.assign({}, ...kinds.map((kind) => kindSchemas(kind))) as JsonObject),
      },
    },
  };
}

/** The name of a kind's schema: the group's domain reversed, as Kubernetes writes it. */
function schemaName(kind: KindDefinition): string {
  if (kind.group === "") return `io.k8s.api.core.${kind.version}.${kind.kind}`;
  return `${kind.group.split(".").reverse().join(".")}.${kind.version}.${kind.kind}`;
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function kindSchemas(kind: KindDefinition): JsonObject {
  const { group, version } = kind;
  const whole = wholeObjectSchema(kind.schema);
  const metadata = {
    description: "Standard object metadata.",
    allOf: [reference(`${metaPrefix}ObjectMeta`)],
  };
  const object: JsonObject = {
    ...(whole as unknown as JsonObject),
    properties: { ...(whole.properties as unknown as JsonObject), metadata },
    "x-kubernetes-group-version-kind": [{ group, version, kind: kind.kind }],
  };
  const list: JsonObject = {
    type: "object",
    description: `A list of ${kind.kind}.`,
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: "The group and version of this list." },
      kind: { type: "string", description: "The kind of this list." },
      metadata: { description: "Standard list metadata.", allOf: [reference(`${metaPrefix}ListMeta`)] },
      items: { type: "array", description: "The objects.", items: reference(schemaName(kind)) },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: `${kind.kind}List` }],
  };
  return { [schemaName(kind)]: object, [`${schemaName(kind)}List`]: list };
}

function metaSchemas(): JsonObject {
  const text: JsonObject = { type: "string" };
  const described = (description: string): JsonObject => ({ ...text, description });
  const anyGroup = [{ group: "", version: "v1", kind: "DeleteOptions" }];
  return {
    [`${metaPrefix}ObjectMeta`]: objectMetaSchema as unknown as Json,
    [`${metaPrefix}ListMeta`]: {
      type: "object",
      description: "Metadata of a list.",
      properties: {
        continue: described("Set where there is more; the token for the next part."),
        remainingItemCount: { type: "integer", format: "int64", description: "How many more there are." },
        resourceVersion: described("The version that the list shows."),
      },
    },
    [`${metaPrefix}DeleteOptions`]: {
      type: "object",
      description: "How to delete.",
      properties: {
        apiVersion: text,
        kind: text,
        dryRun: { type: "array", items: text },
        gracePeriodSeconds: { type: "integer", format: "int64" },
        orphanDependents: { type: "boolean" },
        propagationPolicy: text,
        preconditions: {
          type: "object",
          properties: { uid: text, resourceVersion: text },
        },
      },
      "x-kubernetes-group-version-kind": anyGroup,
    },
    [`${metaPrefix}Status`]: {
      type: "object",
      description: "The answer to a request that returns no object.",
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Status" }],
    },
  };
}

const queryParameters = {
  list: [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
  ].concat(["resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch"]),
  create: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
  delete: ["dryRun", "gracePeriodSeconds", "propagationPolicy"],
};

const parameterTypes: Readonly<Record<string, string>> = {
  allowWatchBookmarks: "boolean",
  sendInitialEvents: "boolean",
  watch: "boolean",
  force: "boolean",
  limit: "integer",
  timeoutSeconds: "integer",
  gracePeriodSeconds: "integer",
};

function parameters(names: readonly string[]): JsonObject[] {
  return names.map((name) => ({
    name,
    in: "query",
    schema: { type: parameterTypes[name] ?? "string", uniqueItems: true },
  }));
}

function kindPaths(path: string, kind: KindDefinition): JsonObject {
  const base = `/${path}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}`;
  const inPath = (name: string): JsonObject => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  });
  const scope = kind.namespaced ? [inPath("namespace")] : [];
  const objectPath = (tail: string): JsonObject => ({
    [`${base}/{name}${tail}`]: {
      parameters: [inPath("name"), ...scope],
      get: operation(kind, "get", "get", []),
      put: operation(kind, "put", "update", queryParameters.create),
      patch: operation(kind, "patch", "patch", queryParameters.patch),
      ...(tail === "" ? { delete: operation(kind, "delete", "delete", queryParameters.delete) } : {}),
    },
  });
  return {
    [base]: {
      ...(scope.length === 0 ? {} : { parameters: scope }),
      get: operation(kind, "list", "list", queryParameters.list),
      post: operation(kind, "post", "create", queryParameters.create),
      delete: operation(kind, "deletecollection", "deleteCollection", queryParameters.list),
    },
    ...objectPath(""),
    ...(kind.statusSubresource ? objectPath("/status") : {}),
    ...(kind.namespaced
      ? { [`/${path}/${kind.plural}`]: { get: operation(kind, "list", "listAll", queryParameters.list) } }
      : {}),
  };
}

function operation(kind: KindDefinition, action: string, name: string, query: readonly string[]): JsonObject {
  const isList = action === "list";
  const schema = reference(isList ? `${schemaName(kind)}List` : schemaName(kind));
  const takesObject = action === "post" || action === "put";
  const patchTypes = ["application/json-patch+json", "application/merge-patch+json"]
    .concat(kind.builtIn ? ["application/strategic-merge-patch+json"] : [])
    .concat(["application/apply-patch+yaml"]);
  return {
    description: `${name} ${kind.plural}`,
    operationId: `${name}${apiVersionOf(kind).replace(/[^A-Za-z0-9]+/g, "_")}_${kind.kind}`,
    parameters: parameters(query),
    ...(takesObject ? { requestBody: { content: { "application/json": { schema } } } } : {}),
    ...(action === "patch"
      ? { requestBody: { content: Object.fromEntries(patchTypes.map((type) => [type, { schema: {} }])) } }
      : {}),
    responses: { "200": { description: "OK", content: { "application/json": { schema } } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
  };
}
