import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { silentLogger } from "../../src/base/log/log.ts";
import { createAdministration } from "../../src/kube-server/administration.ts";
import type { Plane } from "../../src/kube-server/api/plane.ts";
import type { WriteOptions } from "../../src/kube-server/resources/target.ts";
import { formerProjectsKey, objectKey, projectsKey } from "../../src/kube-server/store/keys.ts";
import { createNameSweep } from "../../src/platform/controllers/name-sweep.ts";
import { projectKind } from "../../src/platform/kinds/resourcemanager/project.ts";
import { assemble } from "../../src/platform/platform.ts";
import { groupDomain } from "../support/plane/platform.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll, setUpEach } from "../support/set-up.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

const retentionMs = 24 * 3_600_000;
const kind = projectKind(groupDomain);
const asMember: WriteOptions = {
  dryRun: false,
  fieldValidation: "Ignore",
  fieldManager: "test",
  subresource: "",
};

let server: RunningServer;
let redis: Redis;
let clock: TestClock;
let parts: ReturnType<typeof assemble>;
let acme: Plane;
let rival: Plane;

const assembled = (connection: Redis) =>
  assemble(
    { groupDomain, clock, log: silentLogger, projectNameRetentionMs: retentionMs },
    connection,
    connection,
  );

setUpAll(async ({ keep }) => {
  server = await keep(startRedis());
});
setUpEach(async ({ keep }) => {
  redis = await keep(new Redis(server.url));
  await redis.flushall();
  clock = new TestClock(1_800_000_000_000);
  parts = assembled(redis);
  const administration = createAdministration(parts);
  await administration.createOrganization("acme");
  await administration.createOrganization("rival");
  const organizations = await parts.directory.listOrganizations();
  const find = (name: string) => organizations.find((each) => each.name === name) as Plane;
  [acme, rival] = [find("acme"), find("rival")];
});

const targetOf = (plane: Plane, name: string) => ({ plane, kind, namespace: "", name });

/** "created", or the reason of the refusal or failure. */
async function create(plane: Plane, name = "web", { resources } = parts, options = asMember) {
  const body = { apiVersion: `${kind.group}/${kind.version}`, kind: "Project", metadata: { name } };
  try {
    await resources.create(targetOf(plane, name), body, undefined, options);
    return "created";
  } catch (error) {
    return (error as { status?: { reason?: string } }).status?.reason ?? (error as Error).message;
  }
}

const project = (plane: Plane, name = "web") => parts.resources.get(targetOf(plane, name));
const exists = async (plane: Plane, name = "web") =>
  (await parts.store.get(plane, objectKey(kind, "", name))) !== undefined;
const owner = async (name = "web") => {
  const record = await redis.hget(projectsKey, name);
  return record === null ? undefined : (JSON.parse(record) as { uid: string; organization: string });
};

/** Runs the project controller for one Project until it is done, or waits for something. */
async function reconcile(plane: Plane, name = "web"): Promise<void> {
  const controller = parts.controllers.find((each) => each.kind.kind === "Project");
  await controller?.reconcile(
    targetOf(plane, name),
    await project(plane, name),
    new AbortController().signal,
  );
}

async function ready(plane: Plane, name = "web") {
  const status = (await project(plane, name))["status"] as { conditions: { reason: string }[] };
  return status.conditions[0]?.reason;
}

async function remove(plane: Plane): Promise<void> {
  const old = await project(plane);
  const metadata = { ...old.metadata, deletionTimestamp: new Date(clock.nowMs()).toISOString() };
  await parts.resources.write(targetOf(plane, "web"), "MODIFIED", { ...old, metadata }, old);
  await until("the project is gone", async () => {
    if (await exists(plane)) await reconcile(plane);
    return !(await exists(plane));
  });
}

test("of two organizations that ask for the same names at once, one gets each, with its Project", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
  const other = new Redis(server.url);
  const second = assembled(other);
  await Promise.all(
    names.map(async (name) => {
      const outcomes = await Promise.all([create(acme, name), create(rival, name, second)]);
      expect(outcomes.toSorted()).toEqual(["AlreadyExists", "created"]);
      expect([await exists(acme, name), await exists(rival, name)]).toEqual(
        outcomes.map((outcome) => outcome === "created"),
      );
      const winner = outcomes[0] === "created" ? acme : rival;
      const { uid } = (await project(winner, name)).metadata;
      expect(await owner(name)).toEqual({ uid, organization: winner.name });
    }),
  );
  other.disconnect();
});

