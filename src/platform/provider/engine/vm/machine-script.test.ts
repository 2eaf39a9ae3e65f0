import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MachinePlan, machineScript } from "./machine-script.ts";

const boot = {
  kind: "disk",
  device: "persistent-disk-0",
  sizeBytes: 25 * 2 ** 30,
  format: "qcow2",
  hasFilesystem: false,
} as const;
const plan: MachinePlan = { cpus: 2, memoryBytes: 8 * 2 ** 30, devices: [boot], interfaces: [] };

/** A line of the script. */
const line = (changes: Partial<MachinePlan>, begin: RegExp): string | undefined =>
  machineScript({ ...plan, ...changes })
    .split("\n")
    .find((each) => begin.test(each));

test("it is a script of a POSIX shell", () => {
  const devices = [boot, { kind: "files", device: "pages", mountPoints: ["keys/a"] }] as const;
  const interfaces = ["10.0.0.2", "fd20::2"].map((address) => ({
    addresses: [address],
    gateways: [],
    ports: ["tcp/22"],
  }));
  execFileSync("sh", ["-n"], { input: machineScript({ ...plan, devices, interfaces }) });
});

describe("disks", () => {
  test.each([
    [
      "an overlay of an image, of the size that was asked for",
      boot,
      "qemu-img create -q -f qcow2 -F qcow2 -b /images/1 /disks/new 26843545600 && mv /disks/new /disks/1",
    ],
    ["of a raw image", { ...boot, format: "raw" } as const, "-F raw -b /images/1 /disks/new"],
    ["empty", { ...boot, format: undefined }, "truncate -s 26843545600 /disks/new && mv /disks/new /disks/1"],
    [
      "with a filesystem",
      { ...boot, format: undefined, hasFilesystem: true },
      "/disks/new && mkfs.ext4 -q -F /disks/new && mv /disks/new /disks/1",
    ],
  ])("%s, made once", (_, disk, words) => {
    const made = line({ devices: [boot, disk] }, /^\[ -e \/disks\/1 \]/);
    expect(made).toMatch(/^\[ -e \/disks\/1 \] \|\| /);
    expect(made).toContain(words);
  });
});

test("files: a place for a volume that is mounted below, in place of a file of that name", () => {
  const script = machineScript({
    ...plan,
    devices: [boot, { kind: "files", device: "pages", mountPoints: ["keys/a"] }],
  });
  expect(script).toContain(
    [
      "cp -r /files/1/..data/. files-1",
      "[ -d files-1/keys ] || rm -f files-1/keys; mkdir -p files-1/keys/a",
      "xorriso -as mkisofs -quiet -R -J -f -V pages -o files-1.iso files-1 2>/dev/null",
    ].join("\n"),
  );
});

test.each<[string, number, string]>([
  ["code in its first sector: BIOS", 1, ""],
  ["none: UEFI", 0, "-drive if=pflash"],
])("an image with %s", (_, byte, expected) => {
  const script = machineScript(plan).split("\n");
  const begin = script.indexOf("firmware=");
  const lines = script.slice(begin, script.indexOf("fi", begin) + 1).join("\n");
  const folder = mkdtempSync(join(tmpdir(), "telemetryd-firmware-"));
  writeFileSync(join(folder, "sector"), Buffer.alloc(440, byte));
  writeFileSync(join(folder, "variables"), "");
  // In place of an image and of the runner's folders.
  const here = lines.replace(/^qemu-img .*$/m, "cp sector boot").replaceAll("/disks/", "");
  const shown = execFileSync("sh", ["-eu"], { cwd: folder, input: `${here}\necho "$firmware"` });
  expect(shown.toString().slice(0, 16).trim()).toBe(expected);
  rmSync(folder, { recursive: true });
});

test("what QEMU runs", () => {
  const devices = [
    boot,
    { ...boot, device: "data", format: undefined },
    { kind: "files", device: "pages", mountPoints: [] },
  ] as const;
  const command = line({ devices }, /-smp/);
  expect(command).toContain("--reuid 65534");
  expect(command).toContain("-accel $accel -cpu $cpu -smp 2 -m 8192");
  for (const drive of [
    "file=/disks/0,format=qcow2,discard=unmap -device virtio-blk-pci,drive=d0,serial=persistent-disk-0,bootindex=0",
    "file=/disks/1,format=raw,discard=unmap -device virtio-blk-pci,drive=d1,serial=data ",
    "file=files-2.iso,format=raw,readonly=on -device virtio-blk-pci,drive=d2,serial=pages ",
    "file=seed.iso,format=raw,readonly=on",
  ]) {
    expect(command).toContain(drive);
  }
});

test.each([
  [["tcp/22"], "--tcp-ports 22 --udp-ports none"],
  [["tcp/22", "tcp/8080", "udp/53"], "--tcp-ports 22,8080 --udp-ports 53"],
  [["sctp/9", "tcp/22"], "--tcp-ports 22 --udp-ports none"],
])("ports %j: %s", (ports, options) => {
  const interfaces = [{ addresses: ["10.0.0.2"], gateways: ["10.0.0.1"], ports }];
  expect(line({ interfaces }, /^passt /)).toContain(`--no-map-gw ${options} `);
});
