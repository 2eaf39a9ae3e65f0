import { createHash } from "node:crypto";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { defined } from "../../../base/core/defined.ts";
import {
  addressesOf,
  type RuntimeAttachment,
  type RuntimeContainer,
  RuntimeError,
  type RuntimeInstance,
  type RuntimeMachine,
  type RuntimeMount,
} from "../runtime/runtime.ts";
import {
  containerMounts,
  type FileMount,
  type FilePlaces,
  type NestedMount,
  nestedMounts,
} from "./container-mounts.ts";
import { type ImageReference, imageReference } from "./image-reference.ts";
import { containerName, labelOf, membershipLabel, networkName } from "./labels.ts";

/** @throws RuntimeError for a part of an instance that the engine would misunderstand */
function refuse(message: string): never {
  throw new RuntimeError("refused", "InvalidSpecification", message);
}

const name = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const uid = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
/**
 * Podman makes one text with commas out of a mount: a comma in a path would add fields of its own, such as
 * another source.
 */
const mountPath = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._@+-]+)+\/?$/;
/** A name with "=" would be another variable; one that is only a name is taken from the engine's own. */
const variable = /^[^=\0]{1,1024}$/;

/**
 * Checks everything that becomes part of a name, path or option of the engine. The API server has rules for
 * most of it, but what reaches an engine is root's.
 *
 * @param defaultRegistry of images whose names have none
 * @returns the image of each container
 * @throws RuntimeError that says which part cannot be run
 */
export function checkInstance(
  instance: RuntimeInstance,
  defaultRegistry?: string,
): ReadonlyMap<string, ImageReference> {
  if (!uid.test(instance.uid)) refuse("the uid of the instance is not one");
  if (!name.test(instance.hostname)) refuse("the hostname is no DNS label");
  if (instance.containers.length === 0) refuse("there is no container to run");
  const names = instance.containers.map((container) => container.name);
  if (new Set(names).size < names.length) refuse("two containers have the same name");
  for (const attachment of instance.networks) {
    if (!uid.test(attachment.networkUid)) refuse("the uid of a network is not one");
    if (isIP(attachment.address) === 0) refuse(`"${attachment.address}" is no address`);
  }
  return new Map(
    instance.containers.map((container) => {
      if (!name.test(container.name)) refuse("the name of a container is no DNS label");
      for (const key of Object.keys(container.env)) {
        if (!variable.test(key)) refuse(`container ${container.name}: a variable's name cannot contain "="`);
      }
      for (const mount of container.mounts) checkMount(container.name, mount);
      for (const nested of nestedMounts(container.mounts)) checkMountPoints(container.name, nested);
      const image = imageReference(container.image, defaultRegistry);
      if (image === undefined) {
        refuse(`container ${container.name}: the image is not one of a registry, such as registry/name:tag`);
      }
      return [container.name, image];
    }),
  );
}

function checkMount(container: string, mount: RuntimeMount): void {
  const place = `container ${container}, volume ${mount.volume}`;
  if (!name.test(mount.volume)) refuse(`container ${container}: the name of a volume is no DNS label`);
  checkMountPath(place, mount.path);
}

/** @throws RuntimeError for a path that would mean something else in an option or a script */
export function checkMountPath(place: string, path: string): void {
  if (path.length > 1024 || !mountPath.test(path)) {
    refuse(`${place}: the path must be absolute, of letters, digits and "._@+-"`);
  }
}

function checkMountPoints(container: string, { mount, mountPoints }: NestedMount): void {
  const wrong = mountPoints.find((path) => path === "" || (mount.kind === "files" && path.startsWith("..")));
  if (wrong === undefined) return;
  const place = `container ${container}, volume ${mount.volume}`;
  if (wrong === "") refuse(`${place}: another volume has the same path`);
  refuse(
    `${place}: no volume can be mounted below its "${wrong.split("/", 1)[0]}"; a name must not begin with ".."`,
  );
}

/**
 * Hash of what needs new containers when it changes: neither the contents of files, which follow their
 * objects in place, nor credentials of registries.
 */