test.each([
  ["before the command", false],
  ["before the reply", true],
])("a connection that breaks %s leaves a Project with its name, or neither", async (_when, isRun) => {
  const breaking = new Redis(server.url);
  const run = breaking.evalsha.bind(breaking) as (...args: unknown[]) => Promise<unknown>;
  const broken = async (...args: unknown[]) => {
    if (isRun) await run(...args);
    throw new Error("Connection is closed.");
  };
  // The script is known, and the plane counted: the commit is the only command.
  expect(await create(acme, "first")).toBe("created");
  Object.assign(breaking, { evalsha: broken });
  expect(await create(acme, "web", assembled(breaking))).toBe("Connection is closed.");
  breaking.disconnect();
  expect(await exists(acme)).toBe(isRun);
  expect((await owner())?.organization).toBe(isRun ? "acme" : undefined);
  expect(await create(rival)).toBe(isRun ? "AlreadyExists" : "created");
});

test("a Redis that stalls during the commit does not give the name to another organization", async () => {
  expect(await create(acme, "first")).toBe("created");
  const impatient = new Redis(server.url, { commandTimeout: 50 });
  const stalled = assembled(impatient);
  await impatient.ping();
  await redis.call("CLIENT", "PAUSE", "600", "ALL");
  expect(await create(acme, "web", stalled)).toBe("Command timed out");
  await until("Redis has run what it received", () => exists(acme));
  expect((await owner())?.organization).toBe("acme");
  expect(await create(rival)).toBe("AlreadyExists");
  impatient.disconnect();
});

test("a rejected creation and a dry run take no name", async () => {
  const dryRun = { ...asMember, dryRun: true };
  expect(await create(acme, "web", parts, dryRun)).toBe("created");
  expect(await owner()).toBeUndefined();
  expect(await create(rival)).toBe("created");
  expect(await create(acme, "web", parts, dryRun)).toBe("AlreadyExists");
});

test("a deleted project's name is reserved for its organization until the retention has passed", async () => {
  expect(await create(acme)).toBe("created");
  await reconcile(acme);
  await remove(acme);
  expect(await owner()).toBeUndefined();
  expect(await create(rival)).toBe("AlreadyExists");
  expect(await create(acme)).toBe("created");
  await reconcile(acme);
  await remove(acme);
  clock.advance(retentionMs - 1);
  expect(await create(rival)).toBe("AlreadyExists");
  clock.advance(1);
  expect(await create(rival)).toBe("created");
  expect(await redis.hlen(formerProjectsKey)).toBe(0);
});

test("the sweep restores a lost name, releases an orphan and names a double owner", async () => {
  for (const name of ["web", "shop"]) {
    expect(await create(acme, name)).toBe("created");
    await reconcile(acme, name);
  }
  const before = await owner();
  await redis.hdel(projectsKey, "web", "shop");
  expect(await create(rival, "shop")).toBe("created");
  const record = (uid: string) => JSON.stringify({ uid, organization: "rival" });
  await redis.hset(projectsKey, "lost", record("no-project"));
  await redis.hset(formerProjectsKey, "old", JSON.stringify({ organization: "acme", untilMs: 1 }));
  // Its control plane exists: nothing that may hold objects is touched.
  await redis.hset(projectsKey, "kept", record("kept"));
  await parts.store.createPlane({ type: "project", name: "kept", uid: "kept", organization: "rival" });

  const due = await parts.store.dueWork(acme, clock.nowMs(), 100);
  await parts.store.settleWork(acme, due);
  await createNameSweep(parts)();

  const work = (await parts.store.dueWork(acme, clock.nowMs(), 100)).map(({ item }) => item);
  expect(work.toSorted()).toEqual(
    ["shop", "web"].map((name) => `object ${objectKey(kind, "", name)}`).toSorted(),
  );
  await reconcile(acme, "web");
  await reconcile(acme, "shop");
  expect(await owner()).toEqual(before);
  expect(await ready(acme)).toBe("ControlPlaneReady");
  expect(await ready(acme, "shop")).toBe("NameTaken");
  expect((await owner("shop"))?.organization).toBe("rival");
  expect(Object.keys(await redis.hgetall(projectsKey)).toSorted()).toEqual(["kept", "shop", "web"]);
  expect(await redis.hlen(formerProjectsKey)).toBe(0);
});
