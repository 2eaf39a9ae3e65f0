import { describe, expect, test } from "vitest";
import { admitted, objectOf } from "../../../../test/support/plane/admission.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { AllowedNamespaces } from "../../kinds/gateway/allowed-namespaces.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { Granted, referenceGrantKind } from "../../kinds/gateway/reference-grant.ts";
import { programLimits } from "../../routing/program-limits.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";
import {
  attachedCount,
  attachedRoutes,
  hostnamesOfGateway,
  resolvedRefs,
  routesOfGateway,
  withoutFormerParents,
  withParents,
} from "./route-parents.ts";

const controllerName = "gateway.networking.example/external-global-proxy-controller";
const now = "2026-02-02T00:00:00Z";
const gateway = objectOf(gatewayKind("example"), "g", {
  spec: {
    listeners: [
      { name: "web", port: 80, protocol: "HTTP" },
      { name: "tls", port: 443, protocol: "HTTPS" },
    ],
  },
});

function routeOf(parentRefs: Json, fields: JsonObject = {}): KubeObject {
  const { metadata = {}, status, ...spec } = fields;
  const route = objectOf(httpRouteKind, "r", {
    metadata: { generation: 4, ...(metadata as JsonObject) },
    spec: { parentRefs, ...spec },
  });
  const whole = admitted(route, httpRouteKind);
  return status === undefined ? whole : { ...whole, status };
}

test.each<[ref: JsonObject, reason: string, listeners: string[]]>([
  [{}, "Accepted", ["web", "tls"]],
  [{ sectionName: "tls" }, "Accepted", ["tls"]],
  [{ port: 80 }, "Accepted", ["web"]],
  [{ port: 80, sectionName: "tls" }, "NoMatchingParent", []],
  [{ sectionName: "other" }, "NoMatchingParent", []],
])("a reference with %j: %s", (ref, reason, listeners) => {
  const [found] = routesOfGateway(gateway, [routeOf([{ name: "g", ...ref }])]);
  const [attachment] = found?.attachments ?? [];
  expect(attachment?.accepted.reason).toBe(reason);
  expect(attachment?.listeners.map(({ name }) => name)).toEqual(listeners);
});

test("a listener for other kinds takes no HTTPRoute", () => {
  const kinds = { allowedRoutes: { kinds: [{ group: "gateway.networking.k8s.io", kind: "GRPCRoute" }] } };
  const other = objectOf(gatewayKind("example"), "g", {
    spec: {
      listeners: [
        { name: "web", port: 80, protocol: "HTTP", ...kinds },
        { name: "tls", port: 443, protocol: "HTTPS" },
      ],
    },
  });
  const attachmentTo = (ref: JsonObject) => {
    const [found] = routesOfGateway(other, [routeOf([{ name: "g", ...ref }])]);
    const [{ accepted, listeners } = { accepted: undefined, listeners: [] }] = found?.attachments ?? [];
    return [accepted?.reason, listeners.map(({ name }) => name)];
  };
  expect(attachmentTo({ sectionName: "web" })).toEqual(["NotAllowedByListeners", []]);
  expect(attachmentTo({})).toEqual(["Accepted", ["tls"]]);
});

test("a gateway of the same name in another namespace is another", () => {
  const [found] = routesOfGateway(gateway, [routeOf([{ name: "g", namespace: "far" }])]);
  expect(found?.attachments).toEqual([]);
});

test("a listener counts the routes that are attached to it, by whichever reference", () => {
  const both = routeOf([
    { name: "g", sectionName: "tls" },
    { name: "g", sectionName: "web" },
  ]);
  const one = routeOf([{ name: "g", sectionName: "tls" }], { metadata: { name: "s" } });
  const found = routesOfGateway(gateway, [both, one]);
  expect(["web", "tls", "other"].map((name) => attachedCount({ name }, found))).toEqual([1, 2, 0]);
});

test("other parents, and routes of other namespaces, are not attached", () => {
  const others = routeOf([{ name: "other" }, { name: "g", kind: "Service", group: "" }]);
  const foreign = routeOf([{ name: "g", namespace: "default" }], { metadata: { namespace: "far" } });
  const found = routesOfGateway(gateway, [others, foreign]);
  expect(found.map(({ attachments }) => attachments.map(({ accepted }) => accepted.reason))).toEqual([
    [],
    ["NotAllowedByListeners"],
  ]);
  expect(attachedRoutes(found)).toEqual([]);
});

