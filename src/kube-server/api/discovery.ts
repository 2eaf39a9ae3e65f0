import { createHash } from "node:crypto";
import { defined } from "../../base/core/defined.ts";
import { apiVersionOf, type KindDefinition, singularOf, storedKind, verbsOf } from "./kind.ts";
import type { JsonObject } from "./object.ts";
import { reviews } from "./reviews.ts";

const statusVerbs = ["get", "patch", "update"];

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly hasStatus: boolean;
  readonly hasLog: boolean;
  /** Changes with the stored form, for clients; absent for kinds that are not stored. */
  readonly storageVersionHash?: string;
}

/** All group versions of a plane that serves `kinds`, the core group first. */
export function groupVersions(kinds: readonly KindDefinition[]): GroupVersion[] {
  const found = new Map<string, { group: string; version: string; resources: ServedResource[] }>();
  const add = (group: string, version: string, resource: ServedResource) => {
    const key = `${group}/${version}`;
    const entry = found.get(key) ?? { group, version, resources: [] };
    entry.resources.push(resource);
    found.set(key, entry);
  };
  for (const kind of kinds) add(kind.group, kind.version, served(kind));
  for (const review of reviews) {
    add(review.group, review.version, {
      name: review.plural,
      kind: review.kind,
      namespaced: false,
      verbs: ["create"],
      shortNames: [],
      categories: [],
      hasStatus: false,
      hasLog: false,
    });
  }
  return [...found.values()];
}

function served(kind: KindDefinition): ServedResource {
  return {
    name: kind.plural,
    kind: kind.kind,
    namespaced: kind.namespaced,
    verbs: verbsOf(kind),
    shortNames: kind.shortNames,
    categories: kind.categories,
    hasStatus: kind.statusSubresource,
    hasLog: kind.logs !== undefined,
    storageVersionHash: storageVersionHash(storedKind(kind)),
  };
}

/** As computed by Kubernetes (`discovery.StorageVersionHash`). */
function storageVersionHash({ group, version, kind }: KindDefinition): string {
  const digest = createHash("sha256").update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

/** `/api`: APIVersions. */
export function coreVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis`: APIGroupList. */
export function groupList(versions: readonly GroupVersion[]): JsonObject {
  const groups = [...new Set(versions.map(({ group }) => group))].filter((group) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((group) => apiGroup(versions, group)) };
}

function apiGroup(versions: readonly GroupVersion[], group: string): JsonObject {
  const own = versions
    .filter((each) => each.group === group)
    .map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: own, preferredVersion: own[0] ?? {} };
}

/** `/apis/<group>`: APIGroup, or undefined for a group that is not served. */
export function groupDocument(versions: readonly GroupVersion[], group: string): JsonObject | undefined {
  if (!versions.some((each) => each.group === group)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...apiGroup(versions, group) };
}

/** `/api/v1` and `/apis/<group>/<version>`: APIResourceList, or undefined. */
export function resourceList(
  versions: readonly GroupVersion[],
  group: string,
  version: string,
): JsonObject | undefined {
  const found = versions.find((each) => each.group === group && each.version === version);
  if (found === undefined) return undefined;
  const resources = found.resources.flatMap((resource): JsonObject[] => {
    const { namespaced, kind } = resource;
    const main: JsonObject = defined({
      name: resource.name,
      singularName: singularOf(resource),
      namespaced,
      kind,
      verbs: [...resource.verbs],
      shortNames: unlessEmpty(resource.shortNames),
      categories: unlessEmpty(resource.categories),
      storageVersionHash: resource.storageVersionHash,
    });
    const further = subresources(resource).map(({ name, verbs }) => {
      return { name: `${resource.name}/${name}`, singularName: "", namespaced, kind, verbs };
    });
    return [main, ...further];
  });
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionOf(found), resources };
}

/** Aggregated discovery (apidiscovery.k8s.io): `/api` lists the core group, `/apis` the others. */
export function aggregatedDiscovery(
  versions: readonly GroupVersion[],
  which: "core" | "named",
  version: "v2" | "v2beta1",
): JsonObject {
  const wanted = versions.filter(({ group }) => (group === "") === (which === "core"));
  const groups = [...new Set(wanted.map(({ group }) => group))];
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: wanted
        .filter((each) => each.group === group)
        .map((each) => ({
          version: each.version,
          resources: each.resources.map((resource) => aggregatedResource(each, resource)),
          freshness: "Current",
        })),
    })),
  };
}

function aggregatedResource(place: GroupVersion, resource: ServedResource): JsonObject {
  const responseKind = { group: place.group, version: place.version, kind: resource.kind };
  return defined({
    resource: resource.name,
    responseKind,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singularOf(resource),
    verbs: [...resource.verbs],
    shortNames: unlessEmpty(resource.shortNames),
    categories: unlessEmpty(resource.categories),
    subresources: unlessNone(
      subresources(resource).map(({ name, verbs }) => ({ subresource: name, responseKind, verbs })),
    ),
  });
}

/** Of a resource, in the order of their names. */
function subresources({ hasStatus, hasLog }: ServedResource): { name: string; verbs: string[] }[] {
  return [
    ...(hasLog ? [{ name: "log", verbs: ["get"] }] : []),
    ...(hasStatus ? [{ name: "status", verbs: [...statusVerbs] }] : []),
  ];
}

function unlessNone<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function unlessEmpty(names: readonly string[]): string[] | undefined {
  return names.length === 0 ? undefined : [...names];
}
