import { createHash } from "node:crypto";
import {
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  groupVersions,
  resourceList,
} from "../api/discovery.ts";
import type { KindDefinition, PlaneType } from "../api/kind.ts";
import type { JsonObject } from "../api/object.ts";
import { notAcceptable } from "../api/status.ts";
import { type SharedComponents, sharedComponents } from "../open-api/components.ts";
import { openApiV2Document } from "../open-api/document-v2.ts";
import { openApiV3Documents } from "../open-api/document-v3.ts";
import { encodeOpenApiV2 } from "../open-api/protobuf-v2.ts";
import { negotiateDiscovery, negotiateType } from "./negotiate.ts";

/** A document that describes the API, ready to send. */
export interface Document {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Hash of the content, in upper-case hex. Absent if the content depends on the request. */
  readonly hash?: string;
  /** Whether the URL contains the hash, so that its content never changes. */
  readonly isImmutable?: boolean;
}

/** The discovery and OpenAPI documents of a plane. */
export interface Documents {
  /**
   * @returns undefined if the path is not one of these documents
   * @throws StatusError 406
   */
  find(path: string, query: URLSearchParams, accept: string | undefined, host: string): Document | undefined;
}

/** The Kubernetes version implemented; clients compare theirs with it. */
const followedVersion = { major: "1", minor: "32" };

const jsonType = "application/json";

/** The form that kubectl requests; older versions spell it with an @, which is invalid in a media type. */
export const openApiV2Type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const olderOpenApiV2Type = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** The API, as its documents show it. */
export interface ApiDescription {
  readonly title: string;
  /** Build metadata of the version. */
  readonly buildMetadata: string;
  readonly kinds: readonly KindDefinition[];
}

/** @param api of a plane; its documents are built on first request */
function createDocuments(api: ApiDescription, shared: SharedComponents): Documents {
  const { title, kinds } = api;
  const versions = groupVersions(kinds);
  const openApi = once(() => openApiOf(title, kinds, shared));
  const openApiV2 = openApiV2Of(title, kinds, shared);
  const aggregated = new Map<string, Document>();
  return {
    find(path, query, accept, host) {
      if (path === "/version") return document(versionDocument(api));
      if (path === "/openapi/v3") return openApi().index;
      if (path.startsWith("/openapi/v3/")) {
        return openApiDocument(openApi().documents.get(path.slice("/openapi/v3/".length)), query, accept);
      }
      if (path === "/openapi/v2") {
        const type = negotiateType(accept, [jsonType, openApiV2Type, olderOpenApiV2Type]);
        if (type === undefined) throw notAcceptable([jsonType, openApiV2Type]);
        return type === jsonType ? openApiV2.json() : openApiV2.protobuf();
      }
      if (path === "/api" || path === "/apis") {
        const form = negotiateDiscovery(accept);
        if (form === undefined) throw notAcceptable([jsonType]);
        if (form === "plain") return document(path === "/api" ? coreVersions(host) : groupList(versions));
        const which = path === "/api" ? "core" : "named";
        const known = aggregated.get(which + form);
        if (known !== undefined) return known;
        const contentType = `${jsonType};g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
        const made = hashed(contentType, JSON.stringify(aggregatedDiscovery(versions, which, form)));
        aggregated.set(which + form, made);
        return made;
      }
      const found = discoveryDocument(versions, path);
      return found === undefined ? undefined : document(found);
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function document(content: JsonObject): Document {
  return { contentType: jsonType, body: JSON.stringify(content) };
}

function hashed(contentType: string, body: string | Uint8Array): Document {
  return { contentType, body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
}

/** OpenAPI v3 documents by the path of their group version, and their index. */
function openApiOf(
  title: string,
  kinds: readonly KindDefinition[],
  shared: SharedComponents,
): { index: Document; documents: Map<string, Document> } {
  const documents = new Map<string, Document>();
  const paths: JsonObject = {};
  for (const [path, content] of openApiV3Documents(title, kinds, shared)) {
    const made = hashed(jsonType, JSON.stringify(content));
    documents.set(path, made);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${made.hash}` };
  }
  return { index: hashed(jsonType, JSON.stringify({ paths })), documents };
}

/** Both forms, each built on first request. */
function openApiV2Of(
  title: string,
  kinds: readonly KindDefinition[],
  shared: SharedComponents,
): { json: () => Document; protobuf: () => Document } {
  return {
    json: once(() => hashed(jsonType, JSON.stringify(openApiV2Document(title, kinds, shared)))),
    protobuf: once(() => hashed(openApiV2Type, encodeOpenApiV2(openApiV2Document(title, kinds, shared)))),
  };
}

/** If the hash in the URL is outdated, the document is sent but must not be cached. */
function openApiDocument(
  found: Document | undefined,
  query: URLSearchParams,
  accept: string | undefined,
): Document | undefined {
  if (found === undefined) return undefined;
  if (negotiateType(accept, [jsonType]) === undefined) throw notAcceptable([jsonType]);
  return { ...found, isImmutable: query.get("hash") === found.hash };
}

function discoveryDocument(versions: ReturnType<typeof groupVersions>, path: string): JsonObject | undefined {
  const [, root, first, second, ...more] = path.split("/");
  if (more.length > 0) return undefined;
  if (root === "api" && first !== undefined && second === undefined) return resourceList(versions, "", first);
  if (root !== "apis" || first === undefined) return undefined;
  return second === undefined ? groupDocument(versions, first) : resourceList(versions, first, second);
}

function versionDocument({ buildMetadata }: ApiDescription): JsonObject {
  return {
    ...followedVersion,
    gitVersion: `v${followedVersion.major}.${followedVersion.minor}.0+${buildMetadata}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: `${process.platform}/${process.arch}`,
  };
}

/** One set of documents per plane type, and one with all kinds for the server's root. */
export function documentsByPlane(api: ApiDescription): Readonly<Record<PlaneType | "root", Documents>> {
  const shared = sharedComponents(api.kinds);
  const of = (type: PlaneType) => {
    const kinds = api.kinds.filter(({ planes }) => planes.includes(type));
    return createDocuments({ ...api, kinds }, shared);
  };
  return { organization: of("organization"), project: of("project"), root: createDocuments(api, shared) };
}
