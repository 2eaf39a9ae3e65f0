import { expect, test } from "vitest";
import { type EndpointSettings, settingsFor } from "./endpoint-settings.ts";

const list: EndpointSettings[] = [
  "https://a.example",
  "https://a.example/api/",
  "https://a.example/api/v1/write?tenant=x",
  "http://a.example/",
  "https://a.example:8443/",
].map((urlPrefix) => ({
  urlPrefix,
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
  ["https://a.example/api/v1/write?tenant=xy", "https://a.example/api/v1/write?tenant=x"],
  ["http://a.example/api/", "http://a.example/"],
  ["https://a.example:8443/x", "https://a.example:8443/"],
  // A name that only begins alike must not get the token of the other.
  ["https://a.example.evil.test/", undefined],
  ["https://a.example@evil.test/", undefined],
  ["https://b.example/", undefined],
])("%s belongs to %s", (endpoint, expected) => {
  expect(settingsFor(endpoint, list)?.urlPrefix).toBe(expected);
});
