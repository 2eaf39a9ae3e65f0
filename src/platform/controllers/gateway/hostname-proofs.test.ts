import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { challengeOf, HostnameProofs, type LookUpTxt } from "./hostname-proofs.ts";

const coded = (code: string) => Object.assign(new Error(code), { code });
const proofsOf = (lookUp: LookUpTxt) => {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  return { clock, proofs: new HostnameProofs({ clock, lookUp }) };
};

test.each<[what: string, lookUp: LookUpTxt, outcome: string]>([
  ["the record", async () => [["other"], [challengeOf("a.example", "p1").value]], "proven"],
  [
    "the record in parts",
    async () => [challengeOf("a.example", "p1").value.split("=").join("=|").split("|")],
    "proven",
  ],
  ["another project's record", async () => [[challengeOf("a.example", "p2").value]], "missing"],
  ["no record", async () => Promise.reject(coded("ENODATA")), "missing"],
  ["no such name", async () => Promise.reject(coded("ENOTFOUND")), "missing"],
  ["no response", async () => Promise.reject(coded("ETIMEOUT")), "failed"],
  ["an error of the name server", async () => Promise.reject(coded("ESERVFAIL")), "failed"],
])("%s", async (_, lookUp, outcome) => {
  const { proofs, clock } = proofsOf(lookUp);
  expect(proofs.check("a.example", "p1", 1_000)).toBe("pending");
  await setImmediate();
  expect(proofs.check("a.example", "p1", 1_000)).toBe(outcome);
  clock.nowMs = 1_001;
  expect(proofs.check("a.example", "p1", 1_000)).toBe("pending");
});

test("a wildcard has the record of its domain", () => {
  expect(challengeOf("*.a.example", "p")).toEqual(challengeOf("a.example", "p"));
  expect(challengeOf("a.example", "p").name).toBe("_telemetryd-challenge.a.example");
  expect(challengeOf("a.example", "p").value).not.toBe(challengeOf("a.example", "q").value);
});

test("a project has 60 lookups a minute, some at once, and name servers that hang keep no other waiting", async () => {
  const asked: string[] = [];
  const { proofs, clock } = proofsOf((name) => {
    asked.push(name);
    return new Promise(() => undefined);
  });
  for (let index = 0; index < 100; index++) proofs.check(`h${index}.example`, "greedy", 1_000);
  expect(proofs.check("h99.example", "greedy", 1_000)).toBe("missing");
  await setImmediate();
  expect(asked.length).toBeLessThanOrEqual(8);
  proofs.check("other.example", "modest", 1_000);
  await setImmediate();
  expect(asked.at(-1)).toBe("_telemetryd-challenge.other.example");
  clock.nowMs = 60_000;
  expect(proofs.check("h99.example", "greedy", 1_000)).toBe("pending");
});
