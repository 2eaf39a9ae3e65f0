import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { AddressLookups, type ProgramAddresses, settledState } from "./address-lookups.ts";
import type { HostState } from "./backend-addresses.ts";

const planeOf = (name: string): RouteProgram["plane"] => ({
  ...{ type: "project", name, uid: `${name}-uid`, organization: "acme" },
});
const heldOf = (plane: string, ...hosts: string[]): ProgramAddresses => ({
  program: programOf(
    hosts.map((host) => ({ backend: { scheme: "http", host, port: 80 } })),
    { plane: planeOf(plane) },
  ),
  states: new Map(),
});
const at = (address: string): HostState => ({ kind: "address", servers: [address], all: [address] });
const blocked: HostState = { kind: "blocked", reason: "private", publicReason: "private" };
const unresolved: HostState = { kind: "unresolved" };

/** Lookups whose answers a test decides; names that start with `slow` have none. */
function setUp() {
  const asked: string[] = [];
  const states: string[] = [];
  const gone = new Set<ProgramAddresses>();
  const answers = new Map<string, HostState>();
  const lookups = new AddressLookups<ProgramAddresses>({
    resolver: {
      resolve({ host }) {
        asked.push(host);
        if (host.startsWith("slow")) return new Promise(() => undefined);
        return Promise.resolve(answers.get(host) ?? at("1.2.3.4"));
      },
    },
    isCurrent: (held) => !gone.has(held),
    onState: (held, { host, port }) => states.push(`${host} ${held.states.get(`${host} ${port}`)?.kind}`),
  });
  const tick = async (nowMs: number): Promise<void> => {
    lookups.tick(nowMs);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
  };
  return { lookups, tick, gone, answers, asked: () => asked.splice(0), states: () => states.splice(0) };
}

const many = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}.example`);

test("each name is looked up at once, and every five seconds; an address once", async () => {
  const { lookups, tick, asked, states } = setUp();
  await lookups.add(heldOf("web", "a.example", "1.2.3.4"));
  expect([asked(), states()]).toEqual([
    ["a.example", "1.2.3.4"],
    ["a.example address", "1.2.3.4 address"],
  ]);
  await tick(4_999);
  expect(asked()).toEqual([]);
  await tick(5_000);
  await tick(9_999);
  expect([asked(), states()]).toEqual([["a.example"], []]);
  await tick(10_000);
  expect(asked()).toEqual(["a.example"]);
});

test("name servers that hang delay no other project's lookups", async () => {
  const { lookups, tick, asked } = setUp();
  void lookups.add(heldOf("noisy", ...many(500, "slow")));
  expect(asked()).toHaveLength(64);
  await lookups.add(heldOf("calm", "b.example"));
  expect(asked()).toEqual(["b.example"]);
  await tick(5_000);
  expect(asked()).toEqual(["b.example"]);
  await tick(10_000);
  expect(asked()).toEqual(["b.example"]);
});

test("a project with many names takes turns with others", async () => {
  const { lookups, asked } = setUp();
  const all = [
    lookups.add(heldOf("large", ...many(5_000, "large"))),
    lookups.add(heldOf("small", "small.example")),
  ];
  await Promise.all(all);
  expect(asked().indexOf("small.example")).toBeLessThan(200);
});

test("responses from a cache leave the event loop its turns", async () => {
  const { lookups } = setUp();
  let isDone = false;
  let turns = 0;
  const done = lookups.add(heldOf("web", ...many(10_000, "a"))).then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await setImmediate();
  await done;
  expect(turns).toBeGreaterThanOrEqual(10_000 / 200 - 1);
});

test("programs that are gone are not looked up again", async () => {
  const { lookups, tick, gone, asked } = setUp();
  const held = heldOf("web", "a.example");
  await lookups.add(held);
  gone.add(held);
  asked();
  await tick(5_000);
  expect(asked()).toEqual([]);
});

test("a host is blocked at once, and stays so for a minute, unless its program changes", async () => {
  const { lookups, tick, gone, answers, states } = setUp();
  const held = heldOf("web", "a.example");
  await lookups.add(held);
  const after = async (nowMs: number, found: HostState): Promise<string[]> => {
    answers.set("a.example", found);
    await tick(nowMs);
    return states();
  };
  states();
  expect(await after(5_000, blocked)).toEqual(["a.example blocked"]);
  for (let ms = 10_000; ms < 65_000; ms += 5_000) {
    expect(await after(ms, ms % 10_000 === 0 ? at("1.2.3.4") : blocked), String(ms)).toEqual([]);
  }
  expect(await after(65_000, at("1.2.3.4"))).toEqual(["a.example address"]);
  expect(await after(70_000, blocked)).toEqual(["a.example blocked"]);
  expect(await after(75_000, at("1.2.3.4"))).toEqual([]);
  gone.add(held);
  await lookups.add({ ...held, states: new Map(held.states) });
  expect(states()).toEqual(["a.example address"]);
});

test.each<[before: HostState | undefined, found: HostState, blockedForMs: number, counts: HostState]>([
  [undefined, at("1.2.3.4"), 0, at("1.2.3.4")],
  [undefined, blocked, 0, blocked],
  [at("1.2.3.4"), blocked, 0, blocked],
  [at("1.2.3.4"), at("5.6.7.8"), 0, at("5.6.7.8")],
  [unresolved, at("5.6.7.8"), 0, at("5.6.7.8")],
  [blocked, at("1.2.3.4"), 59_999, blocked],
  [blocked, unresolved, 59_999, blocked],
  [blocked, at("1.2.3.4"), 60_000, at("1.2.3.4")],
  [
    blocked,
    { kind: "blocked", reason: "denied", publicReason: "denied" },
    0,
    { kind: "blocked", reason: "denied", publicReason: "denied" },
  ],
])("%j, found %j after %i ms: %j", (before, found, blockedForMs, counts) => {
  expect(settledState(before, found, blockedForMs)).toEqual(counts);
});
