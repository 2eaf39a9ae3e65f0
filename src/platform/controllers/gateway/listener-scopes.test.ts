import { expect, test } from "vitest";
import { objectOf } from "../../../../test/support/plane/admission.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { ListenerScopes } from "./listener-scopes.ts";

const names = ["*.example.com", "*.b.c", "a.b.c", "*.a.b.c"];
const gateway = objectOf(gatewayKind("example"), "g", {
  spec: {
    listeners: [undefined, ...names].map((hostname, index) => ({
      ...{ name: `l${index}`, port: 80, protocol: "HTTP" },
      ...(hostname === undefined ? {} : { hostname }),
    })),
  },
});
const scopes = new ListenerScopes(gateway, new Map(names.map((name) => [name, { kind: "held" }])));

test.each([
  // A whole name that is as long as the wildcard.
  ["a.b.c", "a.b.c"],
  ["x.b.c", "*.b.c"],
  ["x.a.b.c", "*.a.b.c"],
  ["b.c", undefined],
])("%s belongs to the listener of %s", (host, hostname) => {
  expect(scopes.ownerOf("http", host)?.["hostname"]).toBe(hostname);
});

test("hostnames, the most specific first", () => {
  expect(scopes.hostnamesOn("http")).toEqual(["*.example.com", "*.a.b.c", "a.b.c", "*.b.c"]);
  expect(scopes.hostnamesOn("https")).toEqual([]);
});
