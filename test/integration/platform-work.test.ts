import "../support/leak-check.ts";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { RedisConnection } from "../../src/base/redis/connection.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import type { Plane } from "../../src/kube-server/api/plane.ts";
import { ready } from "../../src/kube-server/redis-start.ts";
import { createNumberClaims } from "../../src/kube-server/store/number-claims.ts";
import { createObjectStore, type ObjectStore } from "../../src/kube-server/store/object-store.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** The queue of the controllers' work, and numbers that one owner each holds, in a real Redis. */

const plane: Plane = { type: "project", name: "web", uid: "u1", organization: "acme" };
const other: Plane = { ...plane, name: "other", uid: "u2" };
const log = { maxEntries: 100, maxBytes: 1e6, organizationBytes: 1e7, crowdedBytes: 1e6 };
let redis: RunningServer;
let connection: RedisConnection;
let store: ObjectStore;

setUpAll(async ({ keep }) => {
  redis = await keep(startRedis({}));
  const room = createRedis({ urls: [redis.url], stateDirectory: "", clock: systemClock, log: silentLogger });
  connection = await keep(room.open("command", "test"));
  await ready(connection, systemClock, new AbortController().signal);
  store = createObjectStore(connection, {
    ...{ kinds: [], countedResources: [], log, quotas: { project: {}, organization: {} } },
  });
  await store.createPlane(plane);
});

test("work that is requested again while it is done stays, and keeps its sooner time", async () => {
  await store.addWork(plane, ["object a"], 1_000);
  const [taken] = await store.dueWork(plane, 1_000, 10);
  if (taken === undefined) throw new Error("nothing is due");
  // A change meanwhile.
  await store.addWork(plane, ["object a"], 500);
  await store.settleWork(plane, [{ ...taken, againAtMs: 60_000 }]);
  expect(await store.nextWorkMs(plane)).toBe(500);
  await store.settleWork(plane, [taken]);
  const [again] = await store.dueWork(plane, 1_000, 10);
  expect(again?.item).toBe("object a");
  if (again !== undefined) await store.settleWork(plane, [{ ...again, againAtMs: 60_000 }]);
  expect(await store.nextWorkMs(plane)).toBe(60_000);
});

test("numbers are given once, the lowest first, and come back", async () => {
  const claims = createNumberClaims(connection);
  const claim = (owner: string) => claims.claim(plane, "subnet", `${owner}/0`, [[2, 4]]);
  expect(await Promise.all(["a", "b", "c", "d"].map(claim))).toEqual([2, 3, 4, undefined]);
  expect(await claim("b")).toBe(3);
  await claims.releaseOf(plane, "b");
  expect(await claim("d")).toBe(3);
  expect(await claims.claim(other, "subnet", "a/0", [[2, 4]])).toBe(2);
});

test("shared numbers are given once over all planes", async () => {
  const claims = createNumberClaims(connection);
  const ranges = [
    [5, 5],
    [0, 1],
  ] as const;
  expect(await claims.claimShared("pool", "u1/a", ranges)).toBe(5);
  expect(await claims.claimShared("pool", "u2/a", ranges)).toBe(0);
  await claims.releaseShared("pool", "u1/a");
  expect(await claims.claimShared("pool", "u3/a", ranges)).toBe(5);
});
