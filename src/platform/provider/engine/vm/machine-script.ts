/** A block device of a virtual machine, in the machine's order. */
export type MachineDevice =
  | {
      readonly kind: "disk";
      readonly device: string;
      readonly sizeBytes: number;
      /** Of the image at {@link imagePath}. */
      readonly format: "qcow2" | "raw" | undefined;
      readonly hasFilesystem: boolean;
    }
  | {
      readonly kind: "files";
      readonly device: string;
      /** Relative paths where other volumes are mounted. */
      readonly mountPoints: readonly string[];
    };

export interface MachinePlan {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly devices: readonly MachineDevice[];
  readonly interfaces: readonly MachineInterface[];
}

export interface MachineInterface {
  /** Of the instance, one for each family. */
  readonly addresses: readonly string[];
  /** Of the network, one for each family. */
  readonly gateways: readonly string[];
  /** Ports of it that lead to the guest, as `tcp/22`. */
  readonly ports: readonly string[];
}

/** Where the runner's container has the image and the files of a device. */
export const imagePath = (index: number): string => `/images/${index}`;
export const filesPath = (index: number): string => `/files/${index}`;
/** Where it has the disks themselves, and the seed. */
export const disksPath = "/disks";
export const seedPath = "/seed";

/**
 * Succeeds once the guest has asked for its address in its first network, also when that is long ago. Where
 * there is no IPv4, it may do so by DHCPv6, or choose one itself once it knows the router.
 */
export function answersCommand(family: 4 | 6): string[] {
  const words = family === 4 ? "DHCP: ack to request" : "DHCPv6: received REQUEST|NDP: received RS";
  const responded = `grep -qE '${words}' /run/${passt(0)}.log && touch /run/responded`;
  return ["/bin/sh", "-c", `[ -e /run/responded ] || { ${responded}; }`];
}

/** Name of what gives the guest an interface. */
const passt = (index: number): string => (index === 0 ? "passt" : `passt-${index}`);

/** QEMU's own for the first one. */
export const macAddress = (index: number): string => `52:54:00:12:34:${(0x56 + index).toString(16)}`;

/** Only root may set up what the guest's processes, which are nobody's, then use. */
const nobody = "65534:65534";
const asNobody =
  "/usr/bin/setpriv --reuid 65534 --regid 65534 --bounding-set=-all --inh-caps=-all" +
  ' --groups "$(stat -c %g /dev/kvm 2>/dev/null || echo 65534)"';
const qemu = `${asNobody} qemu-system-x86_64 -nodefaults -display none -machine q35`;
/** Of QEMU's translated code; it would otherwise be up to 1 GiB. */
const translationMib = 256;

/**
 * The program of a runner's container: a shell that makes the disks which are missing, gives the guest the
 * container's networks by passt, and runs QEMU until it ends. SIGTERM presses the machine's power button.
 * Everything that is put into it is a number, an address, or a name or path of letters, digits and `._@+-`.
 */
export function machineScript(plan: MachinePlan): string {
  return [
    "set -eu",
    "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    `mkdir -p /run/machine; chown ${nobody} /run/machine ${disksPath}; cd /run/machine`,
    // What a container that was ended has left.
    `rm -rf /run/responded /run/passt*.log /run/machine/*`,
    ...plan.devices.flatMap(makeDevice),
    ...firmware(plan.devices),
    isoOf(`${seedPath}/..data/`, "cidata", "seed"),
    `mkfifo monitor.in; ln -s /dev/null monitor.out; chown -h ${nobody} ${disksPath}/* *`,
    ...plan.interfaces.flatMap((each, index) => network(each, index, plan.interfaces.length > 1)),
    ...accelerator,
    `${qemuCommand(plan)} </dev/null &`,
    "qemu=$!",
    // Without its networks, the machine is of no use.
    ...plan.interfaces.map(
      (_, index) => `(while kill -0 $passt${index} 2>/dev/null; do sleep 5; done; kill -9 $qemu) &`,
    ),
    // A guest that still boots does not see the first.
    "press() { while :; do echo system_powerdown >monitor.in; sleep 3; done; }",
    "trap 'press &' TERM",
    "status=0",
    "while :; do wait $qemu && status=0 || status=$?; kill -0 $qemu 2>/dev/null || exit $status; done",
  ].join("\n");
}

function makeDevice(device: MachineDevice, index: number): string[] {
  if (device.kind === "files") {
    const name = `files-${index}`;
    const places = device.mountPoints.map((path) => {
      const [first = ""] = path.split("/");
      // A file of the name is hidden, as in a container.
      return `[ -d ${name}/${first} ] || rm -f ${name}/${first}; mkdir -p ${name}/${path}`;
    });
    return [`cp -r ${filesPath(index)}/..data/. ${name}`, ...places, isoOf(name, device.device, name)];
  }
  const disk = `${disksPath}/${index}`;
  const make =
    device.format === undefined
      ? `truncate -s ${device.sizeBytes} ${disksPath}/new`
      : `qemu-img create -q -f qcow2 -F ${device.format} -b ${imagePath(index)} ${disksPath}/new ${device.sizeBytes}`;
  const format = device.hasFilesystem ? `mkfs.ext4 -q -F ${disksPath}/new && ` : "";
  return [`[ -e ${disk} ] || { ${make} && ${format}mv ${disksPath}/new ${disk}; }`];
}

