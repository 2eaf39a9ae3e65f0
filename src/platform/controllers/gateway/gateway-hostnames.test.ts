import { expect, test } from "vitest";
import type { HostnameClaim, HostnameClaims } from "../../routing/hostname-claims.ts";
import { GatewayHostnames, lapseMs } from "./gateway-hostnames.ts";
import type { Proof } from "./hostname-proofs.ts";

const plane = { type: "project", name: "web", uid: "p1", organization: "acme" } as const;
const hourMs = 3_600_000;

/** Claims in memory: those in Redis have a test of their own with the platform. */
function hostnamesWith(proof: { now: Proof }, known: Record<string, HostnameClaim> = {}) {
  const stored = new Map(Object.entries(known));
  const clock = { ms: 1_000 * hourMs, nowMs: () => clock.ms };
  const claims: HostnameClaims = {
    of: async (all) => all.map((each) => stored.get(each)),
    claim: async (hostname, owner, nowMs) => {
      const found = stored.get(hostname);
      if (found !== undefined) return found.gateway === owner.gateway ? "held" : "taken";
      stored.set(hostname, { ...owner, checkedMs: nowMs });
      return "held";
    },
    note: async (hostname, claim) => void stored.set(hostname, claim),
    held: async (gateway) =>
      [...stored].flatMap(([name, claim]) => (claim.gateway === gateway ? [name] : [])),
    release: async (_, all) => all.forEach((each) => void stored.delete(each)),
  };
  const asked: string[] = [];
  const check = (hostname: string): Proof => {
    asked.push(hostname);
    return proof.now;
  };
  const hostnames = new GatewayHostnames({
    ...{ claims, clock, proofs: { check }, domain: "proxy.example" },
    zones: [{ domain: "web.zone.example", project: "web" }],
  });
  const look = async (name: string) => {
    const read = await hostnames.read(plane, "g1", [name]);
    const { states, againMs } = await hostnames.settle(plane, "g1", read);
    const state = states.get(name);
    return [state?.kind === "refused" ? state.reason : state?.kind, againMs];
  };
  return { hostnames, look, clock, asked, stored };
}

const claimOf = (project: string, gateway: string): HostnameClaim => ({
  project,
  gateway,
  checkedMs: 1_000 * hourMs,
});

test.each<[string, Proof, Record<string, HostnameClaim>, unknown]>([
  ["a.example.com", "proven", {}, ["held", undefined]],
  ["a.example.com", "pending", {}, ["HostnameNotVerified", 500]],
  ["a.example.com", "missing", {}, ["HostnameNotVerified", 10_000]],
  ["a.example.com", "proven", { "a.example.com": claimOf("p2", "g9") }, ["HostnameInUse", 10_000]],
  ["a.example.com", "proven", { "a.example.com": claimOf("p1", "g2") }, ["HostnameInUse", 10_000]],
  ["a.example.com", "missing", { "*.example.com": claimOf("p1", "g2") }, ["held", undefined]],
  ["a.example.com", "missing", { "*.example.com": claimOf("p2", "g9") }, ["HostnameNotVerified", 10_000]],
  ["x.proxy.example", "proven", {}, ["HostnameInUse", undefined]],
  ["*.proxy.example", "proven", {}, ["HostnameInUse", undefined]],
  ["a.web.zone.example", "missing", {}, ["held", undefined]],
  ["web.zone.example", "missing", {}, ["held", undefined]],
  ["*.zone.example", "proven", {}, ["held", undefined]],
])("%s, its proof %s, with claims %j: %j", async (name, now, known, expected) => {
  expect(await hostnamesWith({ now }, known).look(name)).toEqual(expected);
});

test("a proof is looked up again at times; without it, a hostname is served for seven days", async () => {
  const proof: { now: Proof } = { now: "proven" };
  const { look, clock, asked, stored } = hostnamesWith(proof);
  const name = "a.example.com";
  expect(await look(name)).toEqual(["held", undefined]);
  expect(await look(name)).toEqual(["held", 6 * hourMs]);
  expect(asked).toHaveLength(1);
  proof.now = "failed";
  clock.ms += 6 * hourMs;
  expect(await look(name)).toEqual(["held", hourMs]);
  expect(stored.get(name)?.lostMs).toBeUndefined();
  proof.now = "missing";
  expect(await look(name)).toEqual(["held", hourMs]);
  const lostMs = clock.ms;
  clock.ms += lapseMs;
  expect(await look(name)).toEqual(["held", hourMs]);
  expect(stored.get(name)?.lostMs).toBe(lostMs);
  proof.now = "proven";
  clock.ms += hourMs - 1;
  expect(await look(name)).toEqual(["held", undefined]);
  expect(stored.get(name)?.lostMs).toBeUndefined();
  proof.now = "missing";
  clock.ms += 6 * hourMs;
  await look(name);
  clock.ms += lapseMs + 1;
  expect(await look(name)).toEqual(["HostnameNotVerified", 10_000]);
});

test("the more hostnames of a project are missing, the less often each is looked for", async () => {
  const { hostnames } = hostnamesWith({ now: "missing" });
  const lookAs = async (gateway: string, ...names: string[]) =>
    (await hostnames.settle(plane, gateway, await hostnames.read(plane, gateway, names))).againMs;
  for (let index = 0; index < 100; index++) await lookAs(`g${index}`, `h${index}.example.com`);
  expect(await lookAs("last", "last.example.com")).toBe(101_000);
  for (let index = 0; index < 100; index++) await hostnames.releaseAll(plane, `g${index}`);
  expect(await lookAs("last", "last.example.com")).toBe(10_000);
});
