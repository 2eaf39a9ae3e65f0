import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { keyPrefix } from "../../src/base/redis/connection.ts";
import type { ProgramReport, StoredPrograms } from "../../src/platform/routing/program-store.ts";
import { createProgramStore } from "../../src/platform/routing/redis-program-store.ts";
import type { RouteProgram } from "../../src/platform/routing/route-program.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** The programs of gateways on a real Redis. */

let server: RunningServer;
let redis: Redis;
let store: StoredPrograms;

setUpAll(async ({ keep }) => {
  server = await keep(startRedis());
  redis = await keep(new Redis(server.url));
  store = createProgramStore(redis);
});
beforeEach(() => redis.flushall());

const programOf = (gateway: string, host = "192.0.2.1"): RouteProgram => ({
  gateway,
  plane: { type: "project", name: "web", uid: "p1", organization: "acme" },
  namespace: "default",
  name: gateway,
  listeners: ["http"],
  matches: [],
  rules: [
    {
      requestHeaders: [],
      responseHeaders: [],
      action: { type: "forward", backend: { scheme: "http", host, port: 80 } },
    },
  ],
  ownRanges: [],
});

async function everything(): Promise<string[]> {
  const found: string[] = [];
  for await (const part of store.all()) found.push(...part.map(({ gateway }) => gateway));
  return found.sort();
}

test("a version for each change; an equal program keeps its own", async () => {
  expect([await store.version(), await store.changesAfter(0), await everything()]).toEqual([
    0,
    { version: 0, programs: [], removed: [] },
    [],
  ]);
  const startedUs = Date.now() * 1_000;
  const first = await store.put(programOf("a"));
  const second = await store.put(programOf("b"));
  expect(await store.put(programOf("a"))).toBe(first);
  const third = await store.put(programOf("a", "192.0.2.2"));
  expect([first, second, third].sort((a, b) => a - b)).toEqual([first, second, third]);
  expect(first).toBeGreaterThan(startedUs - 1_000_000);
  expect([await store.version(), await everything()]).toEqual([third, ["a", "b"]]);
  expect(await store.changesAfter(0)).toEqual({
    version: third,
    programs: [programOf("b"), programOf("a", "192.0.2.2")],
    removed: [],
  });
  expect(await store.changesAfter(second)).toMatchObject({ version: third, programs: [{ gateway: "a" }] });
  expect(await store.changesAfter(third)).toEqual({ version: third, programs: [], removed: [] });
  expect(await store.versionOf(programOf("a", "192.0.2.2"))).toBe(third);
  expect(await store.versionOf(programOf("a"))).toBeUndefined();
  expect(await store.versionOf(programOf("c"))).toBeUndefined();
});

test("a version that the store has lost is not given again, and is unknown", async () => {
  await store.put(programOf("a"));
  const names = await redis.keys("*");
  const copies = await Promise.all(names.map((name) => redis.dumpBuffer(name)));
  const lost = await store.put(programOf("a", "192.0.2.2"));
  await redis.flushall();
  for (const [index, name] of names.entries()) await redis.restore(name, 0, copies[index] as Buffer);
  const next = await store.put(programOf("b"));
  expect(next).toBeGreaterThan(lost);
  // A gateway that has read the lost one would else keep it.
  expect(await store.changesAfter(lost)).toBeUndefined();
  expect(await store.changesAfter(next)).toEqual({ version: next, programs: [], removed: [] });
  // However far the clock was set back.
  await redis.set(`${keyPrefix}:gateway:version`, String(next + 3_600_000_000));
  expect(await store.put(programOf("c"))).toBe(next + 3_600_000_001);
});

test("a removal keeps its version; a forgotten one is still listed for an hour", async () => {
  await store.put(programOf("a"));
  const before = await store.put(programOf("b"));
  expect(await store.remove("never")).toBe(0);
  const version = await store.remove("a");
  expect(version).toBeGreaterThan(before);
  expect(await store.remove("a")).toBe(version);
  expect(await store.changesAfter(before)).toEqual({ version, programs: [], removed: ["a"] });
  await store.forget("a");
  await store.forget("b");
  await store.forget("never");
  expect(await store.changesAfter(0)).toEqual({ version, programs: [programOf("b")], removed: ["a"] });
  await redis.zadd(`${keyPrefix}:gateway:forgotten`, Date.now() - 3_700_000, "a");
  await store.forget("never");
  expect(await store.changesAfter(0)).toEqual({ version, programs: [programOf("b")], removed: [] });
  expect(await store.remove("a")).toBe(0);
});

async function earlier(): Promise<RouteProgram[]> {
  const found: RouteProgram[] = [];
  for await (const part of store.earlier()) found.push(...part);
  return found;
}

