import { afterEach, expect, test } from "vitest";
import { FakePlane } from "../../../test/support/plane/fake-plane.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import { until } from "../../../test/support/until.ts";
import { type Clock, systemClock } from "../../base/core/clock.ts";
import { valueAt } from "../../base/documents/yaml/document-path.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { EmulatedFaults } from "./emulated/emulated-faults.ts";
import { EmulatedRuntime } from "./emulated/emulated-runtime.ts";
import { conditionOf } from "./plane/conditions.ts";
import { finalizersOf, textAt } from "./plane/plane-object.ts";
import { createProvider, type Provider } from "./provider.ts";
import { type InstanceState, type Runtime, RuntimeError, type RuntimeInstance } from "./runtime/runtime.ts";

const groupDomain = "platformapis";
const paths = {
  locations: `networking.${groupDomain}/v1alpha/locations`,
  contexts: `networking.${groupDomain}/v1alpha/networkcontexts`,
  subnets: `networking.${groupDomain}/v1alpha/subnets`,
  instances: `compute.${groupDomain}/v1alpha/instances`,
};
const noFaults: EmulatedFaults = { missingRoles: [], domainRestricted: false, failInstances: [], hang: [] };
const location = { namespace: "default", name: "dfw" };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function emulated(faults: Partial<EmulatedFaults> = {}): EmulatedRuntime {
  return new EmulatedRuntime({ stepMs: 5, faults: { ...noFaults, ...faults }, clock: systemClock });
}

function runProvider(
  planes: Readonly<Record<string, FakePlane>>,
  runtime: Runtime = emulated(),
  provider = "provider-1",
  clock: Clock = systemClock,
): { provider: Provider; stop(): Promise<void> } {
  const running = createProvider({
    planes: {
      kind: "projects",
      projects: Object.entries(planes).map(([project, client]) => ({ project, client })),
    },
    ...{ provider, groupDomain, cloudProjectId: "local", zones: [], runtime },
    ...{ clock, log: silentLogger, random: () => 0 },
  });
  const abort = new AbortController();
  const ended = running.service.run(abort.signal);
  const stop = async () => {
    abort.abort();
    await ended;
  };
  stops.push(stop);
  return { provider: running, stop };
}

function putLocation(plane: FakePlane, spec: object = {}): void {
  const cloudA = { projectId: "local", region: "r", zone: "z", ...spec };
  plane.put(paths.locations, "default", "dfw", {
    spec: { locationClassName: "platform-managed", topology: {}, provider: { cloudA } },
  });
}

/** What the server's controllers make before an Instance. */
function putNetwork(plane: FakePlane): void {
  plane.put(paths.contexts, "default", "net-dfw", { spec: { network: { name: "net" }, location } });
  plane.put(paths.subnets, "default", "net-dfw-0", {
    spec: { networkContext: { name: "net-dfw" }, location, ipFamily: "IPv4" },
    status: {
      startAddress: "10.128.0.0",
      prefixLength: 20,
      conditions: [{ type: "Allocated", status: "True", reason: "PrefixAllocated", message: "" }],
    },
  });
}

/** No two instances have the same address: networks of two planes may have the same uid. */
let lastHost = 1;

function putInstance(plane: FakePlane, name: string, spec: object = {}): void {
  lastHost++;
  const networkIP = `10.128.${Math.floor(lastHost / 256)}.${lastHost % 256}`;
  plane.put(paths.instances, "default", name, {
    spec: {
      location,
      runtime: {
        resources: { instanceType: "platformcloud/d1-standard-2" },
        sandbox: { containers: [{ name: "app", image: "app:1" }] },
      },
      networkInterfaces: [{ network: { name: "net" } }],
      ...spec,
    },
    status: { networkInterfaces: [{ assignments: { networkIP } }] },
  });
}

/** A plane with the location, a network there and instances in it. */
function servedPlane(...instances: string[]): FakePlane {
  const plane = new FakePlane();
  putLocation(plane);
  putNetwork(plane);
  for (const name of instances) putInstance(plane, name);
  return plane;
}

function available(plane: FakePlane, name: string) {
  return conditionOf(plane.get(paths.instances, "default", name), "Available");
}

