import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { findCondition } from "../../src/kube-server/api/conditions.ts";
import type { Plane } from "../../src/kube-server/api/plane.ts";
import { createControlObjects } from "../../src/kube-server/controllers/control-objects.ts";
import { establishPlane } from "../../src/kube-server/controllers/plane-content.ts";
import { createNetworkBindingController } from "../../src/platform/controllers/networking/network-binding-controller.ts";
import { networkKind } from "../../src/platform/kinds/networking/network.ts";
import { networkBindingKind } from "../../src/platform/kinds/networking/network-binding.ts";
import { networkContextKind } from "../../src/platform/kinds/networking/network-context.ts";
import { assemble } from "../../src/platform/platform.ts";
import { DeclaredProject } from "../faults/compute/declared-project.ts";
import { declaredDifferences, sharedAddresses, stateOf } from "../faults/compute/differences.ts";
import { PersistentClient } from "../faults/compute/persistent-client.ts";
import { groupDomain, organizationBase, startTestPlatform } from "../support/plane/platform.ts";
import { startTestProvider } from "../support/provider/emulated-provider.ts";
import { startRedis } from "../support/servers.ts";
import { SteppedClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

/** Networks and workloads when something goes wrong meanwhile. */

const claim = `compute.${groupDomain}/provider-claim`;
const unusedSince = `networking.${groupDomain}/unused-since`;
const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

describe("controllers that do not see what another did a moment ago", () => {
  test("two bindings to a network at a location make one context", async () => {
    const server = await startRedis();
    releasers.push(() => server[Symbol.asyncDispose]());
    const redis = new Redis(server.url);
    releasers.push(() => Promise.resolve(redis.disconnect()));
    const plane: Plane = { type: "project", name: "web", uid: "u", organization: "acme" };
    const parts = assemble({ groupDomain, clock: systemClock, log: silentLogger }, redis, redis);
    await establishPlane(plane, parts.store, parts.resources);
    const objects = createControlObjects(parts, "test");
    const create = async (kind: ReturnType<typeof networkKind>, name: string, spec: object) => {
      const target = { plane, kind, namespace: "default", name };
      const object = await objects.create(target, { spec: { ...spec } });
      if (object === undefined) throw new Error(`${kind.kind} ${name} was not created`);
      return { target, object };
    };
    // The network a-b at c and the network a at b-c: their contexts would share a name.
    const places = [
      { network: "a-default-b", location: "c" },
      { network: "a", location: "b-default-c" },
    ];
    const bindings = [];
    for (const { network, location } of places) {
      await create(networkKind(groupDomain), network, { ipam: { mode: "Auto" } });
      for (const name of ["one", "two"]) {
        bindings.push(
          await create(networkBindingKind(groupDomain), `${network}-${name}`, {
            network: { name: network },
            location: { namespace: "default", name: location },
          }),
        );
      }
    }
    const contexts = async () => {
      const found: string[] = [];
      for await (const { metadata } of objects.each(plane, networkContextKind(groupDomain)))
        found.push(metadata.name ?? "");
      return found;
    };
    const controller = createNetworkBindingController({
      ...parts,
      store: { ...parts.store, dependents: async () => [] },
    });
    for (const { target, object } of bindings)
      await controller.reconcile(target, object, new AbortController().signal);
    expect(await contexts()).toEqual([
      "a-default-b-default-c",
      expect.stringMatching(/^a-default-b-default-c-[0-9a-f]{8}$/),
    ]);
  });
});

describe("a project with workloads", () => {
  const hourMs = 3_600_000;
  const serverClock = new SteppedClock();
  const providerClock = new SteppedClock();

  const start = async () => {
    const platform = await startTestPlatform({ clock: serverClock });
    releasers.push(() => platform.stop());
    const provider = await startTestProvider(platform, { clock: providerClock });
    releasers.push(() => provider.stop());
    const project = new DeclaredProject("shop", platform);
    await project.create(new PersistentClient(platform, organizationBase("acme")), "10.140.0.0/16");
    const instances = async () => {
      const { objects } = await stateOf(project);
      return objects.instance.map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
    };
    const settled = () =>
      until("everything is as declared", async () => {
        const state = await stateOf(project);
        return [...declaredDifferences(state), ...sharedAddresses([state])].length === 0;
      });
    return { platform, provider: provider.provider, project, instances, settled };
  };

  test("Redis is restarted in the middle of a deployment: it goes on, nothing is made twice", async () => {
    const { platform, project, instances, settled } = await start();
    await project.declare("before", { cities: ["DFW"], replicas: 1, version: 1, isLarge: false });
    await settled();
    const before = await instances();
    await project.declare("a", { cities: ["DFW", "LHR"], replicas: 20, version: 1, isLarge: false });
    await until("some instances are there", async () => (await instances()).length > 5);
    const early = await instances();
    await platform.redis.restart();
    await settled();
    const all = await instances();
    expect(all).toHaveLength(41);
    expect(all).toEqual(expect.arrayContaining([...before, ...early]));
  });

  test("clocks step by an hour: nothing is replaced, nobody loses a location, and work goes on", async () => {
    const { provider, project, instances, settled } = await start();
    const small = { replicas: 1, version: 1, isLarge: false };
    await project.declare("a", { ...small, cities: ["DFW"], replicas: 2 });
    await settled();
    const first = await instances();
    const claims = async () =>
      (await project.client.list("location")).map(({ metadata }) => metadata.annotations?.[claim]);
    const claimed = await claims();
    const steps = [
      ["the server's clock is ahead", hourMs, 0],
      ["the provider's is ahead as well", hourMs, hourMs],
      ["both are right again", 0, 0],
      ["the provider's is behind", 0, -hourMs],
    ] as const;
    const context = () => project.client.get("context", "default-default-lhr");
    for (const [name, server, ofProvider] of steps) {
      if (server < serverClock.aheadMs) {
        await project.declare("b", { ...small, cities: ["LHR"] });
        await settled();
        await project.remove("b");
        await until("the end of the unused network is due", async () => {
          return (await context())?.metadata.annotations?.[unusedSince] !== undefined;
        });
      }
      [serverClock.aheadMs, providerClock.aheadMs] = [server, ofProvider];
      await project.declare("c", { ...small, cities: ["DFW"] });
      await until(`${name}: the new workload runs`, async () => {
        const workload = await project.client.get("workload", "c");
        return workload !== undefined && findCondition(workload, "Available")?.["status"] === "True";
      });
      await project.remove("c");
      await until(`${name}: the unused network goes`, async () => (await context()) === undefined);
      await settled();
      expect(await instances(), name).toEqual(first);
      expect(await claims(), name).toEqual(claimed);
      expect(provider.problem(), name).toBeUndefined();
    }
  }, 400_000);
});
