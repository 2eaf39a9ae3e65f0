import { expect, test } from "vitest";
import { makeInstance, makeNetwork } from "../../../../test/support/contracts/runtime.ts";
import { type RuntimeAttachment, RuntimeError, type RuntimeInstance } from "../runtime/runtime.ts";
import { nestedMounts } from "./container-mounts.ts";
import {
  type ContainerSettings,
  checkInstance,
  containerBody,
  endpoint,
  firstAddress,
  publishedPorts,
  specificationHash,
} from "./specification.ts";

const network = makeNetwork("10.1.2.0/24");
const instance = makeInstance("web:1", network, { uid: "u1" });
const [main] = instance.containers;
const withMain = (changes: object): RuntimeInstance => ({
  ...instance,
  containers: [{ ...main!, ...changes }],
});
const disk = (path: string, volume = "data"): RuntimeInstance =>
  withMain({ mounts: [{ kind: "disk", volume, path, sizeBytes: 1 }] });
const shown = (path: string, volume = "pages") =>
  ({ kind: "files", volume, path, files: { mode: 0o400, contents: {} } }) as const;

test.each<[string, RuntimeInstance]>([
  // With these, Podman 4.3 mounts /etc of its machine.
  ["a path with a comma", disk("/data,source=/etc")],
  ["a path with a quote", disk('/data"')],
  ["a path with a line feed", disk("/data\n")],
  ["a path with a colon", disk("/data:rw")],
  ["a relative path", disk("data")],
  ["the root", disk("/")],
  ["a path that climbs", disk("/data/../etc")],
  ["two volumes at one path", withMain({ mounts: [shown("/data"), shown("/data/", "keys")] })],
  [
    "a volume in what is kept of files",
    withMain({ mounts: [shown("/data"), shown("/data/..data/a", "keys")] }),
  ],
  ["a volume that climbs", disk("/data", "../data")],
  ["a variable without a name", withMain({ env: { "": "x" } })],
  ["a variable's name with a value", withMain({ env: { "A=B": "x" } })],
  ["a container's name", withMain({ name: "-x" })],
  ["an image of the machine", withMain({ image: "docker-archive:/etc/passwd" })],
  ["no container", { ...instance, containers: [] }],
  ["containers of one name", { ...instance, containers: [main!, main!] }],
  ["a hostname", { ...instance, hostname: "a b" }],
  ["a uid that climbs", { ...instance, uid: ".." }],
  ["an address", { ...instance, networks: [{ ...instance.networks[0]!, address: "10.1.2.3,x=y" }] }],
  ["a network", { ...instance, networks: [{ ...instance.networks[0]!, networkUid: "a,b" }] }],
])("%s is refused", (_, refused) => {
  expect(() => checkInstance(refused)).toThrow(RuntimeError);
});

test.each(["/data", "/data/", "/srv/www/.well-known", "/var/lib/a_b@1+2"])("%s is a path", (path) => {
  expect([...checkInstance(disk(path)).keys()]).toEqual(["main"]);
});

test("hostile paths take linear time", () => {
  const startMs = performance.now();
  for (const part of ["/a", "/.", "a", "//"]) {
    expect(() => checkInstance(disk(`/${part.repeat(2 ** 18)}!`))).toThrow(RuntimeError);
  }
  expect(performance.now() - startMs).toBeLessThan(2_000);
});

test.each<[what: string, changed: RuntimeInstance, isSame: boolean]>([
  ["an environment", withMain({ env: { GREETING: "bye" } }), false],
  ["an image", withMain({ image: "web:2" }), false],
  ["memory", { ...instance, memoryBytes: 1 }, false],
  ["a disk", disk("/data"), false],
  ["machine", withMain({ machine: { volumes: [], users: new Map(), ports: [] } }), false],
  ["credentials", { ...instance, pullSecrets: [{ registry: "r", username: "u", password: "p" }] }, true],
  ["a workload's name", { ...instance, workload: "default/other" }, true],
])("whether another %s needs new containers", (_, changed, isSame) => {
  expect(specificationHash(changed) === specificationHash(instance)).toBe(isSame);
});

test("volumes that are mounted below others come after them, whatever their order", () => {
  const paths = ["/a/b/c/d", "/a.b", "/a/b", "/b", "/a", "/ab"];
  const mounts = paths.map((path, index) => shown(path, `v${index}`));
  const nested = withMain({ mounts });
  expect(checkInstance(nested).size).toBe(1);
  const order = nestedMounts(mounts);
  expect(order.map(({ mount, mountPoints }) => [mount.path, ...mountPoints])).toEqual([
    ["/a.b"],
    ["/a", "b"],
    ["/a/b", "c/d"],
    ["/a/b/c/d"],
    ["/ab"],
    ["/b"],
  ]);
  const body = containerBody(nested, nested.containers[0]!, settings);
  const targets = [...order.map(({ mount }) => ({ Target: mount.path })), hosts];
  expect(body).toMatchObject({ HostConfig: { Mounts: targets } });
  const own = containerBody(instance, { ...main!, mounts: [shown("/etc/hosts/")] }, settings);
  expect(own).toMatchObject({ HostConfig: { Mounts: [{ Target: "/etc/hosts/" }] } });
});

