import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeInstance, makeNetwork } from "../../../../test/support/contracts/runtime.ts";
import type { MachineVolume, RuntimeInstance } from "../runtime/runtime.ts";
import { Machines, runsEmulated } from "./engine-machines.ts";

const network = makeNetwork("10.1.2.0/24");
const boot: MachineVolume = { kind: "disk", device: "boot", path: undefined, image: "small" };
const machine = (...volumes: MachineVolume[]): RuntimeInstance => ({
  ...makeInstance("", network, { uid: "u1" }),
  containers: [
    {
      ...{ name: "machine", image: "", env: {}, mounts: [] },
      machine: { volumes, users: new Map(), ports: [{ protocol: "UDP", port: 53 }] },
    },
  ],
});

describe("what runs in place of a machine", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "telemetryd-images-"));
    await writeFile(join(folder, "small"), Buffer.alloc(2 ** 20));
    await writeFile(join(folder, "broken"), "x");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const machines = (isConfigured = true): Machines => {
    const images = { small: join(folder, "small"), broken: join(folder, "broken") };
    const settings = { runnerImage: "runner:1", images, bootTimeoutMs: 60_000 };
    // It asks the engine for nothing before a machine runs.
    return new Machines(isConfigured ? settings : undefined, {} as never, () => undefined);
  };

  test("a sandbox stays as it is", async () => {
    const sandbox = makeInstance("web:1", network, { uid: "u1" });
    expect(await machines(false).prepare(sandbox)).toEqual({ instance: sandbox });
  });

  test("the runner, with the disks in a volume, the seed, and a probe for as long as the boot takes", async () => {
    const files = { mode: 0o644, contents: {} };
    const pages: MachineVolume = { kind: "files", device: "pages", path: undefined, files };
    const prepared = await machines().prepare(machine(boot, pages));
    expect(prepared.instance.containers).toMatchObject([
      {
        image: "runner:1",
        probes: { startup: { check: { kind: "exec" }, periodMs: 2_000, failureThreshold: 30 } },
        mounts: [
          { kind: "disk", volume: "disks", path: "/disks" },
          { kind: "files", volume: "seed", path: "/seed" },
          { kind: "files", volume: "files-1", path: "/files/1" },
        ],
      },
    ]);
    expect(prepared.machine?.readOnly).toEqual([{ source: join(folder, "small"), target: "/images/0" }]);
    expect(prepared.machine?.program[2]).toMatch(/--tcp-ports 22 --udp-ports 53 /);
  });

  test("volumes with a path are mounted, but for the boot disk, parents first", async () => {
    const files = { mode: 0o644, contents: {} };
    const volume = (device: string, path: string | undefined): MachineVolume => ({
      ...{ kind: "files", device, path, files },
    });
    const volumes = [
      volume("keys", "/data/pages/keys"),
      volume("pages", "/data/pages"),
      volume("none", undefined),
    ];
    const { instance, machine: container } = await machines().prepare(
      machine({ ...boot, path: "/boot" }, ...volumes),
    );
    const seed = instance.containers[0]?.mounts.find((mount) => mount.kind === "files");
    const [, config = ""] = Buffer.from(seed?.files.contents["user-data"] ?? "")
      .toString()
      .split("#cloud-config");
    const { mounts } = JSON.parse(config);
    expect(mounts.map(([, path]: string[]) => path)).toEqual(["/data/pages", "/data/pages/keys"]);
    expect(container?.program[2]).toContain("mkdir -p files-2/keys\n");
  });

  test("interfaces: each leads its own open ports to the guest", async () => {
    const port = { protocol: "TCP", port: 80 } as const;
    const [first] = machine(boot).networks;
    const second = { networkUid: "n2", address: "fd20::2", gateways: ["fd20::1"], openPorts: [port] };
    const networks = first === undefined ? [] : [{ ...first, gateways: ["10.0.0.1"] }, second];
    const { machine: container } = await machines().prepare({ ...machine(boot), networks });
    const lines = container?.program[2]?.split("\n").filter((line) => line.startsWith("passt ")) ?? [];
    expect(lines).toEqual([
      expect.stringContaining(
        `-i $nic -g 10.0.0.1 --no-dhcp-search --tcp-ports ${first?.address}/22 --udp-ports ${first?.address}/53`,
      ),
      expect.stringContaining(
        "-i $nic -g fd20::1 --no-dhcp-search --tcp-ports fd20::2/22,80 --udp-ports fd20::2/53",
      ),
    ]);
  });

  test.each<[string, string, string]>([
    ["IPv4", "10.0.0.2", "'DHCP: ack to request'"],
    ["IPv6", "fd20::2", "'DHCPv6: received REQUEST|NDP: received RS'"],
  ])("a guest has started when it asks for its address: %s", async (_, address, words) => {
    const networks = [{ networkUid: "n", address, openPorts: [] }];
    const { instance } = await machines().prepare({ ...machine(boot), networks });
    expect(JSON.stringify(instance.containers[0]?.probes?.startup?.check)).toContain(words);
  });

  test.each<[string, RuntimeInstance, object]>([
    [
      "an image that the location lacks",
      machine({ ...boot, image: "constructor" }),
      {
        reason: "BootImageUnavailable",
        shown: 'the location has no image "constructor" for disks; it has: small, broken',
      },
    ],
    [
      "a file that is no image, without its path",
      machine({ ...boot, image: "broken" }),
      { reason: "BootImageUnavailable", shown: 'the location\'s image "broken" cannot be used' },
    ],
    [
      "a disk smaller than its image",
      machine({ ...boot, sizeBytes: 512 }),
      { reason: "InvalidSpecification", shown: 'the image "small" needs a disk of 1Gi' },
    ],
    [
      "a path that would be part of the script",
      machine(boot, { kind: "files", device: "a", path: "/a;reboot", files: { mode: 0o644, contents: {} } }),
      {
        reason: "InvalidSpecification",
        message: 'volume a: the path must be absolute, of letters, digits and "._@+-"',
      },
    ],
    [
      "more volumes than the machine has places",
      machine(...Array.from({ length: 25 }, () => boot)),
      { reason: "InvalidSpecification", shown: "a virtual machine has at most 25 volumes and interfaces" },
    ],
  ])("refused: %s", async (_, asked, error) => {
    await expect(machines().prepare(asked)).rejects.toMatchObject({ outcome: "refused", ...error });
  });

  test("refused: any machine, where there is no runner", async () => {
    await expect(machines(false).prepare(machine(boot))).rejects.toMatchObject({
      reason: "RuntimeNotSupported",
      shown: "this location runs sandboxes only, no virtual machines",
    });
  });
});

const shell = "/bin/sh -c qemu-system-x86_64 -accel kvm -accel $accel -device virtio-net-pci";
const qemu = (accelerator: string, options: string) => `qemu-system-x86_64 -accel ${accelerator} ${options}`;

test.each<[string, string[][] | undefined, boolean | undefined]>([
  ["KVM", [[shell], [qemu("kvm", "-device virtio-net-pci")]], false],
  [
    "emulation",
    [
      ["1", shell],
      ["7", qemu("tcg,thread=multi", "-device virtio-net-pci")],
    ],
    true,
  ],
  ["the trial of KVM", [[shell], [qemu("kvm", "-debugcon file:kvm")]], undefined],
  ["no list", undefined, undefined],
])("how a machine runs: %s", (_, processes, expected) => {
  expect(runsEmulated({ Processes: processes })).toBe(expected);
});