export function specificationHash(instance: RuntimeInstance): string {
  const { hostname, cpus, memoryBytes, networks, containers } = instance;
  const mountsOf = (mounts: readonly RuntimeMount[]): unknown =>
    mounts.map(({ kind, volume, path }) => [kind, volume, path]);
  const parts = [
    [hostname, cpus, memoryBytes],
    networks.map(({ networkUid, address, otherAddress, openPorts }) => [
      ...[networkUid, address, portNames(openPorts)],
      ...(otherAddress === undefined ? [] : [otherAddress]),
    ]),
    containers.map((container) => [
      container.name,
      container.image,
      Object.entries(container.env).sort(([a], [b]) => (a < b ? -1 : 1)),
      mountsOf(container.mounts),
      ...(container.machine === undefined ? [] : [machineIdentity(container.machine)]),
    ]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function machineIdentity({ volumes, users, ports }: RuntimeMachine): unknown {
  return [volumes.map(({ files: _, ...volume }) => volume), [...users], ports];
}

/** More ports of one interface are not published: each may cost the engine a process and a rule. */
const maxPublished = 256;

/** Ports that rules name, as `tcp/80`, each once. */
export function portNames(ports: RuntimeAttachment["openPorts"]): string[] {
  const names = new Set<string>();
  for (const { protocol, port, endPort = port, isUnnamed = false } of ports) {
    if (isUnnamed) continue;
    for (let number = port; number <= endPort && names.size < maxPublished; number++) {
      names.add(`${protocol.toLowerCase()}/${number}`);
    }
  }
  return [...names].sort();
}

/** Ports that an instance publishes, as `tcp/80`. */
export function publishedPorts(instance: RuntimeInstance): string[] {
  return portNames(instance.networks.flatMap(({ openPorts }) => openPorts));
}

/**
 * Capabilities of a container: those that Podman gives by default. Docker also gives NET_RAW, with which a
 * container can take the addresses of others in its network.
 */
const capabilities = [
  ...["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];
const maxProcesses = 1024;
/**
 * Weights of a container where processors are short, by its processors and at most. A process without any has
 * 1024, as the daemon: however busy instances are, it gets what it needs before them.
 */
const cpuShares = { each: 64, most: 512 };

/** What the container of a virtual machine has beside that of a sandbox. */
export interface MachineContainer {
  readonly program: readonly string[];
  /** Files of the engine's machine that it reads. */
  readonly readOnly: readonly FileMount[];
  /** Devices of the engine's machine that it uses. */
  readonly devices: readonly string[];
  /** Memory beside the guest's. */
  readonly overheadBytes: number;
  readonly graceMs: number;
}

export interface ContainerSettings extends FilePlaces {
  readonly platform: string;
  /** The engine's id of the image: the name may come to mean another one. */
  readonly imageId: string;
  /** The engine's id of the container that holds the network namespace; undefined: this one does. */
  readonly holder: string | undefined;
  readonly restartPolicy: { readonly Name: string; readonly MaximumRetryCount?: number };
  /** Where the open ports can be reached; undefined: nowhere. */
  readonly externalAddress: string | undefined;
  /** What the engine lets the container write outside of its disks; undefined: it cannot limit that. */
  readonly layerBytes: number | undefined;
  readonly machine?: MachineContainer | undefined;
}

/**
 * Body of the request that creates a container.
 *
 * The first container of an instance holds the network namespace with the address, the others join it: no
 * image beside the tenant's is needed. The instance's processors and memory are divided evenly, so that all
 * containers together never use more.
 */
export function containerBody(
  instance: RuntimeInstance,
  container: RuntimeContainer,
  settings: ContainerSettings,
): object {
  const share = instance.containers.length;
  const { machine } = settings;
  const memoryBytes = Math.floor(instance.memoryBytes / share) + (machine?.overheadBytes ?? 0);
  const [network] = instance.networks;
  const isHolder = settings.holder === undefined;
  const isPublished = isHolder && settings.externalAddress !== undefined;
  const bindings = isPublished ? portBindings(instance, settings.externalAddress) : {};
  return defined({
    Image: settings.imageId,
    Cmd: machine?.program,
    Hostname: isHolder ? instance.hostname : undefined,
    Env: Object.entries(container.env).map(([key, value]) => `${key}=${value}`),
    Labels: {
      ...instanceLabels(instance, settings.platform),
      [labelOf.container]: container.name,
      [labelOf.position]: String(instance.containers.indexOf(container)),
      [labelOf.specification]: specificationHash(instance),
      ...(machine === undefined ? {} : { [labelOf.graceMs]: String(machine.graceMs) }),
      ...Object.fromEntries(
        instance.networks.map(({ networkUid, address }) => [membershipLabel(networkUid), address]),
      ),
      ...(isPublished
        ? {
            [labelOf.publishedAddress]: settings.externalAddress,
            [labelOf.publishedPorts]: publishedPorts(instance).join(","),
          }
        : {}),
    },
    ExposedPorts: Object.fromEntries(Object.keys(bindings).map((port) => [port, {}])),
    HostConfig: {
      NetworkMode: networkMode(settings.holder, network),
      NanoCpus: Math.round((instance.cpus / share) * 1e9),
      CpuShares: cpuSharesOf(instance.cpus / share),
      StorageOpt: settings.layerBytes === undefined ? undefined : { size: String(settings.layerBytes) },
      Memory: memoryBytes,
      // No swap: the limit is memory and swap together.
      MemorySwap: memoryBytes,
      PidsLimit: maxProcesses,
      CapDrop: ["ALL"],
      CapAdd: capabilities,
      SecurityOpt: ["no-new-privileges"],
      RestartPolicy: settings.restartPolicy,
      LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
      PortBindings: bindings,
      Devices: (machine?.devices ?? []).map((path) => ({
        PathOnHost: path,
        PathInContainer: path,
        CgroupPermissions: "rw",
      })),
      Mounts: containerMounts(instance.uid, container.mounts, settings, machine?.readOnly ?? []),
    },
    NetworkingConfig:
      isHolder && network !== undefined
        ? { EndpointsConfig: { [networkName(network.networkUid)]: endpoint(network) } }
        : undefined,
  });
}

/** @returns at least 2, the least that the kernel takes */
function cpuSharesOf(cpus: number): number {
  return Math.max(2, Math.min(cpuShares.most, Math.round(cpus * cpuShares.each)));
}

/** Labels of everything that belongs to an instance. */
export function instanceLabels(instance: RuntimeInstance, platform: string): Record<string, string> {
  return {
    [labelOf.platform]: platform,
    [labelOf.plane]: instance.plane,
    [labelOf.instance]: instance.uid,
    [labelOf.name]: instance.name,
    [labelOf.workload]: instance.workload,
  };
}

function networkMode(holder: string | undefined, network: RuntimeAttachment | undefined): string {
  if (holder !== undefined) return `container:${holder}`;
  return network === undefined ? "none" : networkName(network.networkUid);
}

/** The engine's description of a container's place in a network. */
export function endpoint(attachment: RuntimeAttachment): object {
  const addresses = addressesOf(attachment).map((each) => [
    isIP(each) === 6 ? "IPv6Address" : "IPv4Address",
    each,
  ]);
  return { IPAMConfig: Object.fromEntries(addresses), MacAddress: macAddress(attachment.address) };
}

/**
 * Follows from the address, as Docker makes it: with another one after each restart, as Podman 4 makes it,
 * neighbours send to the one that they know for up to a minute.
 */
function macAddress(address: string): string {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray().slice(-4));
  return ["02", "42", ...Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

function portBindings(
  instance: RuntimeInstance,
  address: string | undefined,
): Record<string, readonly object[]> {
  return Object.fromEntries(
    publishedPorts(instance).map((published) => {
      const [protocol = "", port = ""] = published.split("/");
      return [`${port}/${protocol}`, [{ HostIp: address, HostPort: port }]];
    }),
  );
}

/** Name of a container of an instance in the engine. */
export function nameInEngine(instance: RuntimeInstance, container: RuntimeContainer): string {
  return containerName(instance.uid, container.name);
}

/** Whether a text is a uid, which may be part of a path. */
export function isUid(text: string): boolean {
  return uid.test(text);
}

/** The gateway's address: the first one of a subnet. */
export function firstAddress(subnet: string): string {
  const family = subnet.includes(":") ? ipaddr.IPv6 : ipaddr.IPv4;
  const bytes = family.networkAddressFromCIDR(subnet).toByteArray();
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return ipaddr.fromByteArray(bytes).toString();
}

/**
 * The address of the other family that belongs to one of a network: at the same place in the other subnet, so
 * that no two instances have the same.
 *
 * @returns undefined where the network has one family, or no such place
 */
export function otherAddress(address: string, subnets: readonly string[]): string | undefined {
  const isOwn = (subnet: string): boolean => isIP(address) === (subnet.includes(":") ? 6 : 4);
  const [own, other] = [subnets.find(isOwn), subnets.find((subnet) => !isOwn(subnet))];
  if (own === undefined || other === undefined) return undefined;
  const [ownBase, otherBase] = [own, other].map((subnet) => numberOf(firstAddress(subnet)));
  if (ownBase === undefined || otherBase === undefined) return undefined;
  const place = numberOf(address) - ownBase;
  const bits = (other.includes(":") ? 128 : 32) - Number(other.slice(other.indexOf("/") + 1));
  if (place < 0n || place >= 1n << BigInt(bits)) return undefined;
  const digits = (otherBase + place).toString(16).padStart(other.includes(":") ? 32 : 8, "0");
  return ipaddr.fromByteArray([...Buffer.from(digits, "hex")]).toString();
}

function numberOf(address: string): bigint {
  return BigInt(`0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString("hex")}`);
}
