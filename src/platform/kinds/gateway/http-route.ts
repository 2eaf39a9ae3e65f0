import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { conditionsSchema } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { type JsonObject, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  integerField,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";
import { declaredInProjects } from "../declared-in-projects.ts";
import { endpointSliceNames } from "../discovery/endpoint-slice.ts";
import { keysOf, type NamespacedName, referent } from "../references.ts";
import { backendFilters, checkFilters } from "./filter-rules.ts";
import { gatewayNames } from "./gateway.ts";
import { checkHostname, hostnameSchema } from "./hostname-rules.ts";
import { type Granted, grantsFor } from "./reference-grant.ts";
import { checkRouteRules } from "./route-rules.ts";
import {
  backendFields,
  filtersSchema,
  matchesSchema,
  maxRules,
  portField,
  ruleName,
} from "./route-schema.ts";
import { retryCodes, retrySchema, timeoutsSchema } from "./time-schema.ts";

const parentRef: Schema = objectField("A gateway, or one of its listeners.", ["name"], {
  group: { ...textField("Group of the parent."), default: gatewayNames.group },
  kind: { ...textField("Kind of the parent."), default: gatewayNames.kind },
  namespace: textField("Namespace of the parent. Defaults to the route's."),
  name: { ...textField("Name of the parent."), minLength: 1, maxLength: 253 },
  sectionName: textField("Name of a listener. Defaults to all of them."),
  port: portField("Port of a listener. Defaults to all of them."),
});

const backendRef: Schema = objectField("An EndpointSlice that requests are forwarded to.", ["name"], {
  ...backendFields,
  weight: {
    ...integerField("int32", "Share of the requests, beside the rule's other backends; 0: none."),
    default: 1,
    minimum: 0,
    maximum: 1_000_000,
  },
  filters: filtersSchema("Changes to what this backend gets, and to what it responds with."),
});

const rules: Schema = {
  type: "array",
  description: "The rules; the most specific match decides, then their order.",
  default: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }],
  minItems: 1,
  maxItems: maxRules,
  "x-kubernetes-list-type": "atomic",
  items: listItem([], {
    name: ruleName,
    matches: matchesSchema,
    filters: filtersSchema("Changes to the request and the response, or a redirect."),
    backendRefs: atomicList(backendRef, "The backends, which share the requests by weight.", {
      maxItems: 16,
    }),
    timeouts: timeoutsSchema,
    retry: retrySchema,
  }),
};

const parentStatus: Schema = listItem(["parentRef", "controllerName"], {
  parentRef,
  controllerName: textField("The controller that wrote this entry."),
  conditions: conditionsSchema,
});

/** Where the requests of a gateway go (Gateway API). Made for an HTTPProxy, or by users. */
export const httpRouteKind: KindDefinition = {
  group: gatewayNames.group,
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  ...declaredInProjects,
  statusWriters: "members",
  categories: ["gateway-api"],
  schema: objectField("HTTPRoute says where the requests of a Gateway go.", ["spec"], {
    spec: objectField("Which requests go where.", [], {
      parentRefs: atomicList(parentRef, "The gateways whose requests the rules are for.", { maxItems: 32 }),
      hostnames: atomicList(
        hostnameSchema("A hostname; `*.` stands for one label or more."),
        "Hostnames that the rules are for. Defaults to all of the listeners.",
        { maxItems: 16 },
      ),
      rules,
    }),
    status: {
      type: "object",
      description: "What is known of the route at each parent.",
      default: { parents: [] },
      required: ["parents"],
      properties: {
        parents: atomicList(parentStatus, "One entry for each parent.", { maxItems: 32 }),
      },
    },
  }),
  columns: [fieldColumn("Hostnames", "Names that the route is for.", ["spec", "hostnames"]), ageColumn],
  validate(route) {
    const faults = new FaultList();
    checkParentRefs(objectsIn(fieldAt(route, ["spec", "parentRefs"])), faults);
    const list = fieldAt(route, ["spec", "rules"]);
    checkRouteRules(list, "spec.rules", "backendRefs", faults);
    for (const [index, name] of stringList(fieldAt(route, ["spec", "hostnames"])).entries()) {
      checkHostname(name, `spec.hostnames[${index}]`, faults);
    }
    for (const [index, { backendRefs, timeouts, retry }] of objectsIn(list).entries()) {
      if (faults.isFull) break;
      checkBackendRefs(backendRefs, `spec.rules[${index}].backendRefs`, faults);
      checkTimeouts(timeouts, `spec.rules[${index}].timeouts`, faults);
      checkRetry(retry, `spec.rules[${index}].retry`, faults);
    }
    return faults.errors;
  },
  references: (route) => [
    ...keysOf([
      ...parentsOf(route).map(({ gateway }) => [gatewayNames, gateway] as const),
      ...backendsOf(route).map((slice) => [endpointSliceNames, slice] as const),
    ]),
    ...grantsFor(route, backendsOf(route)),
  ],
};

/** A Gateway that a route names as its parent. */
export interface RouteParent {
  readonly gateway: NamespacedName;
  /** As the route has it. */
  readonly ref: JsonObject;
}

