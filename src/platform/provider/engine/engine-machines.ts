import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import {
  addressesOf,
  type InstanceState,
  type MachineVolume,
  type RuntimeContainer,
  RuntimeError,
  type RuntimeInstance,
  type RuntimeMachine,
  type RuntimeProbe,
} from "../runtime/runtime.ts";
import { type NestedMount, nestedMounts } from "./container-mounts.ts";
import { unlessRefused } from "./engine-client.ts";
import type { EngineParts } from "./engine-parts.ts";
import { checkMountPath, type MachineContainer, portNames } from "./specification.ts";
import { readImage } from "./vm/boot-image.ts";
import {
  answersCommand,
  disksPath,
  filesPath,
  imagePath,
  type MachineDevice,
  type MachineInterface,
  machineScript,
  seedPath,
} from "./vm/machine-script.ts";
import { type GuestMount, seedFiles } from "./vm/seed.ts";

export interface MachineSettings {
  /** Image of the containers in which virtual machines run: QEMU, passt, xorriso, setpriv, mkfs.ext4. */
  readonly runnerImage: string;
  /** Files of the images that disks begin with, by name. */
  readonly images: Readonly<Record<string, string>>;
  /** How long a guest may take to ask for its address; then it is started again. */
  readonly bootTimeoutMs: number;
}

/** An instance as it runs, with what its machine needs of its container. */
export interface PreparedInstance {
  readonly instance: RuntimeInstance;
  readonly machine?: MachineContainer;
}

const kvm = "/dev/kvm";
/** Of QEMU and passt, beside the guest's memory. */
const overheadBytes = 512 * 2 ** 20;
/** How long a guest may take to shut down. */
const graceMs = 60_000;
const probeEveryMs = 2_000;
/** Of volumes and interfaces: the machine's bus has about 30 places. */
const maxDevices = 25;
/** Of a disk without an image whose template names no size. */
const usualDiskBytes = 10 * 2 ** 30;
/** What QEMU writes beside the disks' contents, at most. */
const diskOverhead = 1.01;
const login = "tcp/22";
export const emulationNote = "virtual machines are emulated, since the location has no KVM";

/** Virtual machines, each as the only program of a container. */
export class Machines {
  readonly #settings: MachineSettings | undefined;
  readonly #parts: Pick<EngineParts, "client" | "inventory">;
  readonly #onLearn: () => void;
  /** Whether the machine that was looked at last is emulated; undefined: there was none. */
  #isEmulated: boolean | undefined;

  /** @param onLearn called when {@link note} has changed */
  constructor(
    settings: MachineSettings | undefined,
    parts: Pick<EngineParts, "client" | "inventory">,
    onLearn: () => void,
  ) {
    this.#settings = settings;
    this.#parts = parts;
    this.#onLearn = onLearn;
  }

  /** What is to be known of the location's machines. */
  note(): string | undefined {
    return this.#isEmulated === true ? emulationNote : undefined;
  }

  /** Puts the runner in the place of a virtual machine. @throws RuntimeError if it cannot run here */
  async prepare(asked: RuntimeInstance): Promise<PreparedInstance> {
    const [container] = asked.containers;
    if (container?.machine === undefined) return { instance: asked };
    const settings = this.#settings;
    if (settings === undefined) {
      const shown = "this location runs sandboxes only, no virtual machines";
      const message = `${shown}: provider.engine.vmRunnerImage is not set`;
      throw new RuntimeError("refused", "RuntimeNotSupported", message, shown);
    }
    const { machine } = container;
    if (machine.volumes.length + asked.networks.length > maxDevices) {
      refuse("InvalidSpecification", `a virtual machine has at most ${maxDevices} volumes and interfaces`);
    }
    const mounted = guestMounts(machine);
    const devices = await Promise.all(machine.volumes.map((volume) => deviceOf(volume, mounted, settings)));
    const runner = runnerOf(asked, container, machine, devices, mounted, settings);
    const instance = { ...asked, containers: [runner] };
    const { cpus, memoryBytes } = asked;
    return {
      instance,
      machine: {
        program: [
          ...["/bin/sh", "-c"],
          machineScript({ cpus, memoryBytes, devices, interfaces: interfacesOf(asked, machine) }),
        ],
        readOnly: machine.volumes.flatMap(({ image = "" }, index) => {
          const source = settings.images[image];
          return source === undefined ? [] : { source, target: imagePath(index) };
        }),
        devices: existsSync(kvm) ? [kvm] : [],
        overheadBytes,
        graceMs,
      },
    };
  }

  /** The state of an instance that runs, with how it does. */
  async described(state: InstanceState, uid: string, signal: AbortSignal): Promise<InstanceState> {
    if (state.status !== "Running") return state;
    const [container] = await this.#parts.inventory.instanceContainers(uid, signal);
    if (container === undefined) return state;
    const isEmulated = await this.#runsEmulated(container.Id, signal);
    if (isEmulated === undefined) return state;
    const hasChanged = this.#isEmulated !== isEmulated;
    this.#isEmulated = isEmulated;
    if (hasChanged) this.#onLearn();
    return isEmulated ? { ...state, detail: "emulated, since the location has no KVM" } : state;
  }

  async #runsEmulated(id: string, signal: AbortSignal): Promise<boolean | undefined> {
    // Podman's own list, and that of Docker's ps.
    for (const query of [{ ps_args: "args" }, {}]) {
      const top = this.#parts.client.send("GET", `/containers/${id}/top`, { query }, signal);
      const isEmulated = runsEmulated(await unlessRefused([404, 409, 500], top));
      if (isEmulated !== undefined) return isEmulated;
    }
    return undefined;
  }
}