describe("a listener takes routes of the namespaces that it allows", () => {
  const labels = new Map([
    ["default", { team: "web" }],
    ["shop", { team: "shop", tier: "1" }],
    ["far", {}],
  ]);
  const expressions = (operator: string, values?: string[]) => ({
    from: "Selector",
    selector: { matchExpressions: [{ key: "team", operator, ...(values && { values }) }] },
  });

  test.each<[allowed: JsonObject | undefined, from: string[]]>([
    [undefined, ["default"]],
    [{ from: "Same" }, ["default"]],
    [{ from: "All" }, ["default", "shop", "far"]],
    [{ from: "None" }, []],
    [{ from: "Selector", selector: {} }, ["default", "shop", "far"]],
    [{ from: "Selector", selector: { matchLabels: { team: "shop" } } }, ["shop"]],
    [{ from: "Selector", selector: { matchLabels: { team: "shop", tier: "2" } } }, []],
    [expressions("In", ["web", "shop"]), ["default", "shop"]],
    [expressions("NotIn", ["web"]), ["shop", "far"]],
    [expressions("Exists"), ["default", "shop"]],
    [expressions("DoesNotExist"), ["far"]],
  ])("%j: %j", (allowed, from) => {
    const web = { name: "web", port: 80, protocol: "HTTP", hostname: "a.example" };
    const listeners = [{ ...web, ...(allowed && { allowedRoutes: { namespaces: allowed } }) }];
    const allowing = objectOf(gatewayKind("example"), "g", { spec: { listeners } });
    const names = [...labels.keys()];
    const routes = names.map((namespace) =>
      routeOf([{ name: "g", namespace: "default" }], { metadata: { namespace, uid: namespace } }),
    );
    const held: HostnameStates = new Map([["a.example", { kind: "held" }]]);
    const namespaces = new AllowedNamespaces(allowing, labels);
    const found = routesOfGateway(allowing, routes, held, undefined, undefined, namespaces);
    const attached = attachedRoutes(found).map(({ route }) => route.metadata.namespace);
    expect(attached.sort()).toEqual([...from].sort());
    const refused = found.filter(({ attachments }) => attachments[0]?.accepted.status === "False");
    expect(new Set(refused.map(({ attachments }) => attachments[0]?.accepted.reason))).toEqual(
      new Set(from.length === names.length ? [] : ["NotAllowedByListeners"]),
    );
  });

  test("a route that it does not take lets the gateway need no hostname", () => {
    const route = routeOf([{ name: "g", namespace: "default" }], {
      ...{ metadata: { namespace: "far" }, hostnames: ["b.example"] },
    });
    expect(hostnamesOfGateway(gateway, [route])).toEqual([]);
  });
});

test("of too many matches, the oldest routes are attached", () => {
  const matches = Array.from({ length: 64 }, (_, index) => ({ path: { value: `/${index}` } }));
  const rules = [{ matches }, { matches }];
  const routes = Array.from({ length: programLimits.matches / 128 + 1 }, (_, index) =>
    routeOf([{ name: "g" }], {
      metadata: { name: `r${index}`, creationTimestamp: `2026-01-${20 - index}T00:00:00Z` },
      rules,
    }),
  );
  const found = routesOfGateway(gateway, routes);
  expect(attachedRoutes(found).map(({ route }) => route.metadata.name)).not.toContain("r0");
  expect(attachedRoutes(found)).toHaveLength(routes.length - 1);
  expect(found.at(-1)?.attachments[0]?.accepted.reason).toBe("TooManyMatches");
  expect(attachedCount({ name: "web" }, found)).toBe(routes.length - 1);
});

test("of too many rules, the oldest routes are attached, and smaller ones that still fit", () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({}));
  const route = (name: string, count: number) =>
    routeOf([{ name: "g" }], {
      metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
      rules: rules(count),
    });
  const full = Array.from({ length: programLimits.rules / 16 - 1 }, (_, index) =>
    route(`a${10 + index}`, 16),
  );
  const found = routesOfGateway(gateway, [
    ...full,
    route("b", 15),
    route("c", 2),
    route("d", 1),
    route("e", 1),
  ]);
  const refused = found.flatMap(({ route: { metadata }, attachments: [first] }) =>
    first?.accepted.status === "False"
      ? [[metadata.name, first.accepted.reason, first.accepted.message]]
      : [],
  );
  const why =
    "The Gateway's routes have more than 256 rules and backends that share a rule's requests; older routes come first." +
    " Delete some of them, or attach this route to another Gateway";
  expect(refused).toEqual([
    ["c", "TooManyRules", why],
    ["e", "TooManyRules", why],
  ]);
  const programRules = attachedRoutes(found).map(
    ({ route: { spec } }) => (spec as JsonObject)["rules"] as Json[],
  );
  expect(programRules.flat()).toHaveLength(programLimits.rules);
});

