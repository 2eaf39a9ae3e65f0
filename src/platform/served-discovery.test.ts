import { describe, expect, test } from "vitest";
import type { JsonObject } from "../kube-server/api/object.ts";
import { documentsByPlane } from "../kube-server/http/documents.ts";
import { servedKinds } from "./served-kinds.ts";

/** Discovery and OpenAPI agree: kubectl finds a kind in one and explains it by the other. */

const documents = documentsByPlane({ title: "test", buildMetadata: "test", kinds: servedKinds("example") });
const planes = ["organization", "project"] as const;
type Plane = (typeof planes)[number];

function json<T = JsonObject>(plane: Plane, path: string): T {
  const found = documents[plane].find(path, new URLSearchParams(), "application/json", "host");
  return JSON.parse(String(found?.body)) as T;
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** `apis/example/v1` with its resources. */
function discovered(plane: Plane): [string, readonly Resource[]][] {
  const { groups } = json<{ groups: { versions: { groupVersion: string }[] }[] }>(plane, "/apis");
  const named = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `apis/${groupVersion}`));
  return ["api/v1", ...named].map((path) => {
    return [path, json<{ resources: Resource[] }>(plane, `/${path}`).resources];
  });
}

interface Operation {
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: Kind;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type Schemas = Readonly<Record<string, { readonly "x-kubernetes-group-version-kind"?: readonly Kind[] }>>;

const verbs: Readonly<Record<string, string>> = { post: "create", put: "update" };

/** `api/v1 configmaps ConfigMap create`, from the paths of a document. */
function offered(paths: Paths): string[] {
  const all = Object.entries(paths).flatMap(([path, item]) => {
    const [, groupVersion = "", rest = ""] = /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
    const resource = rest.replace("namespaces/{namespace}/", "").replace("/{name}", "");
    return Object.values(item).flatMap((operation) => {
      const { "x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind } = operation;
      return action === undefined
        ? []
        : [`${groupVersion} ${resource} ${kind?.kind} ${verbs[action] ?? action}`];
    });
  });
  return [...new Set(all)].sort();
}

/** The same from discovery. A watch is a list with an option. */
function listed(groupVersions: readonly (readonly [string, readonly Resource[]])[]): string[] {
  return groupVersions
    .flatMap(([path, resources]) =>
      resources.flatMap(({ name, kind, verbs: own }) =>
        own.filter((verb) => verb !== "watch").map((verb) => `${path} ${name} ${kind} ${verb}`),
      ),
    )
    .sort();
}

function kindsIn(schemas: Schemas): string[] {
  return Object.values(schemas)
    .flatMap((schema) => schema["x-kubernetes-group-version-kind"] ?? [])
    .map(({ group, version, kind }) => `${group}/${version} ${kind}`);
}

const kindNames = (path: string, resources: readonly Resource[]) =>
  resources.map(({ kind }) => `${path.replace(/^apis?\//, path.startsWith("apis") ? "" : "/")} ${kind}`);

describe.each(planes)("in the control plane of a %s", (plane) => {
  const groupVersions = discovered(plane);

  test("version 3 has a document for each group version, with its operations and kinds", () => {
    const index = json<{ paths: JsonObject }>(plane, "/openapi/v3").paths;
    expect(Object.keys(index).sort()).toEqual(groupVersions.map(([path]) => path).sort());
    for (const [path, resources] of groupVersions) {
      const document = json<{ paths: Paths; components: { schemas: Schemas } }>(plane, `/openapi/v3/${path}`);
      expect(offered(document.paths)).toEqual(listed([[path, resources]]));
      expect(kindsIn(document.components.schemas)).toEqual(
        expect.arrayContaining(kindNames(path, resources)),
      );
    }
  });

  test("version 2 has the operations and kinds of all group versions", () => {
    const document = json<{ paths: Paths; definitions: Schemas }>(plane, "/openapi/v2");
    expect(offered(document.paths)).toEqual(listed(groupVersions));
    for (const [path, resources] of groupVersions) {
      expect(kindsIn(document.definitions)).toEqual(expect.arrayContaining(kindNames(path, resources)));
    }
  });
});
