import { expect, test } from "vitest";
import { type EndpointSettings, settingsFor, settingsOfScope } from "./endpoint-settings.ts";

const list: EndpointSettings[] = [
  "https://a.example",
  "https://a.example/api/",
  "https://a.example/tenants/web",
  "http://a.example/",
  "https://a.example:8443/",
].map((urlPrefix) => ({
  urlPrefix,
  tenants: false,
  environmentCredentials: false,
  headers: {},
  tls: {},
  externalLabels: {},
  dropLabels: [],
  maxSamplesPerSecond: 0,
}));

test.each<[string, string | undefined]>([
  ["https://a.example/", "https://a.example"],
  ["https://a.example/other", "https://a.example"],
  ["https://A.example:443/other", "https://a.example"],
  ["https://a.example/api/v1/write", "https://a.example/api/"],
  ["https://a.example/api/../other", "https://a.example"],
  ["https://a.example/api/v1/write?tenant=x", "https://a.example/api/"],
  ["https://a.example/tenants/web", "https://a.example/tenants/web"],
  ["https://a.example/tenants/web?a=b", "https://a.example/tenants/web"],
  ["https://a.example/tenants/web/api/v1/push", "https://a.example/tenants/web"],
  // Whole segments, after dot segments are resolved.
  ["https://a.example/tenants/web-evil", "https://a.example"],
  ["https://a.example/tenants/website/push", "https://a.example"],
  ["https://a.example/tenants/web/../bank", "https://a.example"],
  ["https://a.example/tenants/web\\..\\bank", "https://a.example"],
  ["https://a.example/tenants/web/%2e%2E/bank", "https://a.example"],
  // A server may decode these and resolve another path than the one compared here: no settings at all.
  ["https://a.example/tenants/web/..%2fbank", undefined],
  ["https://a.example/tenants/web/..%2Fbank", undefined],
  ["https://a.example/tenants/web/..%5cbank", undefined],
  ["https://a.example/tenants/web/%2e%2e%2fbank", undefined],
  ["https://a.example/tenants/web/.%252e%252fbank", undefined],
  ["https://a.example/tenants/web/..%25252fbank", undefined],
  ["https://a.example/tenants/web/a%2eb", undefined],
  ["https://a.example/tenants/web/..;/bank", undefined],
  ["https://a.example/tenants/web/..;a=b/bank", undefined],
  // In a query they do not affect the path.
  ["https://a.example/tenants/web?a=%2f", "https://a.example/tenants/web"],
  ["http://a.example/api/", "http://a.example/"],
  ["https://a.example:8443/x", "https://a.example:8443/"],
  // A host with the same beginning must not get the other's token.
  ["https://a.example.evil.test/", undefined],
  ["https://a.example@evil.test/", undefined],
  ["https://b.example/", undefined],
])("%s belongs to %s", (endpoint, expected) => {
  expect(settingsFor(endpoint, list)?.urlPrefix).toBe(expected);
});

test("what carries trust is the operator's own, unless the entry is for tenants too; limits hold for all", () => {
  const entry: EndpointSettings = {
    urlPrefix: "https://a.example/",
    tenants: false,
    environmentCredentials: false,
    headers: { "x-api-key": "k" },
    bearerTokenFile: "/token",
    tls: { certFile: "/cert", keyFile: "/key", insecureSkipVerify: true },
    proxyUrl: "http://proxy/",
    externalLabels: { cluster: "a" },
    dropLabels: ["pod"],
    maxSamplesPerSecond: 10,
    protocol: "2.0",
  };
  expect(settingsOfScope(entry, "operator")).toEqual(entry);
  expect(settingsOfScope({ ...entry, tenants: true }, "tenant")).toEqual({ ...entry, tenants: true });
  expect(settingsOfScope(entry, "tenant")).toEqual({
    urlPrefix: "https://a.example/",
    tenants: false,
    environmentCredentials: false,
    headers: {},
    tls: {},
    externalLabels: { cluster: "a" },
    dropLabels: ["pod"],
    maxSamplesPerSecond: 10,
    protocol: "2.0",
  });
});
