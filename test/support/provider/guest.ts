import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyProgram } from "../../../scripts/servers/runner-tree.ts";
import { findServers } from "../servers.ts";

const run = promisify(execFile);

/** In the order in which they are loaded. */
const modules = [
  ...["virtio/virtio_ring", "virtio/virtio", "virtio/virtio_pci_legacy_dev", "virtio/virtio_pci_modern_dev"],
  ...["virtio/virtio_pci", "block/virtio_blk", "cdrom/cdrom", "acpi/button", "input/evdev"],
].map((name) => `drivers/${name}`);
const furtherModules = ["net/core/failover", "drivers/net/net_failover", "drivers/net/virtio_net"];
const allModules = [...modules, ...furtherModules, "fs/isofs/isofs"];
const applets = [
  ...["sh", "mount", "umount", "mkdir", "insmod", "ip", "udhcpc", "sed", "grep", "cat", "ls", "sleep"],
  ...["hostname", "poweroff", "chmod", "acpid", "sync", "head", "blkid", "wc", "find"],
];
const modulesOf = allModules.map((path) => path.slice(path.lastIndexOf("/") + 1));

/**
 * Sets itself up as cloud-init does: its name, root's keys, mounts (by the devices' serials), and its networks by DHCP, also
 * of IPv6 where their configuration says so.
 */
const init = `#!/bin/sh
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts; mount -t devpts devpts /dev/pts
for module in ${modulesOf.join(" ")}; do insmod /modules/$module.ko; done
for disk in /sys/block/vd*; do
  name=\${disk##*/}
  mount -t iso9660 -o ro /dev/$name /seed 2>/dev/null && [ -e /seed/user-data ] && break
  umount /seed 2>/dev/null
done
hostname "$(sed -n 's/^local-hostname: //p' /seed/meta-data)"
sed -n 's/.*"\\(ssh-[^"]*\\)".*/\\1/p' /seed/user-data >/root/.ssh/authorized_keys
chmod 700 /root /root/.ssh; chmod 600 /root/.ssh/authorized_keys
sed -n 's,.*"/dev/disk/by-id/virtio-\\([^"]*\\)".*,\\1,p' /seed/user-data | while read serial; do
  path=$(grep -A1 "virtio-$serial\\"" /seed/user-data | sed -n '2s/.*"\\(.*\\)".*/\\1/p')
  for disk in /sys/block/vd*; do
    [ "$(cat $disk/serial)" = "$serial" ] || continue
    mkdir -p $path; mount -t ext4 /dev/\${disk##*/} $path 2>/dev/null || mount -t iso9660 -o ro /dev/\${disk##*/} $path
  done
done
ip link set lo up
for path in /sys/class/net/eth*; do
  nic=\${path##*/}
  echo 0 >/proc/sys/net/ipv6/conf/$nic/accept_dad
  ip link set $nic up
  udhcpc -i $nic -s /bin/dhcp -n -q -t 2 -T 1
  grep -A5 "network\${nic#eth}" /seed/network-config | grep -q dhcp6 && dhclient -6 -1 -sf /bin/dhcp -lf /run/leases -pf /run/$nic.pid $nic
done
acpid -d >/dev/null 2>&1 &
exec dropbear -R -E -s -F
`;
/** Of both clients. */
const dhcp = `#!/bin/sh
[ -z "$new_ip6_address" ] || ip addr add $new_ip6_address/128 dev $interface
[ "$1" = bound ] || exit 0
ip addr add $ip/$mask dev $interface
[ $interface != eth0 ] || ip route add default via $router
`;

/**
 * Makes images of a small guest: Debian's cloud kernel, busybox, and dropbear for root.
 *
 * @param file raw; only BIOS boots it
 * @param uefiFile raw; only UEFI boots it
 */
