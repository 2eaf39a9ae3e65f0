import { describe, expect, test } from "vitest";
import { admitted, changed, faultsOf, objectOf } from "../../../../test/support/plane/admission.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { columnDefinitions } from "../../../kube-server/api/table.ts";
import { endpointSliceKind } from "../discovery/endpoint-slice.ts";
import { gatewayFinalizer, gatewayKind } from "./gateway.ts";
import { durationMs, httpRouteKind } from "./http-route.ts";
import { certificateIssuerOption } from "./listener-tls.ts";
import { referenceGrantKind } from "./reference-grant.ts";

const domain = "example";
const gatewayDefinition = gatewayKind(domain);
const option = certificateIssuerOption(domain);
const gateway = objectOf(gatewayDefinition, "x", {
  spec: {
    gatewayClassName: "external-global-proxy",
    listeners: [
      { name: "http", port: 80, protocol: "HTTP" },
      { name: "https", port: 443, protocol: "HTTPS", tls: { options: { [option]: "auto" } } },
    ],
  },
});
const backendRef = { group: "discovery.k8s.io", kind: "EndpointSlice", name: "x-0-0", port: 443 };
const route = objectOf(httpRouteKind, "x", {
  spec: { parentRefs: [{ name: "x" }], rules: [{ backendRefs: [backendRef] }] },
});
const grant = objectOf(referenceGrantKind, "x", {
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "web" }],
    to: [{ group: "", kind: "Secret", name: "tls" }],
  },
});
const slice = objectOf(endpointSliceKind, "x-0-0", {
  addressType: "FQDN",
  endpoints: [{ addresses: ["example.com"], conditions: { ready: true, serving: true, terminating: false } }],
  ports: [{ name: "httpproxy-0-0", protocol: "TCP", port: 443, appProtocol: "https" }],
});

test.each([
  ["Gateway", gatewayDefinition, gateway, ["Name", "Class", "Address", "Programmed", "Age"]],
  ["HTTPRoute", httpRouteKind, route, ["Name", "Hostnames", "Age"]],
  ["ReferenceGrant", referenceGrantKind, grant, ["Name", "Age"]],
  ["EndpointSlice", endpointSliceKind, slice, ["Name", "AddressType", "Ports", "Endpoints", "Age"]],
] as const)("%s: valid, with its columns", (_, kind, object, columns) => {
  expect(faultsOf(object, kind)).toEqual([]);
  expect(columnDefinitions(kind).map(({ name }) => name)).toEqual(columns);
});

test("a gateway is finalized by its controller, and takes routes of its own namespace", () => {
  const completed = admitted(gateway, gatewayDefinition);
  expect(completed.metadata.finalizers).toEqual([gatewayFinalizer(domain)]);
  expect(fieldAt(completed, ["spec", "listeners", 1])).toMatchObject({
    allowedRoutes: { namespaces: { from: "Same" } },
    tls: { mode: "Terminate" },
  });
});

test.each<[selector: JsonObject, fault: string]>([
  [{ matchLabels: { "-": "x" } }, 'matchLabels: Invalid value: "-": is not a valid label key'],
  [{ matchLabels: { a: "-" } }, 'matchLabels: Invalid value: "-": is not a valid label value'],
  [
    { matchExpressions: [{ key: "a", operator: "Like" }] },
    'matchExpressions[0].operator: Invalid value: "Like": not a valid label selector operator',
  ],
  [
    { matchExpressions: [{ key: "a", operator: "In" }] },
    "matchExpressions[0].values: Required value: where operator is In or NotIn",
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
    "matchExpressions[0].values: Forbidden: not where operator is Exists or DoesNotExist",
  ],
])("a listener for namespaces with %j: refused", (selector, fault) => {
  const listener = { name: "web", port: 80, protocol: "HTTP" };
  const allowedRoutes = { namespaces: { from: "Selector", selector } };
  const spec = { gatewayClassName: "external-global-proxy", listeners: [{ ...listener, allowedRoutes }] };
  expect(faultsOf({ ...gateway, spec }, gatewayDefinition).join()).toContain(
    `spec.listeners[0].allowedRoutes.namespaces.selector.${fault}`,
  );
});

