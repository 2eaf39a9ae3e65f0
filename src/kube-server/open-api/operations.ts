import { type KindDefinition, verbsOf } from "../api/kind.ts";
import type { Review } from "../api/reviews.ts";
import type { GroupVersionKind, SchemaComponent } from "../api/schema.ts";
import { kindComponent, listComponent, type SharedComponents } from "./components.ts";
import {
  deleteParameters,
  listParameters,
  logParameters,
  nameParameter,
  namespaceParameter,
  type Parameter,
  patchParameters,
  prettyParameter,
  readParameters,
  writeParameters,
} from "./parameters.ts";

/** An API path with its operations, independent of the OpenAPI version. */
export interface ApiPath {
  readonly path: string;
  /** Parameters of all operations. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

export interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** `x-kubernetes-action` */
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** Media types of responses that have a body. */
  readonly produces: readonly string[];
  /** By status code; undefined for a response without a schema. */
  readonly responses: Readonly<Record<string, SchemaComponent | undefined>>;
}

interface RequestBody {
  readonly component: SchemaComponent;
  readonly mediaTypes: readonly string[];
  readonly isRequired: boolean;
}

const objectTypes = ["application/json", "application/yaml"];

const reasons: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

export function reasonOf(code: string): string {
  return reasons[code] ?? "";
}

/** `api/v1`, `apis/<group>/<version>` */
export function groupVersionPath({ group, version }: Pick<GroupVersionKind, "group" | "version">): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** All operations on the objects of a kind. */
export function pathsOf(kind: KindDefinition, shared: SharedComponents): ApiPath[] {
  const root = `/${groupVersionPath(kind)}`;
  const collection = `${root}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}`;
  const scope = kind.namespaced ? [namespaceParameter] : [];
  const object = [nameParameter(kind.kind), ...scope, prettyParameter];
  const operations = operationsOf(kind, shared);
  const isFixed = kind.fixedObjects !== undefined;
  const paths: ApiPath[] = [
    {
      path: collection,
      parameters: [...scope, prettyParameter],
      operations: [
        operations.list(""),
        ...(isFixed ? [] : [operations.create()]),
        ...(verbsOf(kind).includes("deletecollection") ? [operations.deleteCollection()] : []),
      ],
    },
    {
      path: `${collection}/{name}`,
      parameters: object,
      operations: isFixed
        ? [operations.read("")]
        : [operations.read(""), operations.replace(""), operations.patch(""), operations.deleteOne()],
    },
  ];
  if (kind.logs !== undefined) {
    paths.push({ path: `${collection}/{name}/log`, parameters: object, operations: [operations.readLog()] });
  }
  if (kind.statusSubresource) {
    paths.push({
      path: `${collection}/{name}/status`,
      parameters: object,
      operations: [operations.read("Status"), operations.replace("Status"), operations.patch("Status")],
    });
  }
  if (kind.namespaced) {
    const { parameters, ...list } = operations.list("ForAllNamespaces");
    paths.push({
      path: `${root}/${kind.plural}`,
      parameters: [...parameters, prettyParameter].sort((a, b) => (a.name < b.name ? -1 : 1)),
      operations: [{ ...list, parameters: [] }],
    });
  }
  return paths;
}

