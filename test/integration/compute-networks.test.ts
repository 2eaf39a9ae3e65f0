import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { KindDefinition } from "../../src/kube-server/api/kind.ts";
import type { JsonObject, KubeObject } from "../../src/kube-server/api/object.ts";
import type { Plane } from "../../src/kube-server/api/plane.ts";
import { serverWrites } from "../../src/kube-server/resources/target.ts";
import { createNumberClaims } from "../../src/kube-server/store/number-claims.ts";
import { assemble } from "../../src/platform/platform.ts";
import { EmulatedRuntime } from "../../src/platform/provider/emulated/emulated-runtime.ts";
import { responseMs } from "../../src/platform/provider/plane/claim.ts";
import {
  groupDomain,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import {
  type Body,
  type ComputeGroup,
  ComputePlane,
  condition,
  example,
  isRefused,
  locationIn,
  workload,
} from "../support/provider/compute-plane.ts";
import { startTestProvider } from "../support/provider/emulated-provider.ts";
import { setUpAll } from "../support/set-up.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

/** Networks, their addresses and their locations when something is used up, changed or away. */

let platform: TestPlatform;
let bearer: string;
let providerBearer: string;
let redis: Redis;

setUpAll(async ({ keep }) => {
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  providerBearer = await platform.exchange(platform.providerToken);
  redis = await keep(new Redis(platform.redis.url));
  const zones = ["us-south1-a", ...["DFW", "DLS", "LHR"].map((code) => `zone-${code}`)];
  await keep(startTestProvider(platform, { zones }));
});

const create = (name: string) => ComputePlane.create(platform, bearer, name);
const placement = (name: string, ...cityCodes: string[]) => ({
  ...{ name, cityCodes },
  scaleSettings: { minReplicas: 1 },
});
const networkNamed = (name: string, spec: Body = {}): Body => {
  const network = example("network");
  return { ...network, metadata: { name }, spec: { ...network.spec, ...spec } };
};
const available = async (plane: ComputePlane, resource: string, name: string): Promise<Body> =>
  condition(await plane.get("compute", resource, name), "Available");
const addressOf = async (plane: ComputePlane, instance: string): Promise<string | undefined> => {
  const { status } = (await plane.get("compute", "instances", instance)) ?? {};
  return status?.networkInterfaces?.[0].assignments.networkIP;
};

describe("networks of a project", () => {
  test("each has ranges of its own, and a workload may be in several", async () => {
    const plane = await create("net-two");
    await plane.create("networking", "locations", example("location"));
    for (const name of ["default", "back"]) {
      await plane.create("networking", "networks", networkNamed(name));
    }
    const web = workload("web");
    web.spec.template.spec.networkInterfaces = [
      { network: { name: "default" } },
      { network: { name: "back" } },
    ];
    await plane.create("compute", "workloads", web);
    await plane.available("web");
    const networks = await plane.list("networking", "networks");
    expect(networks.map(({ status }) => status.ipam.ipv4Ranges)).toEqual([
      ["10.128.0.0/9"],
      ["10.128.0.0/9"],
    ]);
    const [one, other] = networks.map(({ status }) => status.ipam.ipv6Ranges[0]);
    expect([one, other]).toEqual([
      expect.stringMatching(/^fd20:.*::\/48$/),
      expect.stringMatching(/^fd20:.*::\/48$/),
    ]);
    expect(one).not.toBe(other);
    const bindings = await plane.list("networking", "networkbindings");
    expect(bindings.map(({ metadata, status }) => [metadata.name, status.networkContextRef.name])).toEqual([
      ["web-us-dfw-net-0", "default-default-dfw"],
      ["web-us-dfw-net-1", "back-default-dfw"],
    ]);
    const instance = await plane.get("compute", "instances", "web-us-dfw-0");
    const starts = ["default-default-dfw-0", "back-default-dfw-0"].map(async (name) => {
      const { status } = await plane.get("networking", "subnets", name);
      return status.startAddress.replace(/0$/, "2");
    });
    expect(instance.status.networkInterfaces.map(({ assignments }: Body) => assignments.networkIP)).toEqual(
      await Promise.all(starts),
    );
  });

  test("a status is its provider's: a member cannot write it, by no method", async () => {
    const plane = await create("net-members");
    await plane.deployAll(1);
    await plane.available("web");
    const since = { message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [{ type: "Available", status: "True", reason: "Ready", ...since }];
    const by = { providers: "only providers write it", platform: "only the server writes it" };
    const refused: [ComputeGroup, string, string, string, string][] = [
      ["compute", "instances", "web-us-dfw-0", "admin", by.providers],
      ["networking", "subnets", "default-default-dfw-0", "admin", by.providers],
      ["networking", "networkcontexts", "default-default-dfw", "admin", by.providers],
      ["networking", "locations", "dfw", "admin", by.providers],
      ["compute", "workloads", "web", "admin", by.platform],
      ["compute", "workloads", "web", "provider", by.platform],
      ["networking", "networks", "default", "provider", by.platform],
    ];
    const users = { admin: "alice@example.com", provider: "provider@example.com" };
    for (const [group, resource, name, role, why] of refused) {
      const path = `${plane.path(group, resource, name)}/status`;
      const before = await plane.get(group, resource, name);
      const status = { conditions };
      const { apiVersion, kind } = before;
      const applied = { apiVersion, kind, metadata: { name }, status };
      const token = role === "admin" ? bearer : providerBearer;
      for (const [method, type, body] of [
        ["PUT", "application/json", { ...before, status }],
        ["PATCH", "application/merge-patch+json", { status }],
        ["PATCH", "application/json-patch+json", [{ op: "replace", path: "/status", value: status }]],
        ["PATCH", "application/apply-patch+yaml", applied],
      ] as const) {
        for (const query of ["", "&dryRun=All"]) {
          const headers = { "content-type": type };
          const url = `${path}?fieldManager=me${type.includes("apply") ? "&force=true" : ""}${query}`;
          const response = await platform.fetch(url, { method, bearer: token, headers, body });
          const verb = method === "PUT" ? "update" : "patch";
          const apiGroup = apiVersion.split("/")[0];
          const what = `resource "${resource}/status" in API group "${apiGroup}" in the namespace "default"`;
          const user = users[role as keyof typeof users];
          expect(response.json).toMatchObject({
            ...{ kind: "Status", code: 403, reason: "Forbidden" },
            details: { name, group: apiGroup, kind: resource },
            message: expect.stringContaining(
              `${resource}.${apiGroup} "${name}" is forbidden: User "${user}" cannot ${verb} ${what}: ${why}`,
            ),
          });
        }
      }
      // Through the object itself, a status is ignored.
      const main = plane.path(group, resource, name);
      const headers = { "content-type": "application/merge-patch+json" };
      const ignored = await platform.fetch(main, { method: "PATCH", bearer, headers, body: { status } });
      expect([ignored.code, ignored.json.status]).toEqual([200, before.status]);
    }
  });

  test("addresses are the server's: a provider cannot write them, and writes the rest of a status", async () => {
    const plane = await create("net-forged");
    await plane.deployAll(1);
    await plane.available("web");
    const address = await addressOf(plane, "web-us-dfw-0");
    const headers = { "content-type": "application/merge-patch+json" };
    const assignments = { networkIP: "10.20.5.5" };
    const forged: [ComputeGroup, string, string, Body][] = [
      ["compute", "instances", "web-us-dfw-0", { networkInterfaces: [{ assignments }] }],
      ["compute", "instances", "web-us-dfw-0", { networkInterfaces: [] }],
      ["compute", "instances", "web-us-dfw-0", null],
      ["networking", "subnets", "default-default-dfw-0", { startAddress: "10.20.0.0" }],
      ["networking", "subnets", "default-default-dfw-0", { prefixLength: 16 }],
    ];
    for (const [group, resource, name, status] of forged) {
      const path = `${plane.path(group, resource, name)}/status`;
      const options = { method: "PATCH", bearer: providerBearer, headers, body: { status } };
      const response = await platform.fetch(path, options);
      expect([response.code, response.json.reason, response.json.message]).toEqual([
        403,
        "Forbidden",
        expect.stringContaining(`"${name}" is forbidden: addresses in its status are assigned by the server`),
      ]);
    }
    expect(await addressOf(plane, "web-us-dfw-0")).toBe(address);
    const externalIP = "198.18.0.77";
    const kept = { networkInterfaces: [{ assignments: { networkIP: address, externalIP } }] };
    const path = `${plane.path("compute", "instances", "web-us-dfw-0")}/status`;
    const options = { method: "PATCH", bearer: providerBearer, headers, body: { status: kept } };
    const written = await platform.fetch(path, options);
    expect(written.code).toBe(200);
  });

  test("a provider's finalizers: members neither add nor remove them", async () => {
    const plane = await create("net-finalizers");
    await plane.deployAll(1);
    await plane.available("web");
    const held: [ComputeGroup, string, string, string][] = [
      ["compute", "instances", "web-us-dfw-0", "compute.platformapis/instance-provider"],
      ["networking", "subnets", "default-default-dfw-0", "networking.platformapis/subnet-provider"],
      ["networking", "networkcontexts", "default-default-dfw", "networking.platformapis/network-provider"],
    ];
    const headers = { "content-type": "application/merge-patch+json" };
    const write = (path: string, token: string, finalizers: readonly string[]) => {
      const body = { metadata: { finalizers } };
      return platform.fetch(path, { method: "PATCH", bearer: token, headers, body });
    };
    for (const [group, resource, name, finalizer] of held) {
      const path = plane.path(group, resource, name);
      const before = await plane.get(group, resource, name);
      const others = before.metadata.finalizers.filter((each: string) => each !== finalizer);
      const warning = expect.stringContaining(`only providers add and remove ${finalizer}`);
      const removed = await write(path, bearer, [...others, "example.com/mine"]);
      expect([removed.code, removed.headers["warning"]]).toEqual([200, warning]);
      expect(removed.json.metadata.finalizers).toEqual([...others, "example.com/mine", finalizer]);
      const back = await write(path, bearer, [...others, finalizer]);
      expect([back.code, back.headers["warning"]]).toEqual([200, undefined]);
      const { metadata, status: _, ...made } = before;
      const body = { ...made, metadata: { name: "made", finalizers: [finalizer, "example.com/mine"] } };
      const at = `${plane.path(group, resource)}?dryRun=All`;
      const created = await platform.fetch(at, { method: "POST", bearer, body });
      expect([created.code, created.headers["warning"]]).toEqual([201, warning]);
      expect(created.json.metadata.finalizers).not.toContain(finalizer);
      const byProvider = await write(`${path}?dryRun=All`, providerBearer, others);
      expect([byProvider.code, byProvider.json.metadata.finalizers ?? []]).toEqual([200, others]);
      expect(metadata.finalizers).toContain(finalizer);
    }
  });

  test("a subnet is the platform's: a member's own is allocated nothing, and no network is made", async () => {
    const plane = await create("net-own-subnet");
    await plane.deployAll(1);
    await plane.available("web");
    const subnet = await plane.get("networking", "subnets", "default-default-dfw-0");
    const head = { apiVersion: subnet.apiVersion, kind: "Subnet", metadata: { name: "mine" } };
    await plane.create("networking", "subnets", {
      ...head,
      spec: { ...subnet.spec, startAddress: "10.200.0.0" },
    });
    await until("it is refused", async () => {
      const mine = await plane.get("networking", "subnets", "mine");
      return condition(mine, "Allocated").reason === "NotAllocated";
    });
    const mine = await plane.get("networking", "subnets", "mine");
    const no = { status: "False", reason: "NotAllocated" };
    expect(condition(mine, "Allocated")).toMatchObject({
      ...no,
      message: expect.stringContaining("no SubnetClaim mine holds 10.200.0.0/20"),
    });
    expect(condition(mine, "Ready")).toMatchObject(no);
    expect(condition(mine, "Programmed").status).not.toBe("True");
    expect(mine.status.startAddress).toBeUndefined();
    // A claim of its name for another block changes nothing; one for this block makes it good.
    const claim = { ...head, kind: "SubnetClaim", spec: { ...subnet.spec, startAddress: "10.200.0.0" } };
    await plane.create("networking", "subnetclaims", claim);
    await until("it is allocated", async () => {
      const now = await plane.get("networking", "subnets", "mine");
      return condition(now, "Allocated").status === "True" && now.status.startAddress === "10.200.0.0";
    });
  });

  test("an address in a status that somebody changed is put back, from the platform's record", async () => {
    const plane = await create("net-record");
    await plane.deployAll(1);
    await plane.available("web");
    const address = await addressOf(plane, "web-us-dfw-0");
    const parts = assemble({ groupDomain, clock: systemClock, log: silentLogger }, redis, redis);
    const kind = parts.kinds.find(({ plural }) => plural === "instances") as KindDefinition;
    const project = (await parts.directory.listProjects()).find(({ name }) => name === plane.name) as Plane;
    const target = { plane: project, kind, namespace: "default", name: "web-us-dfw-0" };
    for (const networkInterfaces of [[{ assignments: { networkIP: "10.20.5.5" } }], []]) {
      const forge = (old: KubeObject) => ({
        object: { ...old, status: { ...(old["status"] as JsonObject), networkInterfaces } },
      });
      const options = { ...serverWrites("somebody"), subresource: "status" } as const;
      const { object } = await parts.resources.change(target, forge, options);
      expect(object["status"]).toMatchObject({ networkInterfaces });
      await until("it is put back", async () => (await addressOf(plane, "web-us-dfw-0")) === address);
    }
  });

  test("a subnet whose addresses are used up: the instance says so, and starts when one is free", async () => {
    const plane = await create("net-addresses");
    await plane.deployAll(1);
    await plane.available("web");
    const subnet = await plane.get("networking", "subnets", "default-default-dfw-0");
    await fillSubnet(plane, subnet.metadata.uid, 3, 4_091);
    await plane.scale("web", 3);
    await plane.areReady("web-us-dfw", 3);
    const prefix = subnet.status.startAddress.split(".").slice(0, 2).join(".");
    const addresses = await Promise.all([1, 2].map((index) => addressOf(plane, `web-us-dfw-${index}`)));
    expect(addresses.toSorted()).toEqual([
      expect.stringMatching(new RegExp(`^${prefix}\\.\\d+\\.252$`)),
      expect.stringMatching(new RegExp(`^${prefix}\\.\\d+\\.253$`)),
    ]);
    await plane.create("compute", "workloads", workload("late"));
    await until("the instance has no address", async () => {
      return (await available(plane, "instances", "late-us-dfw-0"))?.reason === "AddressesUsedUp";
    });
    const block = `${subnet.status.startAddress}/${subnet.status.prefixLength}`;
    expect(await available(plane, "instances", "late-us-dfw-0")).toMatchObject({
      status: "False",
      message: `subnet default-default-dfw-0 (${block}) has no free address`,
    });
    for (const [plural, name] of [
      ["workloaddeployments", "late-us-dfw"],
      ["workloads", "late"],
    ] as const) {
      await until(`the reason is that of ${plural}, too`, async () => {
        const { status, reason } = (await available(plane, plural, name)) ?? {};
        return status === "False" && reason === "AddressesUsedUp";
      });
    }
    const freed = await addressOf(plane, "web-us-dfw-2");
    await plane.scale("web", 2);
    await plane.available("late");
    expect(await addressOf(plane, "late-us-dfw-0")).toBe(freed);
  });

  test("a network whose ranges are used up: one location has it, the other waits until it goes", async () => {
    const plane = await create("net-ranges");
    for (const code of ["DFW", "LHR"]) await plane.create("networking", "locations", locationIn(code));
    const ipam = { mode: "Auto", ipv4Ranges: ["10.77.0.0/20"] };
    await plane.create("networking", "networks", networkNamed("default", { ipam }));
    const both = [placement("us", "DFW"), placement("eu", "LHR")];
    await plane.create("compute", "workloads", workload("web", 1, both));
    await plane.available("web");
    let refused: Body;
    await until("the other claim is refused", async () => {
      const claims = await plane.list("networking", "subnetclaims");
      refused = claims.find((claim) => condition(claim, "Allocated").reason === "NoFreeBlock");
      return refused !== undefined;
    });
    expect(condition(refused, "Allocated")).toMatchObject({
      status: "False",
      message: "no free /20 of the network: none of its IPv4 ranges has one",
    });
    const [has, waits] = refused.spec.location.name === "lhr" ? ["us-dfw", "eu-lhr"] : ["eu-lhr", "us-dfw"];
    await until("its deployment says why", async () => {
      const { reason, message } = await available(plane, "workloaddeployments", `web-${waits}`);
      return reason === "NoFreeBlock" && message.includes("no free /20 of the network");
    });

    // A city that is removed takes its deployment, then its network at the location with it.
    const left = both.filter(({ name }) => !has.startsWith(name));
    await plane.patch("compute", "workloads", "web", { spec: { placements: left } });
    await plane.gone("compute", "workloaddeployments", `web-${has}`);
    expect(await plane.get("compute", "instances", `web-${has}-0`)).toBeUndefined();
    await unusedForLong(plane, `default-default-${has.slice(-3)}`);
    await plane.areReady(`web-${waits}`, 1);
  });

  test("a subnet that the provider refuses: the workload and its deployment say why", async () => {
    const plane = await create("net-refused");
    await plane.create("networking", "locations", example("location"));
    const ipam = { mode: "Auto", ipv4Ranges: ["198.18.0.0/20"] };
    await plane.create("networking", "networks", networkNamed("default", { ipam }));
    await plane.create("compute", "workloads", workload("web"));
    const why = "subnet default-default-dfw-0: the subnet's block 198.18.0.0/20 is not private";
    let seen: Body;
    await until("the workload says why", async () => {
      seen = await available(plane, "workloads", "web");
      return seen.reason !== "NoAvailablePlacements" && seen.reason !== "Pending";
    });
    const refused = { status: "False", reason: "InvalidSubnet" };
    expect(seen).toMatchObject({ ...refused, message: expect.stringContaining(`web-us-dfw: ${why}`) });
    expect(await available(plane, "workloaddeployments", "web-us-dfw")).toMatchObject({
      ...refused,
      message: expect.stringContaining(why),
    });
    expect(await plane.list("compute", "instances")).toEqual([]);
  });

  test("a network of mode Policy gets no subnets: its deployments wait, and say why", async () => {
    const plane = await create("net-policy");
    await plane.create("networking", "locations", example("location"));
    await plane.create("networking", "networks", networkNamed("default", { ipam: { mode: "Policy" } }));
    await plane.create("compute", "workloads", workload("web"));
    await until("the claim is refused", async () => {
      const claim = await plane.get("networking", "subnetclaims", "default-default-dfw-0");
      return condition(claim, "Allocated").reason === "NoFreeBlock";
    });
    await until("the workload says why", async () => {
      const { reason, message } = await available(plane, "workloads", "web");
      return reason === "NoFreeBlock" && message.includes("subnet claim default-default-dfw-0: no free /20");
    });
    expect(await plane.list("networking", "subnets")).toEqual([]);
    expect((await plane.get("networking", "networks", "default")).status.ipam).toEqual({
      ...{ ipv4Ranges: [], ipv6Ranges: [] },
    });
  });

  test("what a binding made goes when no binding is left, what a user made stays", async () => {
    const plane = await create("net-unused");
    await plane.deployAll();
    const own = {
      ...{ apiVersion: "networking.platformapis/v1alpha", kind: "NetworkContext", metadata: { name: "own" } },
      spec: { network: { name: "back" }, location: { name: "dfw", namespace: "default" } },
    };
    await plane.create("networking", "networks", networkNamed("back"));
    await plane.create("networking", "networkcontexts", own);
    await plane.available("web");
    await plane.delete("compute", "workloads", "web");
    await plane.gone("compute", "workloads", "web");
    expect(await plane.list("compute", "instances")).toEqual([]);
    await plane.gone("networking", "networkbindings", "web-us-dfw-net-0");
    await unusedForLong(plane, "default-default-dfw");
    expect(await plane.list("networking", "subnets")).toEqual([]);
    expect(await plane.list("networking", "subnetclaims")).toEqual([]);
    expect((await plane.list("networking", "networkcontexts")).map(({ metadata }) => metadata.name)).toEqual([
      "own",
    ]);
    // The next workload gets it again.
    await plane.create("compute", "workloads", workload("web"));
    await plane.available("web");
  });
});

describe("a provider that was stopped", () => {
  const locationIn = (zone: string): Body => {
    const location = example("location");
    location.spec.provider.cloudA.zone = zone;
    return location;
  };
  const deploy = async (plane: ComputePlane, zone: string, ...names: string[]): Promise<void> => {
    await plane.create("networking", "locations", locationIn(zone));
    await plane.create("networking", "networks", example("network"));
    for (const name of names) await plane.create("compute", "workloads", workload(name));
    for (const name of names) await plane.available(name);
  };
  const holderOf = async (plane: ComputePlane): Promise<Body> => {
    const { metadata } = await plane.get("networking", "locations", "dfw");
    return JSON.parse(metadata.annotations["compute.platformapis/provider-claim"]);
  };

  test("is replaced by another one that asked for 90 s, and does not take the place back", async () => {
    const plane = await create("away-taken");
    const zones = ["zone-taken"];
    const first = await startTestProvider(platform, { provider: "first", zones });
    await deploy(plane, "zone-taken", "web");
    const before = await plane.get("compute", "instances", "web-us-dfw-0");
    await first.stop();
    await plane.scale("web", 2);
    const clock = new TestClock(Date.now());
    const second = await startTestProvider(platform, { provider: "second", zones, clock, stepMs: 0 });
    await until("the second one asks", async () => (await holderOf(plane)).challenger === "second");
    await isRefused(second);
    expect(clock.monotonicMs()).toBe(0);
    await until("the second one has the place", async () => {
      clock.advance(5_000);
      return (await holderOf(plane)).holder === "second";
    });
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(responseMs);
    await plane.areReady("web-us-dfw", 2);
    expect(second.provider.problem()).toBeUndefined();
    const instances = await plane.list("compute", "instances");
    expect(instances.map(({ metadata }) => metadata.annotations["compute.platformapis/provider"])).toEqual([
      "second",
      "second",
    ]);
    const after = instances.find(({ metadata }) => metadata.name === "web-us-dfw-0");
    expect([after.metadata.uid, after.status.networkInterfaces]).toEqual([
      ...[before.metadata.uid, before.status.networkInterfaces],
    ]);
    const again = await startTestProvider(platform, { provider: "first", zones });
    await isRefused(again);
    await plane.scale("web", 3);
    await plane.areReady("web-us-dfw", 3);
    await plane.delete("compute", "workloads", "web");
    await plane.gone("compute", "workloads", "web");
    await again.stop();
    await second.stop();
  });

  test("finishes deletions, and removes what is no longer known", async () => {
    const plane = await create("away-leftovers");
    const faults = { missingRoles: [], domainRestricted: false, failInstances: [], hang: [] };
    const runtime = new EmulatedRuntime({ stepMs: 20, faults, clock: systemClock });
    const options = { provider: "away", zones: ["zone-leftovers"], runtime };
    const before = await startTestProvider(platform, options);
    await deploy(plane, "zone-leftovers", "kept", "deleted", "forced");
    const uids = await Promise.all(
      ["kept", "deleted", "forced"].map(async (name) => {
        return (await plane.get("compute", "instances", `${name}-us-dfw-0`)).metadata.uid as string;
      }),
    );
    const held = async () => (await runtime.inventory()).instances.map(({ uid }) => uid).toSorted();
    expect(await held()).toEqual(uids.toSorted());
    await before.stop();
    for (const name of ["deleted", "forced"]) await plane.delete("compute", "workloads", name);
    await until("the instance waits for its provider", async () => {
      const { metadata } = await plane.get("compute", "instances", "forced-us-dfw-0");
      return metadata.deletionTimestamp !== undefined;
    });
    const operator = plane.as(providerBearer);
    await operator.patch("compute", "instances", "forced-us-dfw-0", { metadata: { finalizers: [] } });
    await plane.gone("compute", "workloads", "forced");
    expect(await plane.get("compute", "workloads", "deleted")).toBeDefined();
    expect(await held()).toHaveLength(3);

    // Pauses are short with this clock: it looks at what the runtime holds again and again.
    const after = await startTestProvider(platform, { ...options, clock: new TestClock(Date.now()) });
    await plane.gone("compute", "workloads", "deleted");
    await until("only what is wanted is left", async () => (await held()).join() === uids[0]);
    expect((await runtime.inventory()).networks).toHaveLength(1);
    expect((await available(plane, "instances", "kept-us-dfw-0")).reason).toBe("InstanceIsRunning");
    await after.stop();
  });
});

/** Claims addresses of a subnet for instances that are not there. */
async function fillSubnet(plane: ComputePlane, subnetUid: string, first: number, last: number) {
  const path = `${projectsPath}/${plane.name}`;
  const { uid } = (await platform.fetch(path, { bearer })).json.metadata;
  const claims = createNumberClaims(redis);
  const at = { type: "project", name: plane.name, uid, organization: "acme" } as const;
  const hosts = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  await Promise.all(hosts.map((host) => claims.claim(at, subnetUid, `filler-${host}/0`, [[host, host]])));
}

/** Makes a NetworkContext believe that its last binding went a minute ago, and waits until it is gone. */
async function unusedForLong(plane: ComputePlane, context: string): Promise<void> {
  const since = "networking.platformapis/unused-since";
  await until("it is marked as unused", async () => {
    const { metadata } = await plane.get("networking", "networkcontexts", context);
    return metadata.annotations[since] !== undefined;
  });
  const annotations = { [since]: new Date(Date.now() - 60_000).toISOString() };
  await plane.patch("networking", "networkcontexts", context, { metadata: { annotations } });
  await plane.gone("networking", "networkcontexts", context);
}