test("a route's parent is a gateway, a rule without matches is for every request", () => {
  expect(fieldAt(admitted(route, httpRouteKind), ["spec"])).toMatchObject({
    parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "x" }],
    rules: [
      {
        matches: [{ path: { type: "PathPrefix", value: "/" } }],
        backendRefs: [{ ...backendRef, weight: 1 }],
      },
    ],
  });
});

test("spaces in a query parameter are compared as they are", () => {
  const matches = [{ queryParams: [{ name: "a", value: " a\tb " }] }];
  expect(faultsOf(changed(route, "spec.rules[0].matches", matches), httpRouteKind)).toEqual([]);
});

test("a slice's cells, as kubectl shows them", () => {
  const cells = (object: KubeObject) =>
    endpointSliceKind.columns.slice(0, 3).map((column) => column.value(object));
  expect(cells(slice)).toEqual(["FQDN", "443", "example.com"]);
  const endpoints = ["a.b", "b.b", "c.b", "d.b"].map((name) => ({ addresses: [name] }));
  expect(cells(changed(changed(slice, "endpoints", endpoints), "ports", undefined))).toEqual([
    "FQDN",
    "<unset>",
    "a.b,b.b,c.b + 1 more...",
  ]);
});

const listener = "spec.listeners[1]";
const refs = "spec.rules[0].backendRefs";
const timeouts = "spec.rules[0].timeouts";
const retry = "spec.rules[0].retry";
const mirror = (more: JsonObject): Json => ({
  type: "RequestMirror",
  requestMirror: { backendRef: { name: "x", port: 80 }, ...more },
});