const ovmf = "/usr/share/OVMF/OVMF";

/**
 * The firmware: UEFI, with variables that are kept, where the boot disk's image has no code for BIOS (UEFI
 * specification 2.10, section 5.2.1); else BIOS.
 */
function firmware([boot]: readonly MachineDevice[]): string[] {
  if (boot?.kind !== "disk" || boot.format === undefined) return ["firmware="];
  const pflash = (unit: number, file: string) => `-drive if=pflash,unit=${unit},format=raw,${file}`;
  const variables = `${disksPath}/variables`;
  return [
    "firmware=",
    `qemu-img dd -f ${boot.format} -O raw bs=440 count=1 if=${imagePath(0)} of=boot`,
    "if [ -z \"$(tr -d '\\0' <boot)\" ]; then",
    ` [ -e ${variables} ] || { cp ${ovmf}_VARS_4M.fd ${disksPath}/new && mv ${disksPath}/new ${variables}; }`,
    ` firmware="${pflash(0, `readonly=on,file=${ovmf}_CODE_4M.fd`)} ${pflash(1, `file=${variables}`)}"`,
    "fi",
  ];
}

/** @param volume the label, which has at most 32 characters */
function isoOf(folder: string, volume: string, name: string): string {
  return `xorriso -as mkisofs -quiet -R -J -f -V ${volume} -o ${name}.iso ${folder} 2>/dev/null`;
}

/**
 * passt changes to nobody by itself; before, it may open ports below 1024. It can write its log only as root.
 *
 * @param isNamed whether the container has other interfaces, which may come in any order
 */
function network(
  { addresses, gateways, ports }: MachineInterface,
  index: number,
  isNamed: boolean,
): string[] {
  const name = passt(index);
  const options = (["tcp", "udp"] as const).flatMap((protocol) => {
    const numbers = ports.flatMap((port) =>
      port.startsWith(`${protocol}/`) ? port.slice(protocol.length + 1) : [],
    );
    if (numbers.length === 0) return `--${protocol}-ports none`;
    const places = isNamed ? addresses.map((address) => `${address}/`) : [""];
    return places.map((place) => `--${protocol}-ports ${place}${numbers.join(",")}`);
  });
  // The address of the gateway is the network's gateway, not the container itself.
  const own = `-f -l /run/${name}.log --log-size 65536 -s /run/machine/${name}.sock --no-map-gw`;
  // Podman names its domain once for each network: of that, passt (Debian 12) makes router advertisements
  // that no guest takes.
  const from = isNamed ? ["-i $nic", ...gateways.map((gateway) => `-g ${gateway}`), "--no-dhcp-search"] : [];
  return [
    ...(isNamed ? [`nic=$(ip -o addr | grep -F ' ${addresses[0]}/' | { read _ nic _; echo $nic; })`] : []),
    `passt ${[own, ...from, ...options].join(" ")} 2>${name}.err &`,
    `passt${index}=$!`,
    `while [ ! -S ${name}.sock ]; do kill -0 $passt${index} || { cat ${name}.err; exit 1; }; sleep 0.1; done`,
  ];
}

/** KVM where a machine without a disk gets as far as to look for one within 5 s: on some machines it hangs. */
const accelerator = [
  `accel=tcg,thread=multi,tb-size=${translationMib} cpu=max`,
  "if [ -c /dev/kvm ]; then",
  ` ${qemu} -accel kvm -cpu host -debugcon file:kvm -global isa-debugcon.iobase=0x402 </dev/null >/dev/null 2>&1 &`,
  " trial=$! i=0",
  " while [ $i -lt 50 ] && kill -0 $trial 2>/dev/null; do",
  "  if grep -q 'No bootable device' kvm 2>/dev/null; then accel=kvm cpu=host; break; fi",
  "  sleep 0.1; i=$((i+1))",
  " done",
  " kill -9 $trial 2>/dev/null || true",
  "fi",
];

function qemuCommand({ cpus, memoryBytes, devices, interfaces }: MachinePlan): string {
  const sandbox = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
  return [
    `${qemu} $firmware -accel $accel -cpu $cpu -smp ${cpus} -m ${Math.floor(memoryBytes / 2 ** 20)}`,
    `-sandbox ${sandbox} -vga std -serial stdio -device virtio-rng-pci`,
    "-chardev pipe,id=monitor,path=monitor -mon chardev=monitor",
    ...interfaces.flatMap((_, index) => [
      `-netdev stream,id=net${index},server=off,addr.type=unix,addr.path=${passt(index)}.sock`,
      `-device virtio-net-pci,netdev=net${index},mac=${macAddress(index)},romfile=`,
    ]),
    ...devices.map((device, index) => driveOptions(device, index)),
    "-drive if=none,id=seed,file=seed.iso,format=raw,readonly=on -device virtio-blk-pci,drive=seed",
  ].join(" ");
}

function driveOptions(device: MachineDevice, index: number): string {
  const file =
    device.kind === "files"
      ? `files-${index}.iso,format=raw,readonly=on`
      : `${disksPath}/${index},format=${device.format === undefined ? "raw" : "qcow2"},discard=unmap`;
  const boot = index === 0 ? ",bootindex=0" : "";
  const block = `virtio-blk-pci,drive=d${index},serial=${device.device}${boot}`;
  return `-drive if=none,id=d${index},file=${file} -device ${block}`;
}