async function untilRunning(plane: FakePlane, name: string): Promise<void> {
  await until(`${name} runs`, () => available(plane, name)?.["reason"] === "InstanceIsRunning");
}

test("a control plane that refuses statuses is the provider's problem, until it accepts them", async () => {
  const plane = new FakePlane();
  plane.refuses = (method, path) => (method === "PATCH" && path.endsWith("/status") ? 403 : undefined);
  const { provider } = runProvider({ web: plane });
  putLocation(plane);
  await until("it has a problem", () => provider.problem()?.includes("web: ") === true);
  expect(provider.problem()).toContain("--role provider");
  // A write that needs no role does not hide it.
  putNetwork(plane);
  putInstance(plane, "a");
  await until("the instance is held", () =>
    plane.writes.some(({ path }) => !path.endsWith("/status") && path.endsWith("/a")),
  );
  expect(provider.problem()).toContain("--role provider");
  plane.refuses = () => undefined;
  await until("it has none", () => provider.problem() === undefined);
  // Another status may be the first that is accepted.
  const ready = () => conditionOf(plane.get(paths.locations, "default", "dfw"), "Ready");
  await until("the location is ready", () => ready()?.["status"] === "True");
});

function told(plane: FakePlane, path: string, type: string): unknown[] {
  const all = plane.writes
    .filter((write) => write.path.endsWith(`${path}/status`))
    .map(({ object }) => conditionOf(object, type)?.["reason"])
    .filter((reason) => reason !== undefined);
  return all.filter((reason, index) => reason !== all[index - 1]);
}

test("a location, a network and an instance become ready, each step in a write of its own", async () => {
  const plane = servedPlane("web-0");
  runProvider({ shop: plane });
  await untilRunning(plane, "web-0");
  expect(conditionOf(plane.get(paths.locations, "default", "dfw"), "Ready")).toMatchObject({
    status: "True",
    reason: "Emulated",
    message: "Location is ready (emulated)",
  });
  expect(told(plane, "net-dfw", "Programmed")).toEqual(["ProgrammingInProgress", "Programmed"]);
  expect(told(plane, "net-dfw", "Ready")).toEqual(["ProviderNetworkNotReady", "Ready"]);
  expect(told(plane, "net-dfw-0", "Programmed")).toEqual(["ProgrammingInProgress", "Programmed"]);
  const steps = ["InstanceIsProvisioning", "InstanceIsStaging", "InstanceIsRunning"];
  expect(told(plane, "web-0", "Available")).toEqual(steps);
  expect(available(plane, "web-0")).toMatchObject({
    status: "True",
    message: "Instance status is RUNNING (emulated)",
    observedGeneration: 1,
  });
  const instance = plane.get(paths.instances, "default", "web-0");
  expect(valueAt(instance, ["status", "networkInterfaces"])).toEqual([
    {
      assignments: {
        networkIP: expect.stringMatching(/^10\.128\./),
        externalIP: expect.stringMatching(/^198\.1[89]\./),
      },
    },
  ]);
  expect(finalizersOf(instance ?? {})).toEqual(["compute.platformapis/instance-provider"]);
});

