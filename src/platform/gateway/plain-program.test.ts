import { expect, test } from "vitest";
import { programOf, type RuleParts } from "../../../test/support/gateway/route-program.ts";
import { commandWord } from "./haproxy/command-socket.ts";
import { isPlain } from "./plain-program.ts";

const backend = { scheme: "http", host: "192.0.2.1", port: 80 } as const;
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
  ["a path", [{ backend, matches: [{ path: { type: "PathPrefix", value: "/a" } }] }], false],
  ["a method", [{ backend, matches: [{ method: "GET" }] }], false],
  ["a listener", [{ backend, matches: [{ listeners: ["http"] }] }], false],
  ["request headers", [{ backend, requestHeaders: change }], false],
  ["response headers", [{ backend, responseHeaders: change }], false],
  ["another path", [{ backend, rewritePath: { type: "full", path: "/" } }], false],
  ["two rules", [{ backend }, { backend }], false],
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