function operationsOf(kind: KindDefinition, shared: SharedComponents) {
  const own = kindComponent(kind);
  const list = listComponent(kind);
  const { groupVersion, common } = namesOf(kind);
  const scope = kind.namespaced ? "Namespaced" : "";
  const article = /^[AEIOU]/.test(kind.kind) ? "an" : "a";
  const about = (subresource: string) => (subresource === "" ? "the specified" : "status of the specified");
  const patchTypes = [
    "application/json-patch+json",
    "application/merge-patch+json",
    ...(kind.builtIn ? ["application/strategic-merge-patch+json"] : []),
    "application/apply-patch+yaml",
  ];
  const objectBody = { component: own, mediaTypes: objectTypes, isRequired: true };
  const { status, deleteOptions, patch } = shared;
  return {
    list: (where: "" | "ForAllNamespaces"): Operation => ({
      ...common,
      method: "get",
      id: `list${groupVersion}${where === "" ? scope : ""}${kind.kind}${where}`,
      description: `list objects of kind ${kind.kind}`,
      action: "list",
      parameters: listParameters,
      produces: [...objectTypes, "application/json;stream=watch"],
      responses: { 200: list, 401: undefined },
    }),
    readLog: (): Operation => ({
      ...common,
      method: "get",
      id: `read${groupVersion}${scope}${kind.kind}Log`,
      description: `read log of the specified ${kind.kind}`,
      action: "get",
      parameters: logParameters,
      produces: ["text/plain"],
      responses: { 200: undefined, 401: undefined },
    }),
    create: (): Operation => ({
      ...common,
      method: "post",
      id: `create${groupVersion}${scope}${kind.kind}`,
      description: `create ${article} ${kind.kind}`,
      action: "post",
      parameters: writeParameters,
      body: objectBody,
      responses: { 200: own, 201: own, 202: own, 401: undefined },
    }),
    deleteCollection: (): Operation => ({
      ...common,
      method: "delete",
      id: `delete${groupVersion}Collection${scope}${kind.kind}`,
      description: `delete collection of ${kind.kind}`,
      action: "deletecollection",
      parameters: listParameters,
      body: { component: deleteOptions, mediaTypes: objectTypes, isRequired: false },
      responses: { 200: status, 401: undefined },
    }),
    read: (subresource: "" | "Status"): Operation => ({
      ...common,
      method: "get",
      id: `read${groupVersion}${scope}${kind.kind}${subresource}`,
      description: `read ${about(subresource)} ${kind.kind}`,
      action: "get",
      parameters: readParameters,
      responses: { 200: own, 401: undefined },
    }),
    replace: (subresource: "" | "Status"): Operation => ({
      ...common,
      method: "put",
      id: `replace${groupVersion}${scope}${kind.kind}${subresource}`,
      description: `replace ${about(subresource)} ${kind.kind}`,
      action: "put",
      parameters: writeParameters,
      body: objectBody,
      responses: { 200: own, 201: own, 401: undefined },
    }),
    patch: (subresource: "" | "Status"): Operation => ({
      ...common,
      method: "patch",
      id: `patch${groupVersion}${scope}${kind.kind}${subresource}`,
      description: `partially update ${about(subresource)} ${kind.kind}`,
      action: "patch",
      parameters: patchParameters,
      body: { component: patch, mediaTypes: patchTypes, isRequired: true },
      responses: { 200: own, 201: own, 401: undefined },
    }),
    deleteOne: (): Operation => ({
      ...common,
      method: "delete",
      id: `delete${groupVersion}${scope}${kind.kind}`,
      description: `delete ${article} ${kind.kind}`,
      action: "delete",
      parameters: deleteParameters,
      body: { component: deleteOptions, mediaTypes: objectTypes, isRequired: false },
      responses: { 200: status, 202: status, 401: undefined },
    }),
  };
}

/** The only operation on a review: creating it. */
export function pathOfReview(review: Review, component: SchemaComponent): ApiPath {
  const { groupVersion, common } = namesOf(review);
  const create: Operation = {
    ...common,
    method: "post",
    id: `create${groupVersion}${review.kind}`,
    description: `create a ${review.kind}`,
    action: "post",
    parameters: [],
    body: { component, mediaTypes: objectTypes, isRequired: true },
    responses: { 200: component, 201: component, 202: component, 401: undefined },
  };
  const path = `/${groupVersionPath(review)}/${review.plural}`;
  return { path, parameters: [prettyParameter], operations: [create] };
}

/** Names shared by the operations on a kind. */
function namesOf({ group, version, kind }: GroupVersionKind) {
  const name = camelCase(group === "" ? "core" : group);
  return {
    groupVersion: name + upperFirst(version),
    common: {
      tag: `${name.charAt(0).toLowerCase()}${name.slice(1)}_${version}`,
      kind: { group, version, kind },
      produces: objectTypes,
    },
  };
}

/** `TelemetryPlatformapis`; a Kubernetes group loses its domain. */
function camelCase(group: string): string {
  return group
    .replace(/\.k8s\.io$/, "")
    .split(/[.-]/)
    .map(upperFirst)
    .join("");
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
