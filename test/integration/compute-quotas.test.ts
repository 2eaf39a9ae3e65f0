import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { Quota, Quotas, Usage } from "../../src/kube-server/store/usage.ts";
import { assemble } from "../../src/platform/platform.ts";
import { groupDomain, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { type Body, ComputePlane, condition, example, workload } from "../support/provider/compute-plane.ts";
import { startTestProvider } from "../support/provider/emulated-provider.ts";
import { until } from "../support/until.ts";

/** What controllers make counts towards the quotas; instances, CPUs, memory and disks have quotas. */

const gibibyte = 2 ** 30;
const never = new AbortController().signal;
let releasers = new Releasers();

afterEach(async () => {
  await releasers.releaseAll();
  releasers = new Releasers();
});

interface Started {
  readonly platform: TestPlatform;
  readonly bearer: string;
  usage(): Promise<Usage>;
}

async function start(project: Quota, organization: Quota = {}): Promise<Started> {
  const quotas: Quotas = { project, organization };
  const platform = await startTestPlatform({ quotas });
  releasers.push(() => platform.stop());
  const provider = await startTestProvider(platform);
  releasers.push(() => provider.stop());
  const redis = new Redis(platform.redis.url);
  releasers.push(() => redis.disconnect());
  const { store } = assemble({ groupDomain, quotas, clock: systemClock, log: silentLogger }, redis, redis);
  const bearer = await platform.exchange(platform.token);
  return { platform, bearer, usage: () => store.organizationUsage("acme") };
}

const available = async (plane: ComputePlane, resource: string, name: string) =>
  condition(await plane.get("compute", resource, name), "Available");

/** Waits for a condition with the reason, and until its message has a text. */
async function exceeded(plane: ComputePlane, resource: string, name: string, text: RegExp): Promise<Body> {
  await until(`${resource}/${name} says that a quota is exceeded`, async () => {
    const found = await available(plane, resource, name);
    return found?.reason === "QuotaExceeded" && text.test(found.message);
  });
  return await available(plane, resource, name);
}

const proxy: Body = {
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name: "page" } },
  spec: { rules: [{ backends: [{ endpoint: "https://www.example.com" }] }] },
};

/** The Workload of the examples, this large. */
function large(name: string, bytes: number, minReplicas: number): Body {
  const body = workload(name, minReplicas);
  const [container] = body.spec.template.spec.runtime.sandbox.containers;
  container.env = Array.from({ length: 100 }, (_, index) => ({
    ...{ name: `V${index}`, value: "x".repeat(bytes / 100) },
  }));
  return body;
}

test("the copies of a large template count: a quota of 4 MiB holds, and says why", async () => {
  const limit = 4 * 2 ** 20;
  const { platform, bearer, usage } = await start({ objects: 200, bytes: limit });
  const plane = await ComputePlane.create(platform, bearer, "web");
  await plane.deployAll();
  await plane.available("web");
  await plane.create("compute", "workloads", large("big", 400_000, 150));
  const why =
    /exceeded quota: project, requested: bytes=4\d{5}, used: bytes=\d+, limited: bytes=4194304; delete/;
  await exceeded(plane, "workloaddeployments", "big-us-dfw", why);
  await exceeded(plane, "workloads", "big", why);
  const instances = (await plane.list("compute", "instances")).filter((each) =>
    /^big/.test(each.metadata.name),
  );
  expect(instances.length).toBeGreaterThan(3);
  expect(instances.length).toBeLessThan(9);
  // Conditions and finalizers are not refused, and small.
  expect((await usage()).bytes).toBeLessThan(limit + 50_000);

  // What is refused is tried again after a pause.
  await until("all instances have settled", async () => {
    const { status } = await plane.get("compute", "workloaddeployments", "big-us-dfw");
    return status.readyReplicas === instances.length;
  });
  await sleep(1_000, never);
  const versions = async () =>
    await Promise.all(
      [
        plane.get("compute", "workloaddeployments", "big-us-dfw"),
        plane.get("compute", "workloads", "big"),
      ].map(async (each) => (await each).metadata.resourceVersion),
    );
  const before = await versions();
  await sleep(3_000, never);
  expect(await versions()).toEqual(before);
  expect(await available(plane, "workloads", "big")).toMatchObject({
    status: "True",
    reason: "QuotaExceeded",
  });
  expect(await available(plane, "workloads", "web")).toMatchObject({ reason: "AvailablePlacementFound" });

  // Deletions are not refused, and give back.
  await plane.delete("compute", "workloads", "big");
  await plane.gone("compute", "workloads", "big");
  expect((await usage()).bytes).toBeLessThan(200_000);
  await plane.create("compute", "workloads", large("small", 10_000, 20));
  await until("all of its instances are available", async () => {
    return (await available(plane, "workloads", "small"))?.reason === "AvailablePlacementFound";
  });
  await plane.areReady("small-us-dfw", 20);
});