/** The Gateways among the parents of a route, in its order. */
export function parentsOf(route: KubeObject): RouteParent[] {
  return objectsIn(fieldAt(route, ["spec", "parentRefs"])).flatMap((ref) => {
    const isGateway = ref["group"] === gatewayNames.group && ref["kind"] === gatewayNames.kind;
    const gateway = referent(ref, route.metadata.namespace);
    return isGateway && gateway !== undefined ? [{ gateway, ref }] : [];
  });
}

/** What the filters of a rule send copies of its requests to. */
export function mirrorBackends({ filters }: JsonObject): JsonObject[] {
  return mirrorFilters(filters).flatMap(({ backendRef }) => objectsIn([backendRef ?? null]));
}

/** The settings of a rule's filters of the type RequestMirror. */
export function mirrorFilters(filters: Field): JsonObject[] {
  const own = objectsIn(filters).filter(({ type }) => type === "RequestMirror");
  return own.flatMap(({ requestMirror }) => objectsIn([requestMirror ?? null]));
}

/** The EndpointSlices that a route names as backends, of copies too; see {@link isPermitted} for those of other namespaces. */
export function backendsOf(route: KubeObject): NamespacedName[] {
  const rules = objectsIn(fieldAt(route, ["spec", "rules"]));
  const refs = rules.flatMap((rule) => [...objectsIn(rule["backendRefs"]), ...mirrorBackends(rule)]);
  return refs.filter(isEndpointSlice).flatMap((ref) => referent(ref, route.metadata.namespace) ?? []);
}

/** Whether routes of a namespace may forward to a slice. */
export function isPermitted(namespace: string, slice: NamespacedName, granted: Granted): boolean {
  const from = { group: httpRouteKind.group, kind: httpRouteKind.kind, namespace };
  return granted.permits(from, { group: endpointSliceNames.group, kind: endpointSliceNames.kind, ...slice });
}

/** The backends that share a rule's requests: one without weight gets none (HTTPBackendRef.weight). */
export function weightedBackends({ backendRefs }: JsonObject): JsonObject[] {
  return objectsIn(backendRefs).filter(({ weight }) => weight !== 0);
}

/** The only kind of backend that requests are forwarded to. */
export function isEndpointSlice(backendRef: JsonObject): boolean {
  return backendRef["group"] === endpointSliceNames.group && backendRef["kind"] === endpointSliceNames.kind;
}

/** Several references to one parent name different listeners. */
function checkParentRefs(refs: readonly JsonObject[], faults: FaultList): void {
  const byParent = new Map<string, string[]>();
  for (const { group, kind, namespace, name, sectionName } of refs) {
    const parent = JSON.stringify([group, kind, namespace ?? "", name]);
    byParent.set(parent, [...(byParent.get(parent) ?? []), String(sectionName ?? "")]);
  }
  const all = [...byParent.values()];
  const fault = (rule: string): void => {
    const why = `sectionName must be ${rule} when parentRefs includes 2 or more references to the same parent`;
    faults.add(invalidValue("spec.parentRefs", "array", why));
  };
  if (all.some((names) => names.includes("") && names.some((each) => each !== ""))) fault("specified");
  if (all.some((names) => new Set(names).size < names.length)) fault("unique");
}

type Field = Parameters<typeof fieldAt>[0];

function checkBackendRefs(list: Field, path: string, faults: FaultList): void {
  const refs = objectsIn(list);
  for (const [index, ref] of refs.entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    // Other kinds and namespaces are reported in the route's status.
    const isService = ref["group"] === "" && ref["kind"] === "Service";
    if (ref["port"] === undefined && (isService || isEndpointSlice(ref))) {
      faults.add(requiredValue(`${place}.port`));
    }
    checkFilters(ref["filters"], backendFilters, `${place}.filters`, faults);
  }
}

function checkTimeouts(timeouts: Field, path: string, faults: FaultList): void {
  const request = durationMs(fieldAt(timeouts, ["request"]));
  const backendRequest = durationMs(fieldAt(timeouts, ["backendRequest"]));
  if (request === undefined || backendRequest === undefined || request === 0) return;
  if (backendRequest <= request) return;
  const why = "backendRequest timeout cannot be longer than request timeout";
  faults.add(invalidValue(path, "object", why));
}

function checkRetry(retry: Field, path: string, faults: FaultList): void {
  const codes = fieldAt(retry, ["codes"]);
  for (const [index, code] of (Array.isArray(codes) ? codes : []).entries()) {
    if (faults.isFull) return;
    if (retryCodes.some((each) => each === code)) continue;
    faults.add(unsupportedValue(`${path}.codes[${index}]`, code, retryCodes.map(String)));
  }
  const backoff = fieldAt(retry, ["backoff"]);
  if (backoff !== undefined) {
    faults.add(
      invalidValue(`${path}.backoff`, backoff, "is not supported: the next attempt follows at once"),
    );
  }
}

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Ms of a duration of the Gateway API (GEP-2257), such as `1m30s`. */
export function durationMs(text: Field): number | undefined {
  if (typeof text !== "string") return undefined;
  let sum = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)(ms|h|m|s)/g)) {
    sum += Number(count) * unitMs[unit as keyof typeof unitMs];
  }
  return sum;
}
