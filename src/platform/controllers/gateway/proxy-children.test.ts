import { describe, expect, test } from "vitest";
import { admitted, faultsOf, objectOf } from "../../../../test/support/plane/admission.ts";
import { isJsonObject, type Json } from "../../../kube-server/api/object.ts";
import { httpProxyKind } from "../../kinds/networking/http-proxy.ts";
import { type PlannedChild, plannedChildren } from "./proxy-children.ts";

const kind = httpProxyKind("example");
const childrenOf = (rules: Json): PlannedChild[] =>
  plannedChildren(admitted(objectOf(kind, "x", { spec: { rules } }), kind), "example");
const names = (children: readonly PlannedChild[]): string[] =>
  children.map((child) => `${child.kind.kind} ${child.name}`);
const ruleOf = (children: readonly PlannedChild[]): Json | undefined => {
  const spec = children.find((child) => child.kind.kind === "HTTPRoute")?.fields["spec"];
  const rules = isJsonObject(spec) ? spec["rules"] : undefined;
  return Array.isArray(rules) ? rules[0] : undefined;
};

describe("the children of an HTTPProxy", () => {
  const named = [{ backends: [{ endpoint: "https://example.com" }] }];

  test("a gateway, a route and a slice for each backend", () => {
    const children = childrenOf([...named, { backends: [{ endpoint: "http://192.0.2.1:8080" }] }]);
    expect(names(children)).toEqual([
      "Gateway x",
      "HTTPRoute x",
      "EndpointSlice x-0-0",
      "EndpointSlice x-1-0",
    ]);
    const [gateway, route, byName, byAddress] = children;
    expect(gateway?.fields).toMatchObject({
      spec: {
        gatewayClassName: "external-global-proxy",
        listeners: [
          { name: "http", port: 80, protocol: "HTTP" },
          {
            ...{ name: "https", port: 443, protocol: "HTTPS" },
            tls: { options: { "gateway.networking.example/certificate-issuer": "auto" } },
          },
        ],
      },
    });
    expect(route?.fields).toMatchObject({
      spec: {
        parentRefs: [{ name: "x" }],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: "/" } }],
            filters: [{ type: "URLRewrite", urlRewrite: { hostname: "example.com" } }],
            backendRefs: [
              { group: "discovery.k8s.io", kind: "EndpointSlice", name: "x-0-0", port: 443, weight: 1 },
            ],
          },
          { backendRefs: [{ name: "x-1-0", port: 8080 }] },
        ],
      },
    });
    expect(byName?.fields).toEqual({
      addressType: "FQDN",
      endpoints: [
        { addresses: ["example.com"], conditions: { ready: true, serving: true, terminating: false } },
      ],
      ports: [{ name: "httpproxy-0-0", protocol: "TCP", appProtocol: "https", port: 443 }],
    });
    expect(byAddress?.fields).toMatchObject({
      addressType: "IPv4",
      ports: [{ name: "httpproxy-1-0", appProtocol: "http", port: 8080 }],
    });
  });

  test("are valid, and are as the server stores them", () => {
    for (const { kind: childKind, name, fields } of childrenOf(named)) {
      const object = objectOf(childKind, name, fields);
      expect(faultsOf(object, childKind)).toEqual([]);
      const { apiVersion, kind: _, metadata, status, ...stored } = admitted(object, childKind);
      expect(stored).toEqual(fields);
    }
  });

  test.each<[string, Json, Json]>([
    [
      "beside another rewrite",
      [{ type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/a" } } }],
      [
        {
          type: "URLRewrite",
          urlRewrite: {
            hostname: "example.com",
            path: { type: "ReplaceFullPath", replaceFullPath: "/a" },
          },
        },
      ],
    ],
    [
      "unless the rule gives one",
      [{ type: "URLRewrite", urlRewrite: { hostname: "other.example" } }],
      [{ type: "URLRewrite", urlRewrite: { hostname: "other.example" } }],
    ],
  ])("a backend is asked for by its name, %s", (_, filters, expected) => {
    const [rule = {}] = named;
    expect(ruleOf(childrenOf([{ ...rule, filters }]))).toMatchObject({ filters: expected });
  });

  test("a backend with an address gets the host that the client asked for", () => {
    const rule = ruleOf(childrenOf([{ backends: [{ endpoint: "http://[2001:db8::1]" }] }]));
    expect(rule).not.toHaveProperty("filters");
  });

  test("a redirect has no backend", () => {
    const filters = [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }];
    const children = childrenOf([{ name: "all", filters }]);
    expect(names(children)).toEqual(["Gateway x", "HTTPRoute x"]);
    expect(ruleOf(children)).toMatchObject({
      name: "all",
      filters: [{ requestRedirect: { scheme: "https", statusCode: 302 } }],
    });
  });
});
