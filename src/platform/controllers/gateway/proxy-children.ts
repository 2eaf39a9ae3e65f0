import { applyDefaults } from "../../../kube-server/api/defaults.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import {
  cloneJson,
  type Json,
  type JsonObject,
  type KubeObject,
  stringList,
} from "../../../kube-server/api/object.ts";
import { endpointSliceKind, endpointSliceNames } from "../../kinds/discovery/endpoint-slice.ts";
import { gatewayClass, gatewayKind } from "../../kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { certificateIssuerOption } from "../../kinds/gateway/listener-tls.ts";
import { type ProxyEndpoint, parseEndpoint } from "../../kinds/networking/proxy-endpoint.ts";

/** An object that an HTTPProxy wants: its fields besides metadata and status, with their defaults. */
export interface PlannedChild {
  readonly kind: KindDefinition;
  readonly name: string;
  readonly fields: JsonObject;
}

/** What an HTTPProxy is made of: a Gateway and an HTTPRoute of its name, and a slice for each backend. */
export function plannedChildren(proxy: KubeObject, groupDomain: string): PlannedChild[] {
  const { name = "" } = proxy.metadata;
  const rules = objectsIn(fieldAt(proxy, ["spec", "rules"]));
  const backends = rules.map((rule, index) => backendsOf(rule, name, index));
  return [
    planned(gatewayKind(groupDomain), name, { spec: gatewaySpec(proxy, groupDomain) }),
    planned(httpRouteKind, name, {
      spec: {
        parentRefs: [{ name }],
        rules: rules.map((rule, index) => routeRule(rule, backends[index] ?? [])),
      },
    }),
    ...backends
      .flat()
      .map(({ sliceName, portName, endpoint }) =>
        planned(endpointSliceKind, sliceName, sliceFields(endpoint, portName)),
      ),
  ];
}

interface Backend {
  readonly endpoint: ProxyEndpoint;
  readonly filters: Json | undefined;
  readonly sliceName: string;
  readonly portName: string;
}

function backendsOf(rule: JsonObject, proxyName: string, ruleIndex: number): Backend[] {
  return objectsIn(rule["backends"]).flatMap(({ endpoint: url, filters }, index) => {
    const endpoint = parseEndpoint(String(url));
    if (endpoint === undefined) return [];
    const suffix = `${ruleIndex}-${index}`;
    return { endpoint, filters, sliceName: `${proxyName}-${suffix}`, portName: `httpproxy-${suffix}` };
  });
}

/** A listener without a hostname has the gateway's own. */
function gatewaySpec(proxy: KubeObject, groupDomain: string): JsonObject {
  const hostnames = stringList(fieldAt(proxy, ["spec", "hostnames"]));
  const tls = { options: { [certificateIssuerOption(groupDomain)]: "auto" } };
  return {
    gatewayClassName: gatewayClass,
    listeners: [
      { name: "http", port: 80, protocol: "HTTP" },
      { name: "https", port: 443, protocol: "HTTPS", tls },
      ...hostnames.flatMap((hostname, index): JsonObject[] => [
        { name: `http-hostname-${index}`, hostname, port: 80, protocol: "HTTP" },
        { name: `https-hostname-${index}`, hostname, port: 443, protocol: "HTTPS", tls },
      ]),
    ],
  };
}

function routeRule(rule: JsonObject, backends: readonly Backend[]): JsonObject {
  const { name, matches } = rule;
  const filters = filtersFor(objectsIn(rule["filters"]), backends[0]?.endpoint);
  return {
    ...(name === undefined ? {} : { name }),
    ...(matches === undefined ? {} : { matches }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(backends.length === 0 ? {} : { backendRefs: backends.map(backendRef) }),
  };
}

/** A backend with a name is asked for under this name, unless the rule gives another one. */
function filtersFor(filters: readonly JsonObject[], endpoint: ProxyEndpoint | undefined): JsonObject[] {
  if (endpoint?.hostType !== "FQDN") return [...filters];
  const hostname = endpoint.host;
  if (!filters.some(({ type }) => type === "URLRewrite")) {
    return [...filters, { type: "URLRewrite", urlRewrite: { hostname } }];
  }
  return filters.map((filter): JsonObject => {
    if (filter["type"] !== "URLRewrite") return filter;
    return { ...filter, urlRewrite: { hostname, ...(filter["urlRewrite"] as JsonObject) } };
  });
}

function backendRef({ endpoint, filters, sliceName }: Backend): JsonObject {
  const { group, kind } = endpointSliceNames;
  const ref = { group, kind, name: sliceName, port: endpoint.port };
  return filters === undefined ? ref : { ...ref, filters };
}

function sliceFields({ scheme, host, hostType, port }: ProxyEndpoint, portName: string): JsonObject {
  return {
    addressType: hostType,
    endpoints: [{ addresses: [host], conditions: { ready: true, serving: true, terminating: false } }],
    ports: [{ name: portName, protocol: "TCP", appProtocol: scheme, port }],
  };
}

/** With the defaults that the server fills in: so compared, what is as planned is left alone. */
function planned(kind: KindDefinition, name: string, fields: JsonObject): PlannedChild {
  const copy = cloneJson(fields);
  for (const [field, value] of Object.entries(copy)) {
    applyDefaults(value, kind.schema.properties?.[field] ?? {});
  }
  return { kind, name, fields: copy };
}