describe.each<[string, KindDefinition, KubeObject, [string, string, Json | undefined, string][]]>([
  [
    "a Gateway",
    gatewayDefinition,
    gateway,
    [
      ["another class", "spec.gatewayClassName", "nginx", 'Unsupported value: "nginx"'],
      [
        "addresses",
        "spec.addresses",
        [{ value: "192.0.2.1" }],
        "spec.addresses: Forbidden: the platform assigns the addresses",
      ],
      ["no protocol", `${listener}.protocol`, "a b", "should match"],
      ["an address as hostname", `${listener}.hostname`, "192.0.2.1", "must be a DNS name, not an address"],
      ["a hostname with capitals", `${listener}.hostname`, "A.example", "should match"],
      [
        "a certificate beside the platform's",
        `${listener}.tls.certificateRefs`,
        [{ name: "x" }],
        "tls.options: Forbidden: the certificate comes from certificateRefs",
      ],
      [
        "several certificates",
        `${listener}.tls`,
        { certificateRefs: [{ name: "x" }, { name: "y" }] },
        "tls.certificateRefs: Too many: 2: must have at most 1 items",
      ],
      [
        "routes of other namespaces",
        `${listener}.allowedRoutes`,
        { namespaces: { from: "Selector" } },
        "selector: Required value: where from is Selector",
      ],
      [
        "HTTPS without a certificate",
        `${listener}.tls`,
        undefined,
        `tls.options: Required value: must have ${option}, or certificateRefs a Secret`,
      ],
      [
        "another option",
        `${listener}.tls.options`,
        { [option]: "auto", x: "y" },
        `tls.options: Unsupported value: "x": supported values: "${option}"`,
      ],
      [
        "TLS beside HTTP",
        "spec.listeners[0].tls",
        { options: { [option]: "auto" } },
        "tls: Forbidden: only a listener of the protocol HTTPS has it",
      ],
      [
        "two listeners of one port",
        "spec.listeners",
        ["a", "b"].map((name) => ({ name, port: 80, protocol: "HTTP" })),
        "Combination of port, protocol and hostname must be unique for each listener",
      ],
    ],
  ],
  [
    "an HTTPRoute",
    httpRouteKind,
    route,
    [
      ["a Service without a port", refs, [{ name: "x" }], `${refs}[0].port: Required value`],
      [
        "a weight above a million",
        refs,
        [backendRef, { ...backendRef, weight: 1_000_001 }],
        `${refs}[1].weight: Invalid value: 1000001`,
      ],
      [
        "a backend without a port",
        refs,
        [{ group: "discovery.k8s.io", kind: "EndpointSlice", name: "x-0-0" }],
        `${refs}[0].port: Required value`,
      ],
      [
        "a line break in a query parameter",
        "spec.rules[0].matches",
        [{ queryParams: [{ name: "a", value: "a\nb" }] }],
        'queryParams[0].value: Invalid value: "a\\nb": must have no control characters',
      ],
      [
        "one listener twice",
        "spec.parentRefs",
        ["http", "https", "http"].map((sectionName) => ({ name: "x", sectionName })),
        "sectionName must be unique when parentRefs includes 2 or more references to the same parent",
      ],
      [
        "a listener, and the whole gateway",
        "spec.parentRefs",
        [{ name: "x", sectionName: "http" }, { name: "x" }],
        "sectionName must be specified when parentRefs includes 2 or more references to the same parent",
      ],
      [
        "hostnames",
        "spec.hostnames",
        ["a.example", "*.b"],
        'spec.hostnames[1]: Invalid value: "*.b": must be a whole DNS name, such as www.example.com',
      ],
      ["a wrong timeout", timeouts, { request: "1 s" }, "should match"],
      [
        "a longer timeout of the backend",
        timeouts,
        { request: "1s", backendRequest: "1m" },
        "backendRequest timeout cannot be longer than request timeout",
      ],
      [
        "a status that HAProxy does not ask again after",
        retry,
        { codes: [500, 418] },
        "spec.rules[0].retry.codes[1]: Unsupported value: 418",
      ],
      [
        "five mirrors",
        "spec.rules[0].filters",
        Array.from({ length: 5 }, () => mirror({})),
        "must have at most 4 RequestMirror filters",
      ],
      [
        "a mirror without a port",
        "spec.rules[0].filters",
        [{ type: "RequestMirror", requestMirror: { backendRef: { name: "x" } } }],
        "filters[0].requestMirror.backendRef.port: Required value",
      ],
      [
        "two shares of a mirror",
        "spec.rules[0].filters",
        [mirror({ percent: 5, fraction: { numerator: 1 } })],
        "Only one of percent or fraction may be specified",
      ],
      [
        "a share of more than all",
        "spec.rules[0].filters",
        [mirror({ fraction: { numerator: 101 } })],
        "numerator must be less than or equal to denominator",
      ],
      [
        "a mirror of a backend's share",
        "spec.rules[0].backendRefs[0].filters",
        [mirror({})],
        'filters[0].type: Unsupported value: "RequestMirror"',
      ],
      ["six attempts", retry, { attempts: 6 }, `${retry}.attempts: Invalid value: 6`],
      ["no attempt", retry, { attempts: 0 }, `${retry}.attempts: Invalid value: 0`],
      [
        "a pause between attempts",
        retry,
        { codes: [500], backoff: "100ms" },
        'spec.rules[0].retry.backoff: Invalid value: "100ms": is not supported: the next attempt follows at once',
      ],
    ],
  ],
  [
    "an EndpointSlice",
    endpointSliceKind,
    slice,
    [
      [
        "two ports of one name",
        "ports",
        [80, 443].map((port) => ({ name: "a", port, protocol: "TCP" })),
        'ports[1].name: Duplicate value: "a"',
      ],
      [
        "an address of another type",
        "addressType",
        "IPv4",
        'endpoints[0].addresses[0]: Invalid value: "example.com": must be a valid IPv4 address',
      ],
      ["no address", "endpoints[0].addresses", [], "should have at least 1 items"],
      [
        "port 0",
        "ports[0].port",
        0,
        "ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      ],
    ],
  ],
])("%s is refused", (_, kind, object, cases) => {
  test.each(cases)("%s", (_, path, value, expected) => {
    const faults = faultsOf(changed(object, path, value), kind);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join("\n")).toContain(expected);
  });
});

test("a slice's type cannot be changed", () => {
  const other = changed(changed(slice, "addressType", "IPv4"), "endpoints", []);
  expect(faultsOf(other, endpointSliceKind, slice)).toEqual([
    'addressType: Invalid value: "IPv4": field is immutable',
  ]);
});

test.each([
  ["0s", 0],
  ["1h1m1s1ms", 3_661_001],
  ["500ms", 500],
  ["99999h", 359_996_400_000],
])("%s takes %i ms", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
