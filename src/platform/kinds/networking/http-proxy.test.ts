import { describe, expect, test } from "vitest";
import { admitted, changed, faultsOf, objectOf } from "../../../../test/support/plane/admission.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { columnDefinitions } from "../../../kube-server/api/table.ts";
import { httpProxyKind } from "./http-proxy.ts";
import { parseEndpoint } from "./proxy-endpoint.ts";

const kind = httpProxyKind("example", (address) => address === "127.0.0.1");
const backends = [{ endpoint: "https://example.com" }];
const proxy = objectOf(kind, "x", { spec: { rules: [{ backends }] } });
const rule = "spec.rules[0]";
const faultsWith = (path: string, value: Json | undefined) => faultsOf(changed(proxy, path, value), kind);

test("a rule without matches matches every request", () => {
  expect(fieldAt(admitted(proxy, kind), ["spec", "rules", 0])).toEqual({
    backends,
    matches: [{ path: { type: "PathPrefix", value: "/" } }],
  });
  const empty = admitted(changed(proxy, `${rule}.matches`, []), kind);
  expect(empty["spec"]).toEqual(admitted(proxy, kind)["spec"]);
  const withHeader = changed(proxy, `${rule}.matches`, [{ headers: [{ name: "x-canary", value: "true" }] }]);
  expect(fieldAt(admitted(withHeader, kind), ["spec", "rules", 0, "matches"])).toEqual([
    {
      headers: [{ name: "x-canary", type: "Exact", value: "true" }],
      path: { type: "PathPrefix", value: "/" },
    },
  ]);
});

test("waits for its controller from the creation on; columns as in the contract", () => {
  expect(fieldAt(admitted(proxy, kind), ["status", "conditions"])).toMatchObject([
    { type: "Accepted", status: "Unknown", reason: "Pending" },
    { type: "Programmed", status: "Unknown", reason: "Pending" },
  ]);
  expect(columnDefinitions(kind).map(({ name }) => name)).toEqual(["Name", "Hostname", "Programmed", "Age"]);
});