test("nothing is written twice, and nothing after a restart", async () => {
  const plane = servedPlane("web-0");
  const first = runProvider({ shop: plane });
  await untilRunning(plane, "web-0");
  await first.stop();
  const before = plane.writes.length;
  const runtime = emulated();
  runProvider({ shop: plane }, runtime);
  await until("the instance is known again", async () => (await runtime.inventory()).instances.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(plane.writes.slice(before).map(({ path }) => path)).toEqual([]);
});

test("deletion in any order leaves nothing, in the plane or in the runtime", async () => {
  const plane = servedPlane("web-0");
  const runtime = emulated();
  runProvider({ shop: plane }, runtime);
  await untilRunning(plane, "web-0");
  plane.remove(paths.contexts, "default", "net-dfw");
  plane.remove(paths.subnets, "default", "net-dfw-0");
  plane.remove(paths.locations, "default", "dfw");
  plane.remove(paths.instances, "default", "web-0");
  await until("everything is gone", () => plane.objects.size === 0);
  expect(await runtime.inventory()).toEqual({ instances: [], networks: [] });
  expect(told(plane, "web-0", "Available").at(-1)).toBe("InstanceIsStopping");
});

test("all contexts of one network and location go with its last instance", async () => {
  const plane = servedPlane();
  plane.put(paths.contexts, "default", "net-dfw-again", { spec: { network: { name: "net" }, location } });
  putInstance(plane, "web-0");
  runProvider({ shop: plane });
  await untilRunning(plane, "web-0");
  const contexts = ["net-dfw", "net-dfw-again"];
  const held = () => contexts.map((name) => finalizersOf(plane.get(paths.contexts, "default", name) ?? {}));
  await until("both are held", () => held().every((finalizers) => finalizers.length > 0));
  for (const name of contexts) plane.remove(paths.contexts, "default", name);
  plane.remove(paths.subnets, "default", "net-dfw-0");
  plane.remove(paths.instances, "default", "web-0");
  await until("all of it is gone", () => [...plane.objects.keys()].every((key) => key.includes("locations")));
});

test("an instance waits for the Secret that its environment names, and says so", async () => {
  const plane = servedPlane();
  const env = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "login", key: "token" } } }];
  putInstance(plane, "web-0", {
    runtime: {
      resources: { instanceType: "platformcloud/d1-standard-2" },
      sandbox: { containers: [{ name: "app", image: "app:1", env }] },
    },
  });
  runProvider({ shop: plane });
  await until("it waits", () => available(plane, "web-0")?.["reason"] === "ReferenceNotFound");
  expect(available(plane, "web-0")?.["message"]).toBe(
    'not found: Secret "login"; the instance starts when it is there (emulated)',
  );
  const token = Buffer.from("s3cret").toString("base64");
  plane.put("v1/secrets", "default", "login", { data: { token } });
  await untilRunning(plane, "web-0");
  expect(JSON.stringify(plane.writes)).not.toContain("s3cret");
});

test("only locations of this cloud project are served; self-managed ones say whose they are", async () => {
  const [other, own, served] = [new FakePlane(), new FakePlane(), new FakePlane()];
  putLocation(other, { projectId: "elsewhere" });
  own.put(paths.locations, "default", "dfw", { spec: { locationClassName: "self-managed", provider: {} } });
  putLocation(served);
  runProvider({ other, own, served });
  const ready = (plane: FakePlane) => conditionOf(plane.get(paths.locations, "default", "dfw"), "Ready");
  await until("both are judged", () => ready(own) !== undefined && ready(served)?.["status"] === "True");
  expect(ready(own)).toMatchObject({ status: "Unknown", reason: "SelfManaged" });
  expect(other.writes).toEqual([]);
});

test("a second provider for the same location says so and leaves it alone", async () => {
  const plane = servedPlane();
  runProvider({ shop: plane });
  await until("the first one serves it", () => plane.writes.length >= 2);
  const runtime = emulated();
  const second = runProvider({ shop: plane }, runtime, "provider-2");
  await until("the second one knows", () => second.provider.problem() !== undefined);
  putInstance(plane, "web-0");
  await untilRunning(plane, "web-0");
  expect(second.provider.problem()).toBe(
    "another provider serves 1 of this provider's locations, such as default/dfw",
  );
  await until("the first one has answered", () => {
    const claim = textAt(
      plane.get(paths.locations, "default", "dfw"),
      "metadata",
      "annotations",
      "compute.platformapis/provider-claim",
    );
    return claim === '{"holder":"provider-1"}';
  });
  expect(await runtime.inventory()).toEqual({ instances: [], networks: [] });
});

/** An emulated runtime that may be unavailable. */
class LostRuntime extends EmulatedRuntime {
  isUnavailable = false;

  override async inventory() {
    this.#check();
    return super.inventory();
  }

  override async ensureInstance(instance: RuntimeInstance): Promise<InstanceState> {
    this.#check();
    return super.ensureInstance(instance);
  }

  #check(): void {
    if (this.isUnavailable) throw new RuntimeError("unavailable", "EngineUnavailable", "no engine responds");
  }
}