export async function makeGuest(file: string, uefiFile: string): Promise<void> {
  const names = [
    ...(["busybox", "dropbear", "dhclient", "xorriso", "isolinux", "cloud-kernel"] as const),
    ...(["mkfs.vfat", "mcopy"] as const),
  ];
  const programs = await findServers(names, { install: false });
  const folder = await mkdtemp(`${file}-`);
  try {
    const root = join(folder, "root");
    for (const name of ["bin", "proc", "sys", "dev", "run", "seed", "modules", "root/.ssh", "etc/dropbear"])
      await mkdir(join(root, name), { recursive: true });
    await copyFile(programs.busybox.path, join(root, "bin/busybox"));
    for (const applet of applets) await symlink("busybox", join(root, "bin", applet));
    for (const name of ["dropbear", "dhclient"] as const)
      await copyProgram(programs[name].path, root, `bin/${name}`);
    const unpacked = join(programs["cloud-kernel"].path, "..");
    const [version = ""] = await readdir(join(unpacked, "lib/modules"));
    for (const [index, path] of allModules.entries()) {
      const module = join(unpacked, "lib/modules", version, "kernel", `${path}.ko`);
      await copyFile(module, join(root, "modules", `${modulesOf[index]}.ko`));
    }
    await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
    await writeFile(join(root, "etc/group"), "root:x:0:\n");
    await writeFile(join(root, "etc/shells"), "/bin/sh\n");
    await mkdir(join(root, "etc/acpi/PWRF"), { recursive: true });
    for (const [name, text] of [
      ["init", init],
      ["bin/dhcp", dhcp],
      ["etc/acpi/PWRF/00000080", "#!/bin/sh\nsync; poweroff -f\n"],
    ] as const) {
      await writeFile(join(root, name), text);
      await chmod(join(root, name), 0o755);
    }
    const disk = join(folder, "disk");
    await mkdir(disk);
    const busybox = programs.busybox.path;
    await run("sh", [
      "-c",
      `cd "$1" && find . | ${busybox} cpio -o -H newc | gzip -1 >"$2"`,
      ...["sh", root, join(disk, "initrd")],
    ]);
    await copyFile(join(unpacked, "boot", `vmlinuz-${version}`), join(disk, "vmlinuz"));
    await makeUefiDisk(uefiFile, disk, programs["mkfs.vfat"].path, programs.mcopy.path);
    const isolinux = programs.isolinux.path;
    await copyFile(isolinux, join(disk, "isolinux.bin"));
    await copyFile(join(isolinux, "../../syslinux/modules/bios/ldlinux.c32"), join(disk, "ldlinux.c32"));
    const append = "console=ttyS0 panic=-1 quiet nokaslr initrd=/initrd";
    await writeFile(
      join(disk, "isolinux.cfg"),
      `DEFAULT guest\nLABEL guest\nKERNEL /vmlinuz\nAPPEND ${append}\n`,
    );
    const boot = ["-b", "isolinux.bin", "-c", "boot.cat", "-no-emul-boot", "-boot-load-size", "4"];
    const hybrid = ["-isohybrid-mbr", join(isolinux, "../isohdpfx.bin"), "-boot-info-table"];
    await run(programs.xorriso.path, [...["-as", "mkisofs", "-quiet", "-o", file, ...boot, ...hybrid, disk]]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One partition, of which UEFI's shell starts what its script says (UEFI Shell Specification, section 3). */
async function makeUefiDisk(file: string, from: string, mkfs: string, mcopy: string): Promise<void> {
  const [begin, size] = [2048, 65_536];
  const script = "FS0:\r\nvmlinuz initrd=\\initrd console=ttyS0 panic=-1 quiet nokaslr\r\n";
  await writeFile(join(from, "startup.nsh"), script);
  const image = `${file}@@${begin * 512}`;
  const record = Buffer.alloc(512);
  // Type, first sector and size of an EFI system partition; the signature.
  record.writeUInt8(0xef, 450);
  record.writeUInt32LE(begin, 454);
  record.writeUInt32LE(size, 458);
  record.writeUInt16LE(0xaa55, 510);
  await writeFile(file, record);
  await truncate(file, (begin + size) * 512);
  await run(mkfs, ["--offset", String(begin), file, String(size / 2)]);
  await run(mcopy, [
    "-i",
    image,
    ...["vmlinuz", "initrd", "startup.nsh"].map((name) => join(from, name)),
    "::",
  ]);
}