describe("endpoints", () => {
  const place = `${rule}.backends[0].endpoint`;

  test.each([
    ["http://example.com", { scheme: "http", host: "example.com", hostType: "FQDN", port: 80 }],
    ["https://example.com", { scheme: "https", host: "example.com", hostType: "FQDN", port: 443 }],
    ["HTTPS://example.com", { scheme: "https", host: "example.com", port: 443 }],
    ["https://a-1.b.example:8443", { host: "a-1.b.example", port: 8443 }],
    ["http://10.128.0.2:8080", { host: "10.128.0.2", hostType: "IPv4", port: 8080 }],
    ["http://[2001:db8::1]:81", { host: "2001:db8::1", hostType: "IPv6", port: 81 }],
    ["http://127.0.0.1:9", { host: "127.0.0.1", port: 9 }],
  ])("%s", (endpoint, expected) => {
    expect(faultsWith(place, endpoint)).toEqual([]);
    expect(parseEndpoint(endpoint)).toMatchObject(expected);
  });

  const address = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  const schemes = 'supported values: "http", "https"';
  test.each([
    [":x", 'Invalid value: ":x": invalid endpoint: the scheme is missing'],
    ["", `[scheme]: Unsupported value: "": ${schemes}`],
    ["example.com", `[scheme]: Unsupported value: "": ${schemes}`],
    ["grpc://example.com", `[scheme]: Unsupported value: "grpc": ${schemes}`],
    ["http:example.com", "[path]: …", "[host]: Required value"],
    ["http:\\\\example.com", "Invalid value: …"],
    ["http://exa mple.com", "Invalid value: …"],
    ["http://ex\u00e4mple.com", "Invalid value: …"],
    ["http://a.b\n", "Invalid value: …"],
    ["http://a.b:x", "Invalid value: …"],
    ["http://u:secret@a.b:x", 'Invalid value: "http://u:redacted@a.b:x": invalid endpoint: …'],
    ["http://a.b:", '[port]: Invalid value: "": must be between 1 and 65535, inclusive'],
    ["http://a.b:0", '[port]: Invalid value: "0": must be between 1 and 65535, inclusive'],
    ["http://a.b:65536", '[port]: Invalid value: "65536": must be between 1 and 65535, inclusive'],
    [
      "http://user:secret@example.com",
      '[userinfo]: Invalid value: "user:redacted": endpoint must not have a userinfo component',
    ],
    ["http://example.com/", '[path]: Invalid value: "/": endpoint must not have a path component'],
    ["http://example.com/a", '[path]: Invalid value: "/a": endpoint must not have a path component'],
    ["http://example.com?", '[query]: Invalid value: "": endpoint must not have a query component'],
    ["http://example.com#a", '[fragment]: Invalid value: "a": endpoint must not have a fragment component'],
    ["http://", "[host]: Required value"],
    ["http://localhost", "[host]: …should be a domain with at least two segments separated by dots"],
    ["http://Example.com", "[host]: Invalid value: …a lowercase RFC 1123 subdomain must consist of…"],
    ["http://a..b", "[host]: Invalid value: …a lowercase RFC 1123 subdomain must consist of…"],
    ["http://0.0.0.0", '[host]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
    ["http://[::]", '[host]: Invalid value: "::": may not be unspecified (::)'],
    ["http://127.0.0.2", "[host]: …may not be in the loopback range (127.0.0.0/8, ::1/128)"],
    ["http://[::1]", "[host]: …may not be in the loopback range (127.0.0.0/8, ::1/128)"],
    ["http://[::ffff:127.0.0.2]", "[host]: …may not be in the loopback range (127.0.0.0/8, ::1/128)"],
    ["http://169.254.169.254", "[host]: …may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
    ["http://[fe80::1]", "[host]: …may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
    ["http://[fe80::1%25eth0]", `[host]: Invalid value: "[fe80::1%25eth0]": ${address}`],
    ["http://224.0.0.1", "[host]: …may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
    ["http://[ff02::1]", "[host]: …may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
    ["http://239.0.0.1", "[host]: …may not be in the multicast range (224.0.0.0/4, ff00::/8)"],
    ["http://2130706433", `[host]: Invalid value: "2130706433": ${address}`],
    ["http://0x7f.1", `[host]: Invalid value: "0x7f.1": ${address}`],
    ["http://127.1", `[host]: Invalid value: "127.1": ${address}`],
    ["http://1.2.3.4.5", `[host]: Invalid value: "1.2.3.4.5": ${address}`],
    ["http://[1.2.3.4]", `[host]: Invalid value: "[1.2.3.4]": ${address}`],
    [`http://${"a".repeat(600)}.b`, "Invalid value: …it is longer than 512 characters"],
  ])("%j is refused", (endpoint, ...expected) => {
    const faults = faultsWith(place, endpoint);
    expect(faults.length).toBe(expected.length);
    for (const [index, text] of expected.entries()) {
      const at = text.startsWith("[") ? `${place}${text}` : `${place}: ${text}`;
      for (const part of at.split("…")) expect(faults[index]).toContain(part);
    }
  });
});

describe("rules", () => {
  const path = (type: string, value: string): Json => [{ path: { type, value } }];
  const rewrite = (fields: Json): Json => [{ type: "URLRewrite", urlRewrite: fields }];
  const redirect: Json = { type: "RequestRedirect", requestRedirect: { scheme: "https" } };
  const setting = (name: string, value: string): Json => [
    { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name, value }] } },
  ];
  const prefixed = { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/xyz" } };
  const inTypes = "when type one of ['Exact', 'PathPrefix']";
  const allFilters =
    'supported values: "RequestHeaderModifier", "RequestRedirect", "ResponseHeaderModifier", "URLRewrite", "CORS"';
  const headers = Array.from({ length: 17 }, (_, index) => ({ name: `h${index}`, value: "v" }));

  test.each<[string, string, Json | undefined]>([
    ["a full path", "filters", rewrite({ path: { type: "ReplaceFullPath", replaceFullPath: "/a" } })],
    ["a prefix", "filters", rewrite(prefixed)],
    ["an exact path", "matches", path("Exact", "/a/b%20c")],
    ["a method", "matches", [{ method: "GET" }]],
    ["a query parameter", "matches", [{ queryParams: [{ name: "a", value: "b\u00e9" }] }]],
    ["a header", "filters", setting("X-A", 'quote " and \\ and %[path] and \u00e9')],
    ["a name", "name", "first.rule-1"],
  ])("%s is allowed", (_, field, value) => {
    expect(faultsWith(`${rule}.${field}`, value)).toEqual([]);
  });

  test("a redirect needs no backend", () => {
    const without = changed(changed(proxy, `${rule}.filters`, [redirect]), `${rule}.backends`, undefined);
    expect(faultsOf(without, kind)).toEqual([]);
  });

  test.each<[string, string, Json | undefined, ...string[]]>([
    ["no rules", "spec.rules", [], "spec.rules: Invalid value: 0: …should have at least 1 items"],
    [
      "too many rules",
      "spec.rules",
      Array(17).fill({ backends }),
      "spec.rules: Too many: 17: must have at most 16 items",
    ],
    [
      "a name twice",
      "spec.rules",
      [
        { name: "a", backends },
        { name: "a", backends },
      ],
      'spec.rules: Invalid value: "array": Rule name must be unique within the route',
    ],
    [
      "too many matches",
      "spec.rules",
      Array(3).fill({ backends, matches: Array(43).fill({}) }),
      'spec.rules: Invalid value: "array": While 16 rules and 64 matches per rule are allowed, the total number of' +
        " matches across all rules in a route must be less than 128",
    ],
    [
      "two backends",
      `${rule}.backends`,
      [...backends, ...backends],
      `${rule}.backends: Too many: 2: must have at most 1 items`,
    ],
    [
      "no backend",
      `${rule}.backends`,
      undefined,
      `${rule}.backends: Required value: a backend is required unless a RequestRedirect filter is present on the rule`,
    ],
    [
      "a redirect and a backend",
      `${rule}.filters`,
      [redirect],
      `${rule}: Invalid value: "object": RequestRedirect filter must not be used together with backends`,
    ],
    [
      "a redirect and a rewrite",
      `${rule}.filters`,
      [redirect, { type: "URLRewrite", urlRewrite: {} }],
      `${rule}: Invalid value: "object": RequestRedirect filter must not be used together with backends`,
      `${rule}.filters: Invalid value: "array": May specify either requestRedirect or urlRewrite, but not both`,
    ],
    [
      "a filter twice",
      `${rule}.filters`,
      [
        { type: "URLRewrite", urlRewrite: {} },
        { type: "URLRewrite", urlRewrite: {} },
      ],
      `${rule}.filters: Invalid value: "array": URLRewrite filter cannot be repeated`,
    ],
    [
      "a filter that is not supported",
      `${rule}.filters`,
      [{ type: "RequestMirror", requestMirror: { backendRef: { name: "x" } } }],
      `${rule}.filters[0].type: Unsupported value: "RequestMirror": ${allFilters}`,
    ],
    [
      "every origin beside another one",
      `${rule}.filters`,
      [{ type: "CORS", cors: { allowOrigins: ["*", "https://a.example"] } }],
      `${rule}.filters[0].cors.allowOrigins: Invalid value: "array": cannot contain '*' alongside other values`,
    ],
    [
      "an origin that is none",
      `${rule}.filters`,
      [{ type: "CORS", cors: { allowOrigins: ["https://a.example/path"] } }],
      `${rule}.filters[0].cors.allowOrigins[0]: Invalid value: "https://a.example/path"`,
    ],
    [
      "a rewrite for a backend",
      `${rule}.backends[0].filters`,
      rewrite({}),
      `${rule}.backends[0].filters[0].type: Unsupported value: "URLRewrite": supported values: "RequestHeaderModifier", "ResponseHeaderModifier"`,
    ],
    [
      "a filter without its field",
      `${rule}.filters`,
      [{ type: "URLRewrite" }],
      `${rule}.filters[0]: Invalid value: "object": filter.urlRewrite must be specified for URLRewrite filter.type`,
    ],
    [
      "a filter with another's field",
      `${rule}.filters`,
      [{ type: "URLRewrite", urlRewrite: {}, requestHeaderModifier: {} }],
      `${rule}.filters[0]: Invalid value: "object": filter.requestHeaderModifier must be nil if the filter.type is not RequestHeaderModifier`,
    ],
    [
      "a prefix to replace without one to match",
      rule,
      { backends, matches: path("Exact", "/foo"), filters: rewrite(prefixed) },
      `${rule}: Invalid value: "object": When using URLRewrite filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified`,
    ],
    [
      "a full path without its field",
      `${rule}.filters`,
      rewrite({ path: { type: "ReplaceFullPath" } }),
      `${rule}.filters[0].urlRewrite.path: Invalid value: "object": replaceFullPath must be specified when type is set to 'ReplaceFullPath'`,
    ],
    [
      "a relative path",
      `${rule}.matches`,
      path("Exact", "a"),
      `${rule}.matches[0].path: Invalid value: "object": value must be an absolute path and start with '/' ${inTypes}`,
    ],
    ...["//", "/./", "/../", "%2f", "%2F", "#"].map((part): [string, string, Json, ...string[]] => [
      `${part} in a path`,
      `${rule}.matches`,
      path("PathPrefix", `/a${part}b`),
      `${rule}.matches[0].path: Invalid value: "object": must not contain '${part}' ${inTypes}`,
      ...(part === "#" ? [`${rule}.matches[0].path: …must only contain valid characters…`] : []),
    ]),
    [
      "a path that goes up at its end",
      `${rule}.matches`,
      path("PathPrefix", "/a/.."),
      `${rule}.matches[0].path: Invalid value: "object": must not end with '/..' ${inTypes}`,
    ],
    [
      "a regular expression for the path",
      `${rule}.matches`,
      path("RegularExpression", "/.*"),
      `${rule}.matches[0].path.type: Unsupported value: "RegularExpression": supported values: "Exact", "PathPrefix"`,
    ],
    [
      "a regular expression for a header",
      `${rule}.matches`,
      [{ headers: [{ type: "RegularExpression", name: "a", value: ".*" }] }],
      `${rule}.matches[0].headers[0].type: Unsupported value: "RegularExpression": supported values: "Exact"`,
    ],
    [
      "too many headers",
      `${rule}.matches`,
      [{ headers }],
      `${rule}.matches[0].headers: Too many: 17: must have at most 16 items`,
    ],
    ...["Connection", "te", "Transfer-Encoding", "HOST", "Content-Length", "Via"].map(
      (name): [string, string, Json, ...string[]] => [
        `the header ${name}`,
        `${rule}.filters`,
        setting(name, "x"),
        `${rule}.filters[0].requestHeaderModifier.set[0].name: Invalid value: "${name}": is set by the gateway itself and cannot be changed`,
      ],
    ),
    [
      "the removal of Via, which shows that a request comes back",
      `${rule}.filters`,
      [{ type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["via"] } }],
      `${rule}.filters[0].requestHeaderModifier.remove[0]: Invalid value: "via": is set by the gateway itself…`,
    ],
    ...["a\nb", "a\u0000b", " a", "a\t"].map((value): [string, string, Json, ...string[]] => [
      `the value ${JSON.stringify(value)}`,
      `${rule}.filters`,
      setting("x-a", value),
      `${rule}.filters[0].requestHeaderModifier.set[0].value: Invalid value: …must have no control characters…`,
    ]),
  ])("%s is refused", (_, path, value, ...expected) => {
    const faults = faultsWith(path, value);
    expect(faults.length).toBe(expected.length);
    for (const [index, text] of expected.entries()) {
      for (const part of text.split("…")) expect(faults[index]).toContain(part);
    }
  });
});

test("a response's Via can be removed: it says only which way the response came", () => {
  const filters = [{ type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["Via"] } }];
  expect(faultsWith(`${rule}.filters`, filters)).toEqual([]);
});