test("a runtime that is unavailable: operators see it at once, tenants after 30 s, of everything", async () => {
  const plane = servedPlane("web-0");
  const clock = new TestClock(1_750_000_000_000);
  const runtime = new LostRuntime({ stepMs: 5, faults: noFaults, clock: systemClock });
  const { provider } = runProvider({ shop: plane }, runtime, "provider-1", clock);
  const untilItRuns = () =>
    until("the instance runs", () => {
      clock.advance(100);
      return available(plane, "web-0")?.["reason"] === "InstanceIsRunning";
    });
  await untilItRuns();
  const ready = () => conditionOf(plane.get(paths.locations, "default", "dfw"), "Ready");
  runtime.isUnavailable = true;
  await until("operators hear of it", () => provider.problem() !== undefined);
  expect(provider.problem()).toBe("the provider's runtime does not respond: no engine responds");
  expect([ready()?.["reason"], available(plane, "web-0")?.["reason"]]).toEqual([
    ...["Emulated", "InstanceIsRunning"],
  ]);
  clock.advance(30_000);
  await until("the instance says so", () => available(plane, "web-0")?.["status"] === "Unknown");
  await until("the location says so", () => ready()?.["reason"] === "EngineUnavailable");
  // Why is the operator's: an engine's socket is a path of its machine.
  const shown = [ready(), available(plane, "web-0")].map((condition) => condition?.["message"]);
  expect(new Set(shown)).toEqual(
    new Set(["the location's engine does not respond; running instances continue"]),
  );
  runtime.isUnavailable = false;
  await untilItRuns();
  await until("the location is ready", () => ready()?.["status"] === "True");
  expect(provider.problem()).toBeUndefined();
});

test("faults of the configuration are shown, and only they", async () => {
  const plane = servedPlane("bad-0", "slow-0", "good-0");
  runProvider({ shop: plane }, emulated({ failInstances: ["bad-*"], hang: ["slow-0"] }));
  await untilRunning(plane, "good-0");
  const hasStatus = (name: string) => available(plane, name) !== undefined;
  await until("the others have a status", () => hasStatus("bad-0") && hasStatus("slow-0"));
  expect(available(plane, "bad-0")).toMatchObject({
    status: "False",
    reason: "StartFailed",
    message: "the instance fails as configured (emulated)",
  });
  expect(available(plane, "slow-0")?.["message"]).toBe(
    "Instance status is PROVISIONING: stays so as configured (emulated)",
  );
});

test("a plane that cannot be read holds up no other, and what it may hold is not removed", async () => {
  const [shop, silent] = [servedPlane("web-0"), new FakePlane()];
  silent.isUnavailable = true;
  runProvider({ shop, silent });
  await untilRunning(shop, "web-0");
});

test("a plane that can never be read keeps no other's leftovers, and nothing of its own is removed", async () => {
  const [shop, silent] = [servedPlane("web-0"), new FakePlane()];
  silent.isUnavailable = true;
  const runtime = emulated();
  const subnets = ["10.128.0.0/20"];
  // What a killed provider has left: of a plane that is read, of one that is not, and of an unknown one.
  const made = ["shop", "silent", "other"];
  for (const plane of made) {
    await runtime.ensureNetwork({ uid: `network-${plane}`, plane, name: "n", subnets, mtu: 1_460 });
    const attached = { networkUid: `network-${plane}`, address: "10.128.0.9", openPorts: [] };
    await runtime.ensureInstance({
      ...{
        uid: `instance-${plane}`,
        plane,
        name: "i",
        workload: "w",
        hostname: "i",
        cpus: 1,
        memoryBytes: 1,
      },
      ...{ networks: [attached], containers: [], pullSecrets: [] },
    });
  }
  const clock = new TestClock(1_750_000_000_000);
  runProvider({ shop, silent }, runtime, "provider-1", clock);
  const held = async () => {
    clock.advance(100);
    const { instances, networks } = await runtime.inventory();
    const uids = [...instances, ...networks].map(({ uid }) => uid);
    return uids.filter((uid) => made.some((plane) => uid.endsWith(`-${plane}`)));
  };
  const others = ["instance-silent", "instance-other", "network-silent", "network-other"];
  await until("the leftovers of the plane are gone", async () => (await held()).length === others.length);
  expect(await held()).toEqual(others);
  // The clock goes on: an attempt that failed is repeated after a pause.
  await until("web-0 runs", async () => {
    clock.advance(100);
    return available(shop, "web-0")?.["reason"] === "InstanceIsRunning";
  });
  silent.isUnavailable = false;
  await until("the other leftovers are gone", async () => (await held()).length === 0);
  expect(available(shop, "web-0")?.["reason"]).toBe("InstanceIsRunning");
});