/** @param top the engine's list of the processes in a container @returns undefined: QEMU is not among them */
export function runsEmulated(top: unknown): boolean | undefined {
  const processes = isObject(top) && Array.isArray(top["Processes"]) ? top["Processes"] : [];
  // The shell's command has all of QEMU's words, too; a trial of KVM has no network.
  const machine = processes.flat().find((cell) => /^qemu-system-\S+ .*virtio-net-pci/.test(String(cell)));
  return machine === undefined ? undefined : !String(machine).includes("-accel kvm ");
}

function refuse(reason: string, message: string, shown = message): never {
  throw new RuntimeError("refused", reason, message, shown);
}

async function deviceOf(
  volume: MachineVolume,
  mounted: readonly NestedMount<GuestMount>[],
  { images }: MachineSettings,
): Promise<MachineDevice> {
  const { kind, device, image, hasFilesystem = false } = volume;
  if (kind === "files") return { kind, device, mountPoints: mountPointsIn(volume, mounted) };
  if (image === undefined) {
    const sizeBytes = volume.sizeBytes ?? usualDiskBytes;
    return { kind, device, sizeBytes, format: undefined, hasFilesystem };
  }
  const named = JSON.stringify(image.slice(0, 100));
  const file = Object.hasOwn(images, image) ? images[image] : undefined;
  if (file === undefined) {
    const known = Object.keys(images).join(", ") || "none";
    refuse("BootImageUnavailable", `the location has no image ${named} for disks; it has: ${known}`);
  }
  const found = await readImage(file);
  if (typeof found === "string") {
    const shown = `the location's image ${named} cannot be used`;
    refuse("BootImageUnavailable", `${shown}: ${file}: ${found}`, shown);
  }
  const sizeBytes = volume.sizeBytes ?? found.sizeBytes;
  if (sizeBytes < found.sizeBytes) {
    const needs = Math.ceil(found.sizeBytes / 2 ** 30);
    refuse("InvalidSpecification", `the image ${named} needs a disk of ${needs}Gi`);
  }
  return { kind, device, sizeBytes, format: found.format, hasFilesystem: false };
}

/** What the guest mounts, parents before children; the first volume is what it boots from. */
function guestMounts({ volumes }: RuntimeMachine): NestedMount<GuestMount>[] {
  const isMounted = (volume: MachineVolume): volume is GuestMount => volume.path !== undefined;
  return nestedMounts(volumes.slice(1).filter(isMounted));
}

/** Where other volumes are mounted in one of files, which the guest cannot write. */
function mountPointsIn(
  volume: MachineVolume,
  mounted: readonly NestedMount<GuestMount>[],
): readonly string[] {
  for (const { mount } of mounted) checkMountPath(`volume ${mount.device}`, mount.path);
  const { mountPoints = [] } = mounted.find(({ mount }) => mount === volume) ?? {};
  if (mountPoints.includes(""))
    refuse("InvalidSpecification", `another volume has the path of ${volume.device}`);
  return mountPoints;
}

/** The container of a machine: its disks are one volume of the engine, which goes with the instance. */
function runnerOf(
  asked: RuntimeInstance,
  container: RuntimeContainer,
  machine: RuntimeMachine,
  devices: readonly MachineDevice[],
  mounted: readonly NestedMount<GuestMount>[],
  { runnerImage, bootTimeoutMs }: MachineSettings,
): RuntimeContainer {
  const diskBytes = devices.reduce((sum, each) => sum + (each.kind === "disk" ? each.sizeBytes : 0), 0);
  const mounts = mounted.map(({ mount }) => mount);
  const seed = Object.entries(seedFiles(asked, machine.users, mounts));
  const contents = Object.fromEntries(seed.map(([name, text]) => [name, Buffer.from(text)]));
  const startup: RuntimeProbe = {
    check: { kind: "exec", command: answersCommand(isIP(asked.networks[0]?.address ?? "") === 6 ? 6 : 4) },
    initialDelayMs: 0,
    timeoutMs: 10_000,
    periodMs: probeEveryMs,
    successThreshold: 1,
    failureThreshold: Math.ceil(bootTimeoutMs / probeEveryMs),
  };
  return {
    ...container,
    image: runnerImage,
    probes: { startup },
    mounts: [
      {
        kind: "disk",
        volume: "disks",
        path: disksPath,
        sizeBytes: Math.ceil(diskBytes * diskOverhead) + 2 ** 26,
      },
      { kind: "files", volume: "seed", path: seedPath, files: { mode: 0o600, contents } },
      ...machine.volumes.flatMap(({ files }, index) =>
        files === undefined
          ? []
          : [{ kind: "files", volume: `files-${index}`, path: filesPath(index), files } as const],
      ),
    ],
  };
}

/** With the ports that lead to the guest: those of the interface's policy, the machine's own, and that of SSH. */
function interfacesOf({ networks }: RuntimeInstance, { ports }: RuntimeMachine): MachineInterface[] {
  const own = ports.map(({ protocol, port }) => `${protocol.toLowerCase()}/${port}`);
  return networks.map((network) => ({
    addresses: addressesOf(network),
    gateways: network.gateways ?? [],
    ports: [...new Set([login, ...own, ...portNames(network.openPorts)])].sort(),
  }));
}