test("the version before an edit is kept until a later one is loaded, or the program is gone", async () => {
  const [first, second, third] = ["1", "2", "3"].map((end) => programOf("a", `192.0.2.${end}`));
  const before = await store.put(first as RouteProgram);
  await store.put(first as RouteProgram);
  expect(await earlier()).toEqual([]);
  const edited = await store.put(second as RouteProgram);
  expect(await earlier()).toEqual([first]);
  // The second was never loaded.
  const last = await store.put(third as RouteProgram);
  expect([await earlier(), await store.forgetEarlier(["a"], edited)]).toEqual([[first], []]);
  expect(await store.forgetEarlier(["a"], last + 1_000_000)).toEqual([]);
  expect(await earlier()).toEqual([first]);
  const other = await store.put(programOf("b"));
  await store.put(programOf("b", "192.0.2.4"));
  expect([before < last, await store.forgetEarlier(["a", "b"], other)]).toEqual([true, ["a"]]);
  expect(await earlier()).toEqual([programOf("b")]);
  await store.remove("b");
  expect(await earlier()).toEqual([]);
});

test("many changes are read in parts", async () => {
  const names = Array.from({ length: 450 }, (_, index) => `g${String(index).padStart(3, "0")}`);
  for (const name of names) await store.put(programOf(name));
  const found: string[] = [];
  const parts: number[] = [];
  let version = 0;
  for (;;) {
    const changes = await store.changesAfter(version);
    if (changes === undefined || changes.programs.length === 0) break;
    found.push(...changes.programs.map(({ gateway }) => gateway));
    parts.push(changes.programs.length);
    version = changes.version;
  }
  expect([found, parts, version]).toEqual([names, [200, 200, 50], await store.version()]);
  expect(await everything()).toEqual(names);
  const large = programOf("large", "x".repeat(3 * 2 ** 20));
  const before = await store.version();
  const after = await store.put(large);
  await store.put(programOf("small"));
  expect(await everything()).toEqual([...names, "large", "small"]);
  expect(await store.changesAfter(before)).toMatchObject({ version: after, programs: [large] });
  expect(await store.changesAfter(after)).toMatchObject({ programs: [{ gateway: "small" }] });
});

test("a program is loaded once all running gateways have it", async () => {
  const version = await store.put(programOf("a"));
  expect(await store.state("a", version)).toEqual({ running: 0, isLoaded: false, reports: [] });
  await store.heartbeat("one", 0);
  expect(await store.state("a", version)).toMatchObject({ running: 1, isLoaded: false });
  await store.heartbeat("one", version);
  expect(await store.state("a", version)).toMatchObject({ running: 1, isLoaded: true });
  await store.heartbeat("two", 0);
  expect(await store.state("a", version)).toMatchObject({ running: 2, isLoaded: false });
  await store.leave("two");
  expect(await store.state("a", version)).toMatchObject({ running: 1, isLoaded: true });
  // Loaded from a store that has lost its newest writes since.
  await store.heartbeat("one", version + 99);
  expect(await store.state("a", version)).toMatchObject({ running: 1, isLoaded: false });
});

test("a gateway that reports nothing counts no more, whatever the clock does", async () => {
  const version = await store.put(programOf("a"));
  const runners = `${keyPrefix}:gateway:runners`;
  await redis.hset(runners, "dead", `${Date.now() - 1} 0`, "ahead", `${Date.now() + 3_600_000} 0`);
  await store.heartbeat("one", version);
  expect(await store.state("a", version)).toMatchObject({ running: 1, isLoaded: true });
  expect(await redis.hkeys(runners)).toEqual(["one"]);
});

test("reports of the gateways that run", async () => {
  const version = await store.put(programOf("a"));
  const blocked = { blocked: { "192.0.2.1": "refused" }, resolved: { "example.com": "192.0.2.9" } };
  await store.report(
    "one",
    new Map<string, ProgramReport>([
      ["a", blocked],
      ["b", { refused: "no" }],
    ]),
  );
  expect(await store.state("a", version)).toMatchObject({ reports: [] });
  await store.heartbeat("one", version);
  expect(await store.state("a", version)).toMatchObject({ reports: [blocked] });
  expect(await store.state("b", version)).toMatchObject({ reports: [{ refused: "no" }] });
  await store.report("one", new Map([["b", undefined]]));
  expect(await store.state("b", version)).toMatchObject({ reports: [] });
  const many = new Map(Array.from({ length: 1_200 }, (_, index) => [`g${index}`, { refused: "no" }]));
  await store.report("one", many);
  expect(await store.state("g1199", version)).toMatchObject({ reports: [{ refused: "no" }] });
  expect(await redis.pttl(`${keyPrefix}:gateway:reports:one`)).toBeGreaterThan(500_000);
  await store.forgetReports("one");
  expect(await store.state("g1199", version)).toMatchObject({ running: 1, reports: [] });
  await store.report("one", many);
  await store.leave("one");
  expect(await redis.exists(`${keyPrefix}:gateway:reports:one`)).toBe(0);
});