test("a route that is not attached takes no place; of one that is refused, each reference says why", () => {
  const matches = Array.from({ length: 64 }, (_, index) => ({ path: { value: `/${index}` } }));
  const large = (second: number, ...parentRefs: JsonObject[]) =>
    routeOf(parentRefs, {
      metadata: { name: `r${second}`, creationTimestamp: `2026-01-01T00:00:${second}Z` },
      rules: [{ matches }, { matches }],
    });
  const here = { name: "g", sectionName: "web" };
  const nowhere = { name: "g", sectionName: "other" };
  const fitting = Array.from({ length: programLimits.matches / 128 }, (_, index) =>
    large(11 + index, here, nowhere),
  );
  const reasons = routesOfGateway(gateway, [large(10, nowhere), ...fitting, large(59, here, nowhere)]).map(
    ({ attachments }) => attachments.map(({ accepted, listeners }) => [accepted.reason, listeners.length]),
  );
  const refused = ["NoMatchingParent", 0];
  expect(reasons).toEqual([
    [refused],
    ...fitting.map(() => [["Accepted", 1], refused]),
    [["TooManyMatches", 0], refused],
  ]);
});

describe("backends", () => {
  const to = (name: string, port = 80) => ({
    backendRefs: [{ group: "discovery.k8s.io", kind: "EndpointSlice", name, port }],
  });
  const slice = objectOf(endpointSliceKind, "s", { endpoints: [], ports: [{ port: 80 }] });
  const slices = new Map([[objectKey(endpointSliceKind, "default", "s"), slice]]);
  const backends = { slices, granted: new Granted([]) };
  const backend = { group: "discovery.k8s.io", kind: "EndpointSlice", name: "s", port: 80 };

  test.each<[rules: Json, reason: string, message: string]>([
    [[to("s")], "ResolvedRefs", "Resolved all the Object references for the Route"],
    [[{}], "ResolvedRefs", "Resolved all the Object references for the Route"],
    [[to("s"), to("t")], "BackendNotFound", 'EndpointSlice "t" not found'],
    [
      [{ backendRefs: [{ name: "s", port: 80 }] }],
      "InvalidKind",
      "backends of the kind Service are not supported; use an EndpointSlice",
    ],
    [
      [{ backendRefs: [{ group: "other.example", kind: "Pool", name: "s" }] }],
      "InvalidKind",
      "backends of the kind Pool.other.example are not supported; use an EndpointSlice",
    ],
    [[to("s", 81)], "BackendNotFound", 'EndpointSlice "s" has no TCP port 81'],
    [
      [{ backendRefs: [{ ...backend, namespace: "shop" }] }],
      "RefNotPermitted",
      'no ReferenceGrant of the namespace shop permits the EndpointSlice "s"',
    ],
    [
      [{ backendRefs: [{ ...backend, namespace: "default" }] }],
      "ResolvedRefs",
      "Resolved all the Object references for the Route",
    ],
  ])("%j", (rules, reason, message) => {
    expect(resolvedRefs(routeOf([], { rules }), backends)).toMatchObject({ reason, message });
  });

  const other = objectOf(endpointSliceKind, "s", { endpoints: [], ports: [{ port: 80 }] });
  const routes = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default" };
  const toSlices = { group: "discovery.k8s.io", kind: "EndpointSlice" };

  test.each<[what: string, namespace: string, from: JsonObject, to: JsonObject, reason: string]>([
    ["all slices", "shop", routes, toSlices, "ResolvedRefs"],
    ["this one", "shop", routes, { ...toSlices, name: "s" }, "ResolvedRefs"],
    ["another one", "shop", routes, { ...toSlices, name: "t" }, "RefNotPermitted"],
    ["another kind", "shop", routes, { group: "", kind: "Service" }, "RefNotPermitted"],
    ["from another namespace", "shop", { ...routes, namespace: "other" }, toSlices, "RefNotPermitted"],
    ["from another kind", "shop", { ...routes, kind: "TLSRoute" }, toSlices, "RefNotPermitted"],
    ["of another namespace", "elsewhere", routes, toSlices, "RefNotPermitted"],
  ])("a ReferenceGrant for a slice of another namespace, %s", (_, namespace, from, to_, reason) => {
    const grant = objectOf(referenceGrantKind, "g", { spec: { from: [from], to: [to_] } });
    const rules = [{ backendRefs: [{ ...backend, namespace: "shop" }] }];
    const there = {
      slices: new Map([[objectKey(endpointSliceKind, "shop", "s"), other]]),
      granted: new Granted([{ ...grant, metadata: { ...grant.metadata, namespace } }]),
    };
    expect(resolvedRefs(routeOf([], { rules }), there)).toMatchObject({ reason });
  });

  test("what a mirror names", () => {
    const requestMirror = { backendRef: { ...backend, name: "nowhere" } };
    const rules = [{ backendRefs: [backend], filters: [{ type: "RequestMirror", requestMirror }] }];
    const resolved = resolvedRefs(routeOf([], { rules }), backends);
    expect(resolved).toMatchObject({
      reason: "BackendNotFound",
      message: 'EndpointSlice "nowhere" not found',
    });
  });

  test("a slice of another namespace that is permitted, and not there", () => {
    const grant = objectOf(referenceGrantKind, "g", { spec: { from: [routes], to: [toSlices] } });
    const there = {
      slices: new Map(),
      granted: new Granted([{ ...grant, metadata: { ...grant.metadata, namespace: "shop" } }]),
    };
    const rules = [{ backendRefs: [{ ...backend, namespace: "shop" }] }];
    expect(resolvedRefs(routeOf([], { rules }), there)).toMatchObject({ reason: "BackendNotFound" });
  });
});

