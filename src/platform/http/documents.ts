import { version as programVersion } from "../../core/version.ts";
import {
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  groupVersions,
  resourceList,
} from "../discovery.ts";
import { openApiV2Document, openApiV2Type } from "../encoding/open-api-v2.ts";
import type { KindDefinition, PlaneType } from "../kinds/kind.ts";
import type { JsonObject } from "../object.ts";
import { type OpenApiDocument, openApiDocuments, openApiIndex } from "../open-api.ts";
import { notAcceptable } from "../status.ts";
import { negotiateDiscovery, parseMediaRanges } from "./negotiate.ts";

/** A document that says what is served, ready to be sent. */
export interface Document {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Set where the content can be kept for as long as its URL is the same. */
  readonly hash?: string;
}

/** The documents by which clients find out what a plane serves. */
export interface Documents {
  /** @returns undefined for a path that is no such document */
  find(path: string, query: URLSearchParams, accept: string | undefined, host: string): Document | undefined;
}

/** Kubernetes' version whose behaviour is followed; clients compare theirs with it. */
const followedVersion = { major: "1", minor: "32" };

/** @param kinds those that the plane serves */
export function createDocuments(kinds: readonly KindDefinition[]): Documents {
  const versions = groupVersions(kinds);
  const openApi = openApiDocuments(kinds);
  const index = openApiIndex(openApi);
  const openApiV2 = openApiV2Document(kinds);
  return {
    find(path, query, accept, host) {
      if (path === "/version") return document(versionDocument());
      if (path === "/openapi/v3") return document(index);
      if (path.startsWith("/openapi/v3/")) return openApiDocument(openApi, path, query);
      if (path === "/openapi/v2") {
        // Only for kubectl's check of Lists: whoever takes another form is told to use version 3.
        const isAsked = parseMediaRanges(accept ?? "").some(({ type }) => type === openApiV2Type);
        return isAsked ? { contentType: openApiV2Type, body: openApiV2 } : undefined;
      }
      const isRoot = path === "/api" || path === "/apis";
      if (isRoot) {
        const form = negotiateDiscovery(accept);
        if (form === undefined) throw notAcceptable(["application/json"]);
        if (form === "plain") return document(path === "/api" ? coreVersions(host) : groupList(versions));
        const which = path === "/api" ? "core" : "named";
        const contentType = `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
        return { contentType, body: JSON.stringify(aggregatedDiscovery(versions, which, form)) };
      }
      const found = discoveryDocument(versions, path);
      return found === undefined ? undefined : document(found);
    },
  };
}

function document(content: JsonObject): Document {
  return { contentType: "application/json", body: JSON.stringify(content) };
}

function discoveryDocument(versions: ReturnType<typeof groupVersions>, path: string): JsonObject | undefined {
  const [, root, first, second, ...more] = path.split("/");
  if (more.length > 0) return undefined;
  if (root === "api" && first !== undefined && second === undefined) return resourceList(versions, "", first);
  if (root !== "apis" || first === undefined) return undefined;
  return second === undefined ? groupDocument(versions, first) : resourceList(versions, first, second);
}

/** A document whose URL carries another hash than its content has is still given, but must not be kept. */
function openApiDocument(
  documents: readonly OpenApiDocument[],
  path: string,
  query: URLSearchParams,
): Document | undefined {
  const found = documents.find((each) => path === `/openapi/v3/${each.path}`);
  if (found === undefined) return undefined;
  const isCurrent = query.get("hash") === found.hash;
  return { contentType: "application/json", body: found.json, ...(isCurrent ? { hash: found.hash } : {}) };
}

function versionDocument(): JsonObject {
  return {
    ...followedVersion,
    gitVersion: `v${followedVersion.major}.${followedVersion.minor}.0+telemetryd.${programVersion}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: `${process.platform}/${process.arch}`,
  };
}

/** One set of documents for each type of plane, and one over all kinds for the server's root. */
export function documentsByPlane(
  kinds: readonly KindDefinition[],
): Readonly<Record<PlaneType | "root", Documents>> {
  const of = (type: PlaneType) => createDocuments(kinds.filter(({ planes }) => planes.includes(type)));
  return { organization: of("organization"), project: of("project"), root: createDocuments(kinds) };
}