test("contents of files need no new containers", () => {
  const withText = (text: string): RuntimeInstance => {
    const files = { mode: 0o400, contents: { a: Buffer.from(text) } };
    return withMain({ mounts: [{ ...shown("/keys"), files }] });
  };
  expect(specificationHash(withText("a"))).toBe(specificationHash(withText("b")));
});

test("ports of a rule for all ports are open, not published, and need no new containers", () => {
  const [attachment] = instance.networks;
  const opened = (...openPorts: RuntimeAttachment["openPorts"]): RuntimeInstance => ({
    ...instance,
    networks: [{ ...attachment!, openPorts }],
  });
  const named = { protocol: "TCP", port: 80 } as const;
  const both = opened({ protocol: "TCP", port: 81, endPort: 65_535, isUnnamed: true }, named);
  expect(publishedPorts(both)).toEqual(["tcp/80"]);
  expect(specificationHash(both)).toBe(specificationHash(opened(named)));
});

const settings: ContainerSettings = {
  platform: "p",
  imageId: "sha256:1",
  holder: undefined,
  ...{ filesFolder: () => "/files", hostsFile: "/hosts" },
  restartPolicy: { Name: "on-failure" },
  ...{ externalAddress: undefined, layerBytes: undefined },
};

const hosts = { Type: "bind", Source: "/hosts", Target: "/etc/hosts", ReadOnly: true };

test("nothing of an environment is in the labels, and no container has a privilege", () => {
  const secret = withMain({ env: { PASSWORD: "correct-horse" } });
  const body = containerBody(secret, secret.containers[0]!, settings);
  expect(body).toMatchObject({
    Image: "sha256:1",
    Hostname: "web-0",
    Env: ["PASSWORD=correct-horse"],
    HostConfig: { CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"], PortBindings: {}, Mounts: [hosts] },
    NetworkingConfig: {
      EndpointsConfig: { [`telemetryd-${network.uid}`]: { IPAMConfig: { IPv4Address: "10.1.2.10" } } },
    },
  });
  expect(JSON.stringify({ ...body, Env: [] })).not.toContain("correct-horse");
});

test("a virtual machine's container has its program, image and devices, and memory for QEMU", () => {
  const machine = {
    program: ["/bin/sh", "-c", "exit"],
    readOnly: [{ source: "/srv/image", target: "/images/0" }],
    devices: ["/dev/kvm"],
    overheadBytes: 1024,
    graceMs: 60_000,
  };
  expect(containerBody(instance, main!, { ...settings, machine })).toMatchObject({
    Cmd: machine.program,
    Labels: { "telemetryd.grace-ms": "60000" },
    HostConfig: {
      CapDrop: ["ALL"],
      Memory: instance.memoryBytes + 1024,
      Devices: [{ PathOnHost: "/dev/kvm", PathInContainer: "/dev/kvm", CgroupPermissions: "rw" }],
      Mounts: [hosts, { Type: "bind", Source: "/srv/image", Target: "/images/0", ReadOnly: true }],
    },
  });
});

test.each([
  ["10.1.2.10", "02:42:0a:01:02:0a"],
  ["fd20::1:2", "02:42:00:01:00:02"],
])("the link address of %s is the same after each restart", (address, link) => {
  expect(endpoint({ ...instance.networks[0]!, address })).toMatchObject({ MacAddress: link });
});

test.each([
  [0.01, 1, 2],
  [0.5, 1, 32],
  [1, 1, 64],
  [1, 2, 32],
  [4, 1, 256],
  [64, 1, 512],
])("%d processors for %d containers weigh %d each, less than the daemon's 1024", (cpus, count, shares) => {
  const containers = Array.from({ length: count }, () => instance.containers[0]!);
  const body = containerBody({ ...instance, cpus, containers }, containers[0]!, settings);
  expect(body).toMatchObject({ HostConfig: { CpuShares: shares } });
});

test.each([
  ["10.1.2.0/24", "10.1.2.1"],
  ["10.128.16.0/20", "10.128.16.1"],
  ["10.1.2.9/24", "10.1.2.1"],
  ["fd20::/64", "fd20::1"],
])("the gateway of %s", (subnet, gateway) => {
  expect(firstAddress(subnet)).toBe(gateway);
});