describe("the parents in a route's status", () => {
  const resolved = resolvedRefs(routeOf([]), { slices: new Map(), granted: new Granted([]) });
  const refOf = (name: string, more: JsonObject = {}) => ({
    ...{ group: "gateway.networking.k8s.io", kind: "Gateway", name },
    ...more,
  });
  const entry = (ref: JsonObject, controller = controllerName): JsonObject => ({
    ...{ parentRef: ref, controllerName: controller, conditions: [] },
  });
  const written = (route: KubeObject, isGone = false) => {
    const [found] = routesOfGateway(gateway, [route]);
    const attachments = isGone ? [] : (found?.attachments ?? []);
    const parent = { gateway: { namespace: "default", name: "g" }, controllerName };
    return withParents(route, { ...parent, attachments, resolvedRefs: resolved }, now);
  };
  const tls = refOf("g", { sectionName: "tls" });
  const others = [entry(refOf("h")), entry(tls, "someone.else/controller")];
  const refs = [refOf("g", { sectionName: "web" }), refOf("h"), tls];

  test("have an entry for each reference, in its order, beside those of others", () => {
    const route = routeOf(refs, { status: { parents: others } });
    const parents = written(route);
    expect(parents.map(({ parentRef, controllerName: by }) => [parentRef, by === controllerName])).toEqual([
      [refs[0], true],
      [refs[1], true],
      [refs[2], false],
      [refs[2], true],
    ]);
    expect(parents[0]?.["conditions"]).toEqual([
      {
        ...{ type: "Accepted", status: "True", reason: "Accepted", message: "Route is accepted" },
        ...{ observedGeneration: 4, lastTransitionTime: now },
      },
      expect.objectContaining({ type: "ResolvedRefs", status: "True", observedGeneration: 4 }),
    ]);
    const again = { ...route, status: { parents } };
    expect(written(again)).toEqual(parents);
    expect(written(again, true)).toEqual(others);
  });

  test("stay as others wrote them, and keep the times of conditions that stay", () => {
    const route = routeOf([refOf("g"), refOf("h"), refOf("g", { namespace: "far" })]);
    const old = "2026-01-01T00:00:00Z";
    const conditions = [
      { ...{ type: "Accepted", status: "True", reason: "Accepted" }, lastTransitionTime: old },
    ];
    const unknown = { ...entry(refOf("gone")), conditions };
    const far = entry(refOf("g", { namespace: "far" }));
    const foreign = { ...entry(refOf("g"), "someone.else/controller"), conditions: [] };
    const parents = [foreign, unknown, { ...entry(refOf("g")), conditions }, entry(refOf("h")), far];
    const found = written({ ...route, status: { parents } });
    expect(found.map(({ parentRef }) => parentRef)).toEqual([
      refOf("g"),
      refOf("g"),
      refOf("h"),
      refOf("g", { namespace: "far" }),
      refOf("gone"),
    ]);
    expect(found[1]?.["conditions"]).toContainEqual(
      expect.objectContaining({ type: "Accepted", lastTransitionTime: old }),
    );
    expect(found.toSpliced(1, 1)).toEqual([foreign, entry(refOf("h")), far, unknown]);
  });

  test("lose what a former parent said, of several the former ones'", () => {
    const route = routeOf([refOf("h"), refOf("i")], {
      status: { parents: [entry(refOf("g")), entry(refOf("i"))] },
    });
    expect(withoutFormerParents(route, controllerName)).toEqual([entry(refOf("i"))]);
  });

  test("lose what a former parent said", () => {
    const parents = [...others, entry(refOf("g"))];
    const route = routeOf([refOf("h")], { status: { parents } });
    expect(withoutFormerParents(route, controllerName)).toEqual(others);
  });
});