test("objects: whatever does not fit is named where people look, and is made once there is room", async () => {
  const { platform, bearer } = await start({ objects: 20 });
  const plane = await ComputePlane.create(platform, bearer, "web");
  const configMaps = `${plane.base}/api/v1/namespaces/default/configmaps`;
  const fill = async (): Promise<void> => {
    const body = { metadata: { generateName: "fill-" } };
    while ((await platform.fetch(configMaps, { method: "POST", bearer, body })).code === 201);
  };
  const room = async (): Promise<void> => {
    const { items } = (await platform.fetch(configMaps, { bearer })).json;
    const { name } = items[0].metadata;
    expect((await platform.fetch(`${configMaps}/${name}`, { method: "DELETE", bearer })).code).toBe(200);
  };
  await plane.create("networking", "locations", example("location"));
  await plane.create("networking", "networks", example("network"));
  await fill();
  await room();
  await plane.create("networking", "httpproxies", proxy);
  const programmed = async () =>
    condition(await plane.get("networking", "httpproxies", "page"), "Programmed");
  await until("the proxy says so", async () => (await programmed())?.reason === "QuotaExceeded");
  expect((await programmed()).message).toMatch(
    /^gateways\.gateway\.networking\.k8s\.io "page" is forbidden: .*delete/,
  );
  await room();
  await plane.create("compute", "workloads", workload("web"));
  const why = /exceeded quota: project, requested: objects=1, used: objects=20, limited: objects=20; delete/;
  await exceeded(plane, "workloads", "web", why);

  expect((await platform.fetch(configMaps, { method: "DELETE", bearer })).code).toBe(200);
  await plane.available("web");
  await until("neither says so", async () => {
    const reasons = [await programmed(), await available(plane, "workloads", "web")].map(
      ({ reason }) => reason,
    );
    return !reasons.includes("QuotaExceeded");
  });
}, 150_000);

test("instances, CPUs, memory and disks: what fits runs, the rest waits with the reason", async () => {
  const { platform, bearer, usage } = await start({ instances: 10, cpu: 4, diskBytes: 1_000 * gibibyte });
  const plane = await ComputePlane.create(platform, bearer, "web");
  await plane.deployAll(5);
  const why = /exceeded quota: project, requested: cpu=2, used: cpu=4, limited: cpu=4;/;
  const found = await exceeded(plane, "workloads", "web", why);
  await until(
    "the two instances run",
    async () => (await available(plane, "workloads", "web"))?.status === "True",
  );
  expect(found.message).toMatch(/"web-us-dfw-2" is forbidden/);
  expect(await usage()).toMatchObject({
    ...{ instances: 2, cpu: 4, memoryBytes: 16 * gibibyte, diskBytes: 20 * gibibyte },
  });
  await plane.scale("web", 2);
  await until("nothing is missing", async () => {
    return (await available(plane, "workloads", "web"))?.reason === "AvailablePlacementFound";
  });
  await plane.scale("web", 1);
  await plane.areReady("web-us-dfw", 1);
  expect(await usage()).toMatchObject({ instances: 1, cpu: 2 });
});

/** An Instance of a member's own, with a disk. */
function instance(name: string, storage: string): Body {
  const { spec } = workload(name).spec.template;
  const [container] = spec.runtime.sandbox.containers;
  container.volumeAttachments = [{ name: "data", mountPath: "/data" }];
  const resources = { requests: { storage } };
  const disk = { template: { spec: { resources, populator: { filesystem: { type: "ext4" } } } } };
  spec.volumes = [{ name: "data", disk }];
  return {
    ...{ apiVersion: "compute.platformapis/v1alpha", kind: "Instance", metadata: { name } },
    spec: { ...spec, location: { namespace: "default", name: "dfw" } },
  };
}

test("creations at the same time do not pass a quota; those of the organization hold over its projects", async () => {
  const project = { instances: 4, diskBytes: 100 * gibibyte };
  const { platform, bearer, usage } = await start(project, { memoryBytes: 40 * gibibyte });
  const planes = await Promise.all(
    ["web", "shop"].map((name) => ComputePlane.create(platform, bearer, name)),
  );
  const [web, shop] = planes as [ComputePlane, ComputePlane];
  const post = (plane: ComputePlane, body: Body) =>
    platform.fetch(plane.path("compute", "instances"), { method: "POST", bearer, body });
  const many = await Promise.all(
    Array.from({ length: 12 }, (_, index) => post(web, instance(`i${index}`, "10Gi"))),
  );
  expect(many.filter(({ code }) => code === 201)).toHaveLength(4);
  for (const { code, json } of many.filter((each) => each.code !== 201)) {
    expect([code, json.reason]).toEqual([403, "Forbidden"]);
    expect(json.message).toMatch(
      /^instances\.compute\.platformapis "i\d+" is forbidden: exceeded quota: project, requested: instances=1, used: instances=4, limited: instances=4$/,
    );
  }
  const disk = await post(shop, instance("d", "91Gi"));
  expect([disk.code, disk.json.message]).toEqual([
    403,
    'instances.compute.platformapis "d" is forbidden: exceeded quota: project, requested: disk=101Gi, used: disk=0, limited: disk=100Gi',
  ]);
  expect((await post(shop, instance("a", "10Gi"))).code).toBe(201);
  const memory = await post(shop, instance("b", "10Gi"));
  expect(memory.json.message).toContain(
    "exceeded quota: organization, requested: memory=8Gi, used: memory=40Gi, limited: memory=40Gi",
  );
  expect(await usage()).toMatchObject({ instances: 5, cpu: 10, diskBytes: 100 * gibibyte });

  const { items } = (await platform.fetch(web.path("compute", "instances"), { bearer })).json;
  await web.delete("compute", "instances", items[0].metadata.name);
  await until("there is room again", async () => (await post(shop, instance("b", "10Gi"))).code === 201);
});