test("thousands of instances of one project do not delay another's", async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `web-${index}`);
  const [crowd, single] = [servedPlane(...names), servedPlane()];
  runProvider({ crowd, single });
  await until("the crowd is worked on", () => available(crowd, "web-0") !== undefined);
  putInstance(single, "web-0");
  const sinceMs = performance.now();
  await untilRunning(single, "web-0");
  expect(performance.now() - sinceMs).toBeLessThan(2_000);
  await until("all run", () =>
    names.every((name) => available(crowd, name)?.["reason"] === "InstanceIsRunning"),
  );
});

/** An emulated runtime that says of itself that it is an engine. */
class EngineLike implements Runtime {
  readonly kind = "engine";
  readonly enforcesSources = false;
  readonly #runtime = emulated();
  readonly ensureNetwork = this.#runtime.ensureNetwork.bind(this.#runtime);
  readonly removeNetwork = this.#runtime.removeNetwork.bind(this.#runtime);
  readonly ensureInstance = this.#runtime.ensureInstance.bind(this.#runtime);
  readonly removeInstance = this.#runtime.removeInstance.bind(this.#runtime);
  readonly inventory = this.#runtime.inventory.bind(this.#runtime);
  readonly readLog = this.#runtime.readLog.bind(this.#runtime);
  readonly watch = this.#runtime.watch.bind(this.#runtime);
}

const rule = (...from: object[]) => ({ ports: [{ port: 80 }], from: from.map((ipBlock) => ({ ipBlock })) });
const withRules = (...ingress: object[]) => ({
  networkInterfaces: [{ network: { name: "net" }, networkPolicy: { ingress } }],
});
const ownedBy = (name: string) => ({
  ownerReferences: [{ kind: "WorkloadDeployment", name, uid: `uid-of-${name}`, controller: true }],
});

test("rules that an engine does not enforce: one warning for each deployment and set of rules", async () => {
  const plane = servedPlane();
  const everybody = rule({ cidr: "192.0.2.0/24" }, { cidr: "0.0.0.0/0" });
  const some = rule({ cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] }, { cidr: "192.0.2.0/24" });
  for (const [name, owner, ...rules] of [
    ["open-0", "open", everybody],
    ["web-0", "web", everybody, some],
    ["web-1", "web", everybody, some],
    ["web-2", "web", rule({ cidr: "192.0.2.7/32" })],
    ["single", undefined, some],
  ] as const) {
    putInstance(plane, name, withRules(...rules));
    if (owner !== undefined) plane.put(paths.instances, "default", name, { metadata: ownedBy(owner) });
  }
  const told = () => plane.writes.flatMap(({ object }) => (object["kind"] === "Event" ? [object] : []));
  const allRun = async () => {
    for (const name of ["open-0", "web-0", "web-1", "web-2", "single"]) await untilRunning(plane, name);
  };
  const first = runProvider({ shop: plane }, new EngineLike());
  await allRun();
  const path = "networkInterfaces[0].networkPolicy.ingress";
  const ranges = "(from 0.0.0.0/0 except 10.0.0.0/8, 192.0.2.0/24)";
  const about = (event: Record<string, unknown>) => [
    valueAt(event, ["involvedObject", "kind"]),
    valueAt(event, ["involvedObject", "name"]),
    /: (.*);/.exec(String(event["message"]))?.[1],
  ];
  expect(told().map(about).toSorted()).toEqual([
    ["Instance", "single", `${path}[0] ${ranges}`],
    ["WorkloadDeployment", "web", `${path}[0] (from 192.0.2.7/32)`],
    ["WorkloadDeployment", "web", `${path}[1] ${ranges}`],
  ]);
  expect(told()[0]).toMatchObject({ type: "Warning", reason: "NetworkPolicyNotEnforced", count: 1 });
  await first.stop();
  runProvider({ shop: plane }, new EngineLike());
  putInstance(plane, "web-3", withRules(everybody, some));
  plane.put(paths.instances, "default", "web-3", { metadata: ownedBy("web") });
  await untilRunning(plane, "web-3");
  expect(told()).toHaveLength(3);
});
