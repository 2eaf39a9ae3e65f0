import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import { projectsPath, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import {
  type Body,
  ComputePlane,
  condition,
  example,
  isRefused,
  locationIn,
  Observer,
  workload,
} from "../support/provider/compute-plane.ts";
import { startTestProvider, type TestProvider } from "../support/provider/emulated-provider.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** The flows of networks and workloads: what a watch sees, with the emulated provider. */

let platform: TestPlatform;
let provider: TestProvider;
let bearer: string;

setUpAll(async ({ keep, onEnd }) => {
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  provider = await startTestProvider(platform);
  // A test starts another one.
  onEnd(() => provider.stop());
});

const create = (name: string) => ComputePlane.create(platform, bearer, name);

describe("a workload", () => {
  test("network and location first: every step is seen", async () => {
    const plane = await create("flow-d");
    const observer = await Observer.start(plane, [
      ["compute", "workloads", "Available"],
      ["compute", "workloaddeployments", "Available"],
      ["compute", "instances", "Available"],
      ["networking", "networks", "Ready"],
      ["networking", "networkbindings", "Ready"],
      ["networking", "networkcontexts", "Ready"],
      ["networking", "subnetclaims", "Ready"],
      ["networking", "subnets", "Ready"],
    ]);
    await plane.deployAll();
    const ends = [
      "Workload/web True AvailablePlacementFound",
      "WorkloadDeployment/web-us-dfw True StableInstanceFound",
      "Instance/web-us-dfw-0 True InstanceIsRunning",
      "NetworkBinding/web-us-dfw-net-0 True NetworkContextReady",
      "Subnet/default-default-dfw-0 True Ready",
    ];
    await observer.sees(...ends);
    observer.stop();
    expect(observer.of("Workload")).toEqual([
      "web Unknown Pending",
      "web False NoAvailablePlacements",
      "web True AvailablePlacementFound",
    ]);
    expect(observer.of("WorkloadDeployment")).toEqual([
      "web-us-dfw Unknown Pending",
      "web-us-dfw False LocationAssigned",
      "web-us-dfw False ProvisioningNetwork",
      "web-us-dfw False ProvisioningInstances",
      "web-us-dfw True StableInstanceFound",
    ]);
    expect(observer.of("NetworkBinding")).toEqual([
      "web-us-dfw-net-0 Unknown Pending",
      "web-us-dfw-net-0 False NetworkContextNotReady",
      "web-us-dfw-net-0 True NetworkContextReady",
    ]);
    expect(observer.of("Subnet")).toEqual([
      "default-default-dfw-0 Unknown Pending",
      "default-default-dfw-0 False NotProgrammed",
      "default-default-dfw-0 True Ready",
    ]);
    expect(observer.of("Instance").slice(-3)).toEqual([
      "web-us-dfw-0 False InstanceIsProvisioning",
      "web-us-dfw-0 False InstanceIsStaging",
      "web-us-dfw-0 True InstanceIsRunning",
    ]);
    const subnet = await plane.get("networking", "subnets", "default-default-dfw-0");
    expect(subnet.status).toMatchObject({ prefixLength: 20, startAddress: expect.stringMatching(/^10\.1/) });
    const instance = await plane.get("compute", "instances", "web-us-dfw-0");
    const [first] = instance.status.networkInterfaces;
    expect(first.assignments.networkIP).toBe(subnet.status.startAddress.replace(/0$/, "2"));
  });

  test("scaling up and down, a new template, drift, deletion", async () => {
    const plane = await create("flow-f");
    await plane.deployAll(2);
    await plane.available("web");
    const names = async () =>
      (await plane.list("compute", "instances")).map(({ metadata }) => metadata.name).sort();
    await plane.areReady("web-us-dfw", 2);
    await plane.scale("web", 4);
    await plane.areReady("web-us-dfw", 4);
    await plane.scale("web", 3);
    await plane.areReady("web-us-dfw", 3);
    expect(await names()).toEqual(["web-us-dfw-0", "web-us-dfw-1", "web-us-dfw-2"]);

    // A new template: one at a time, from the top.
    const gone: string[] = [];
    let fewest = 3;
    const watch = await plane.watch("compute", "instances", (event) => {
      if (event.type === "DELETED") gone.push(event.object.metadata.name);
    });
    const counts = await plane.watch("compute", "workloaddeployments", ({ object }) => {
      fewest = Math.min(fewest, object.status.readyReplicas ?? 3);
    });
    const template = { spec: { template: { metadata: { labels: { release: "2" } } } } };
    await plane.patch("compute", "workloads", "web", template);
    await until("all have the new template", async () => {
      const instances = await plane.list("compute", "instances");
      const isNew = instances.every(({ metadata }) => metadata.labels.release === "2");
      return isNew && gone.length === 3;
    });
    await plane.areReady("web-us-dfw", 3);
    watch.stop();
    counts.stop();
    expect(gone).toEqual(["web-us-dfw-2", "web-us-dfw-1", "web-us-dfw-0"]);
    expect(fewest).toBe(2);

    // Drift is put back.
    await plane.patch("compute", "workloaddeployments", "web-us-dfw", { spec: { cityCode: "LHR" } });
    await until("the deployment is as it was", async () => {
      const found = await plane.get("compute", "workloaddeployments", "web-us-dfw");
      return found?.spec.cityCode === "DFW" && found.status.readyReplicas === 3;
    });
    await plane.delete("compute", "instances", "web-us-dfw-1");
    await plane.areReady("web-us-dfw", 3);

    await plane.delete("compute", "workloads", "web");
    await plane.gone("compute", "workloads", "web");
    expect(await names()).toEqual([]);
    expect(await plane.list("compute", "workloaddeployments")).toEqual([]);
  });

  test("a deployment for each city; no network: it waits; no location: refused", async () => {
    const plane = await create("flow-h");
    const refused = await platform.fetch(plane.path("compute", "workloads"), {
      ...{ method: "POST", bearer, body: workload("web") },
    });
    expect(refused.code).toBe(422);
    expect(refused.json.message).toContain('cityCodes[0]: Unsupported value: "DFW"');
    for (const code of ["DFW", "DLS", "LHR"]) {
      await plane.create("networking", "locations", locationIn(code));
    }
    const placements = [
      { name: "us", cityCodes: ["DFW", "DLS", "DFW"], scaleSettings: { minReplicas: 1 } },
      { name: "eu", cityCodes: ["LHR"], scaleSettings: { minReplicas: 1 } },
    ];
    await plane.create("compute", "workloads", workload("web", 1, placements));
    await until("the network is missed", async () => {
      const found = condition(await plane.get("compute", "workloads", "web"), "Available");
      return found.message === "Unable to find networks: default";
    });
    await plane.create("networking", "networks", example("network"));
    await plane.available("web");
    // One city is enough for that; the others follow.
    await until("each deployment is available", async () => {
      const deployments = await plane.list("compute", "workloaddeployments");
      const available = deployments.filter((each) => condition(each, "Available")?.status === "True");
      const names = available.map(({ metadata }) => metadata.name).sort();
      return names.join(" ") === "web-eu-lhr web-us-dfw web-us-dls";
    });
    expect(await plane.list("compute", "workloaddeployments")).toHaveLength(3);
    const subnets = await plane.list("networking", "subnets");
    expect(new Set(subnets.map(({ spec }) => spec.startAddress)).size).toBe(3);
  });

  test("a project that is deleted leaves nothing behind", async () => {
    const plane = await create("flow-g");
    await plane.deployAll();
    await plane.available("web");
    const path = `${projectsPath}/flow-g`;
    await platform.fetch(path, { method: "DELETE", bearer });
    await until("the project is gone", async () => (await platform.fetch(path, { bearer })).code === 404);
    const projects = await platform.fetch(path.replace(/\/flow-g$/, ""), { bearer });
    expect(projects.json.items.map(({ metadata }: Body) => metadata.name)).not.toContain("flow-g");
  });

  test("a virtual machine with a boot disk", async () => {
    const plane = await create("flow-e");
    await plane.create("networking", "locations", example("location"));
    await plane.create("networking", "networks", example("network"));
    const machine = workload("vm");
    const { metadata, spec } = machine.spec.template;
    metadata.annotations = { "compute.platformapis/ssh-keys": "me:ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me" };
    delete spec.runtime.sandbox;
    spec.runtime.virtualMachine = { volumeAttachments: [{ name: "boot" }] };
    const image = { name: "platformcloud/ubuntu-2204-lts" };
    const disk = { type: "pd-standard", populator: { image } };
    spec.volumes = [{ name: "boot", disk: { template: { spec: disk } } }];
    await plane.create("compute", "workloads", machine);
    await plane.available("vm");
  });

  test("goes on where it was when the server and the provider were restarted", async () => {
    const plane = await create("flow-restart");
    await plane.deployAll(5);
    await platform.restart();
    await provider.stop();
    provider = await startTestProvider(platform);
    await plane.areReady("web-us-dfw", 5);
    const addresses = (await plane.list("compute", "instances")).map(
      ({ status }) => status.networkInterfaces[0].assignments.networkIP,
    );
    expect(new Set(addresses).size).toBe(5);
  });

  test("a second provider of the same zone does nothing", async () => {
    const plane = await create("flow-two");
    await plane.deployAll();
    await plane.available("web");
    const second = await startTestProvider(platform, { provider: "second" });
    await isRefused(second);
    await plane.scale("web", 2);
    await plane.areReady("web-us-dfw", 2);
    const holders = (await plane.list("compute", "instances")).map(
      ({ metadata }) => metadata.annotations["compute.platformapis/provider"],
    );
    expect(holders).toEqual(["test", "test"]);
    await second.stop();
  });
});
