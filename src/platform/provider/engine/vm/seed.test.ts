import { expect, test } from "vitest";
import { parse } from "yaml";
import { seedFiles } from "./seed.ts";

const attachment = (address: string, otherAddress?: string) => ({
  ...{ networkUid: "n-1", address, otherAddress, openPorts: [] },
});
const instance = { uid: "u-1", hostname: "web-0", networks: [attachment("10.0.0.2")] };

test("the name and those who may log in", () => {
  const users = new Map([
    ["root", ["ssh-ed25519 AAAA a: b"]],
    ["ann", ["ssh-rsa BBBB", 'ssh-rsa CCCC "\n x']],
  ]);
  const files = seedFiles(instance, users, []);
  expect(files["meta-data"]).toBe("instance-id: u-1\nlocal-hostname: web-0\n");
  expect(files["user-data"]).toMatch(/^#cloud-config\n/);
  expect(parse(files["user-data"] ?? "")).toEqual({
    disable_root: false,
    users: [
      { name: "root", ssh_authorized_keys: ["ssh-ed25519 AAAA a: b"] },
      {
        name: "ann",
        ssh_authorized_keys: ["ssh-rsa BBBB", 'ssh-rsa CCCC "\n x'],
        sudo: "ALL=(ALL) NOPASSWD:ALL",
        shell: "/bin/bash",
      },
    ],
  });
});

test("what is mounted", () => {
  const mounts = [
    { kind: "disk", device: "data", path: "/data" },
    { kind: "files", device: "pages", path: "/pages" },
  ] as const;
  expect(parse(seedFiles(instance, new Map(), mounts)["user-data"] ?? "")).toMatchObject({
    disable_root: true,
    mounts: [
      ["/dev/disk/by-id/virtio-data", "/data", "auto", "defaults,nofail", "0", "0"],
      ["/dev/disk/by-id/virtio-pages", "/pages", "iso9660", "ro,nofail", "0", "0"],
    ],
  });
});

test.each<[string, ReturnType<typeof attachment>[], object | undefined]>([
  ["IPv4 alone: as cloud-init has it", [attachment("10.0.0.2")], undefined],
  [
    "both families",
    [attachment("10.0.0.2", "fd20::2")],
    { network0: { match: { macaddress: "52:54:00:12:34:56" }, dhcp4: true, dhcp6: true } },
  ],
  [
    "several networks",
    [attachment("fd20::2"), attachment("10.0.0.2")],
    {
      network0: { match: { macaddress: "52:54:00:12:34:56" }, dhcp6: true },
      network1: {
        match: { macaddress: "52:54:00:12:34:57" },
        ...{ dhcp4: true, "dhcp4-overrides": { "route-metric": 1_001 }, optional: true },
      },
    },
  ],
])("the network: %s", (_, networks, ethernets) => {
  const { "network-config": text } = seedFiles({ ...instance, networks }, new Map(), []);
  expect(text === undefined ? undefined : parse(text)).toEqual(ethernets && { version: 2, ethernets });
});
