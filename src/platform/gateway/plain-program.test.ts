import fc from "fast-check";
import { expect, test } from "vitest";
import { programOf, type RuleParts } from "../../../test/support/gateway/route-program.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { commandWord } from "./haproxy/command-socket.ts";
import { plainPaths } from "./plain-program.ts";

const backend = { scheme: "http", host: "192.0.2.1", port: 80 } as const;
const prefix = (value: string) => ({ path: { type: "PathPrefix", value } as const });
const exact = (value: string) => ({ path: { type: "Exact", value } as const });
const others = (count: number): RuleParts[] =>
  Array.from({ length: count }, (_, index) => ({
    matches: [prefix(`/${index}`)],
    backend: { ...backend, port: 1_000 + index },
  }));
const isPlain = (program: RouteProgram): boolean => plainPaths(program) !== undefined;
const change = [{ set: [], add: [], remove: ["x-a"] }];

test.each<[what: string, rules: RuleParts[], expected: boolean]>([
  ["a backend", [{ backend }], true],
  ["a host and a limit", [{ backend, rewriteHostname: "b.example", timeoutMs: 5 }], true],
  ["nothing", [], true],
  ["no backend", [{ respond: 503 }], true],
  ["another status", [{ respond: 404 }], false],
  ["a redirect", [{ redirect: { statusCode: 301 } }], false],
  ["TLS", [{ backend: { ...backend, scheme: "https" } }], false],
  ["no port", [{ backend: { ...backend, port: 0 } }], false],
  ["a path", [{ backend, matches: [prefix("/a")] }], true],
  ["an exact path", [{ backend, matches: [exact("/a/%7e")] }], true],
  ["a path that ends a command", [{ backend, matches: [prefix("/a;b")] }], false],
  ["a path that ends a key", [{ backend, matches: [prefix("/a b")] }], false],
  ["a path that ends an exact one", [{ backend, matches: [exact("/a#")] }], false],
  ["a path that does not begin", [{ backend, matches: [exact("")] }], false],
  ["32 paths", [{ backend, matches: others(32).flatMap(({ matches = [] }) => matches) }], true],
  ["33 paths", [{ backend, matches: others(33).flatMap(({ matches = [] }) => matches) }], false],
  ["8 backends", others(8), true],
  ["9 backends", others(9), false],
  ["a path and TLS", [...others(1), { backend: { ...backend, scheme: "https" } }], false],
  ["a path and a redirect", [...others(1), { redirect: { statusCode: 301 } }], false],
  ["a redirect that no request has", [{ backend }, { redirect: { statusCode: 301 } }], true],
  [
    "a path and a method",
    [
      { backend, matches: [prefix("/a")] },
      { backend, matches: [{ method: "GET" }] },
    ],
    false,
  ],
  ["a method that decides nothing", [{ backend }, { respond: 500, matches: [{ method: "GET" }] }], true],
  ["a method before", [{ respond: 500, matches: [{ method: "GET" }] }, { backend }], false],
  ["a method", [{ backend, matches: [{ method: "GET" }] }], false],
  ["a listener", [{ backend, matches: [{ listeners: ["http"] }] }], false],
  ["request headers", [{ backend, requestHeaders: change }], false],
  ["response headers", [{ backend, responseHeaders: change }], false],
  ["another path", [{ backend, rewritePath: { type: "full", path: "/" } }], false],
  ["two rules", [{ backend }, { backend }], true],
  ["a host that ends an entry", [{ backend, rewriteHostname: "b.example|x" }], false],
  ["a host that ends a command", [{ backend, rewriteHostname: "b.example;x" }], false],
  ["a host that ends a line", [{ backend, rewriteHostname: "b.example\n" }], false],
  ["a limit that is none", [{ backend, timeoutMs: 0.5 }], false],
])("%s is plain: %s", (_, rules, expected) => {
  expect(isPlain(programOf(rules))).toBe(expected);
});

test.each([["a"], ["a b"], ["a|b"], ["a;b"], ["a\n"]])("a project whose uid is %j", (uid) => {
  const plane = { type: "project", name: "web", uid, organization: "acme" } as const;
  expect(isPlain(programOf([{ backend }], { plane }))).toBe(uid === "a");
});

test("a command's word has its special characters escaped, and no line break", () => {
  expect(commandWord("/a b;c\\d")).toBe("/a\\ b\\;c\\\\d");
  expect(() => commandWord("a\nb")).toThrow();
});

const path = fc
  .array(fc.constantFrom("a", "ab", "b", "A", "~", "a%2Fb"), { maxLength: 3 })
  .map((elements) => `/${elements.join("/")}`);
const match = fc.record({ type: fc.constantFrom("Exact" as const, "PathPrefix" as const), value: path });

test("the longest path that a request has leads to the rule of its first match", () => {
  fc.assert(
    fc.property(
      fc.array(match, { maxLength: 12 }),
      fc.array(path, { minLength: 20 }),
      (matches, requests) => {
        const program = programOf(matches.map((each) => ({ backend, matches: [{ path: each }] })));
        const paths = plainPaths(program);
        for (const request of requests) {
          const first = matches.findIndex(({ type, value }) =>
            type === "Exact" ? request === value : value === "/" || `${request}/`.startsWith(`${value}/`),
          );
          const found = paths?.filter(({ key }) =>
            key.startsWith("=") ? key === `=${request}#` : `${request}/`.startsWith(key),
          );
          const isExact = ({ key }: { key: string }) => Number(key.startsWith("="));
          found?.sort((a, b) => isExact(b) - isExact(a) || b.key.length - a.key.length);
          expect(found?.[0]?.rule ?? -1).toBe(first);
        }
      },
    ),
  );
});
