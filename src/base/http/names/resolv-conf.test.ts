import { expect, test } from "vitest";
import { candidates, parseResolvConf } from "./resolv-conf.ts";

const pod = `search prod.svc.cluster.local svc.cluster.local cluster.local
nameserver 10.96.0.10
options ndots:5
`;

test.each<[string, ReturnType<typeof parseResolvConf>]>([
  ["", { domains: [], ndots: 1 }],
  [pod, { domains: ["prod.svc.cluster.local", "svc.cluster.local", "cluster.local"], ndots: 5 }],
  ["domain a.test\nsearch b.test. C.test .\n", { domains: ["b.test", "c.test"], ndots: 1 }],
  ["search a\n domain b c\r\n# search d\n", { domains: ["b"], ndots: 1 }],
  ["options timeout:1 ndots:99\noptions rotate ndots:x\n", { domains: [], ndots: 15 }],
  ["search a b c d e f g h", { domains: ["a", "b", "c", "d", "e", "f"], ndots: 1 }],
])("%j", (text, expected) => {
  expect(parseResolvConf(text)).toEqual(expected);
});

const rules = parseResolvConf(pod);
test.each([
  [
    "receiver",
    ["receiver.prod.svc.cluster.local", "receiver.svc.cluster.local", "receiver.cluster.local", "receiver"],
  ],
  ["a.b", ["a.b.prod.svc.cluster.local", "a.b.svc.cluster.local", "a.b.cluster.local", "a.b"]],
  ["a.b.c.d.e.f", ["a.b.c.d.e.f", "a.b.c.d.e.f.prod.svc.cluster.local"]],
  ["receiver.example.", ["receiver.example"]],
])("%s", (name, expected) => {
  expect(candidates(name, rules).slice(0, expected.length)).toEqual(expected);
});

test("without search domains there is one candidate, and none where a name is too long", () => {
  expect(candidates("a", parseResolvConf(""))).toEqual(["a"]);
  expect(candidates("a".repeat(254), parseResolvConf(""))).toEqual([]);
});
