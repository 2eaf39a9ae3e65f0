/**
 * What instances run on: a container engine, or nothing at all (the emulated runtime). Every function is
 * idempotent, may be called again after a failure or a restart at any point, and touches nothing that this
 * platform did not make.
 */
export interface Runtime {
  readonly kind: "engine" | "emulated";
  /** Creates the network, or throws if it exists with other subnets. @throws RuntimeError */
  ensureNetwork(network: RuntimeNetwork, signal: AbortSignal): Promise<void>;
  /** Does nothing if it is gone. @throws RuntimeError while instances are in it */
  removeNetwork(uid: string, signal: AbortSignal): Promise<void>;
  /**
   * Takes the next steps towards a running instance. Replaces what was made from another specification, but
   * keeps its addresses: which instance has which is the runtime's own record.
   *
   * @returns the state seen, never the state asked for
   * @throws RuntimeError if a step failed
   */
  ensureInstance(instance: RuntimeInstance, signal: AbortSignal): Promise<InstanceState>;
  /** Takes the next steps of a removal. @returns whether nothing is left */
  removeInstance(uid: string, signal: AbortSignal): Promise<boolean>;
  /** Everything that the runtime holds for this provider, for the removal of what is no longer wanted. */
  inventory(signal: AbortSignal): Promise<RuntimeInventory>;
  /**
   * Calls back when an instance may have changed by itself; undefined: any of them. Runs until the signal,
   * across losses of the engine.
   */
  watch(onChange: (uid: string | undefined) => void, signal: AbortSignal): Promise<void>;
  /**
   * Reads the log of a container, piece by piece: the next one when the one before is taken.
   *
   * @throws RuntimeError that says why there is none
   */
  readLog(log: RuntimeLog, take: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** What the instances use. @throws RuntimeError */
  stats?(signal: AbortSignal): Promise<readonly InstanceStats[]>;
  /** Ends what runs between calls, such as pulls of images; instances keep running. The last call. */
  close?(): Promise<void>;
  /** Blocks in which networks may be; default: all private ones. */
  readonly networkRanges?: readonly string[] | undefined;
  /** Whether it lets only the callers of a port's `from` reach it; if not, such a port is closed outside. */
  readonly enforcesSources?: boolean;
  /** Applies the ports of an instance that runs, without a look at anything else. @throws RuntimeError */
  openPorts?(uid: string, networks: readonly RuntimeAttachment[], signal: AbortSignal): Promise<void>;
  /** What is wrong, for operators; undefined if nothing is. */
  problem?(): string | undefined;
  /** Why nothing can run at a location of this cloud project; undefined if something can. */
  locationProblem?(cloudProjectId: string): { readonly reason: string; readonly message: string } | undefined;
  /** What tenants should know of a location that is ready; undefined if there is nothing. */
  locationNote?(): string | undefined;
}

/** A NetworkContext with its subnets. */
export interface RuntimeNetwork {
  /** Of the NetworkContext. */
  readonly uid: string;
  /** Control plane of the project, `organization/project`. */
  readonly plane: string;
  /** `namespace/name` of the NetworkContext, for people who look at the engine. */
  readonly name: string;
  /** CIDR blocks, one for each subnet. */
  readonly subnets: readonly string[];
  readonly mtu: number;
}

/** The family of a subnet. */
export function familyOf(subnet: string): "IPv4" | "IPv6" {
  return subnet.includes(":") ? "IPv6" : "IPv4";
}

export interface RuntimeInstance {
  /** Of the Instance. */
  readonly uid: string;
  readonly plane: string;
  /** `namespace/name` of the Instance. */
  readonly name: string;
  /** Of the Workload, for metrics. */
  readonly workload: string;
  /** First hostname label inside of the instance. */
  readonly hostname: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly networks: readonly RuntimeAttachment[];
  readonly containers: readonly RuntimeContainer[];
  readonly pullSecrets: readonly RegistryCredential[];
  /** The status that was last reported, also before a restart of the provider. */
  readonly reported?: InstanceStatus | undefined;
}

export interface RuntimeAttachment {
  /** Of the NetworkContext. */
  readonly networkUid: string;
  /** Of the instance in the network. */
  readonly address: string;
  /** The external address that was last reported, also before a restart of the provider. */
  readonly reportedExternal?: string | undefined;
  /** Address of the other family, which the runtime gives where the network has both. */
  readonly otherAddress?: string | undefined;
  /** Of the network, one for each family; the runtime gives them. */
  readonly gateways?: readonly string[] | undefined;
  /** Ports that the network policy opens; no two overlap. */
  readonly openPorts: readonly OpenPort[];
}

/** Addresses of an instance in a network, one for each of its families. */
export function addressesOf({
  address,
  otherAddress,
}: Pick<RuntimeAttachment, "address" | "otherAddress">): readonly string[] {
  return otherAddress === undefined ? [address] : [address, otherAddress];
}

/** A port, or several, that callers outside of the network reach. */
export interface OpenPort {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly port: number;
  /** Last of several ports. */
  readonly endPort?: number;
  /** Open by a rule for all ports alone: not published on external addresses. */
  readonly isUnnamed?: boolean;
  /** Callers as `first-last`, inside of the network too; absent: everybody. */
  readonly from?: readonly string[];
}

export interface RuntimeContainer {
  readonly name: string;
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly RuntimeMount[];
  readonly probes?: { readonly [name in (typeof probeNames)[number]]?: RuntimeProbe | undefined } | undefined;
  /** A virtual machine, in place of an image and its mounts. */
  readonly machine?: RuntimeMachine | undefined;
}

export interface RuntimeMachine {
  /** In the order of their attachment; the machine boots from the first one. */
  readonly volumes: readonly MachineVolume[];
  /** Who may log in, with lines of public SSH keys. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  /** Ports that the machine names itself. */
  readonly ports: readonly Pick<OpenPort, "protocol" | "port">[];
}

/** A block device of a virtual machine. */
export interface MachineVolume {
  readonly kind: "disk" | "files";
  /** The guest sees the device by this name. */
  readonly device: string;
  /** Where the guest mounts it; undefined: nowhere. */
  readonly path: string | undefined;
  /** Of a disk; undefined: that of its image. */
  readonly sizeBytes?: number | undefined;
  /** Of a disk: the name of the image that it begins with. */
  readonly image?: string | undefined;
  /** Of a disk that begins with an empty filesystem. */
  readonly hasFilesystem?: boolean;
  /** Of `files`: read-only, as they are when the machine starts. */
  readonly files?: RuntimeFiles;
}

/** In the order in which they are run. */
export const probeNames = ["startup", "liveness", "readiness"] as const;

/** A question whether a container works, asked of its instance alone. */
export interface RuntimeProbe {
  readonly check:
    | {
        readonly kind: "http";
        readonly port: number;
        readonly path: string;
        readonly isTls: boolean;
        readonly headers: Readonly<Record<string, string>>;
      }
    | { readonly kind: "tcp"; readonly port: number }
    | { readonly kind: "exec"; readonly command: readonly string[] };
  readonly initialDelayMs: number;
  readonly timeoutMs: number;
  readonly periodMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** `files`: read-only, replaced in place when they change. `disk`: a volume that lives as long as the instance. */
export type RuntimeMount =
  | { readonly kind: "files"; readonly volume: string; readonly path: string; readonly files: RuntimeFiles }
  | { readonly kind: "disk"; readonly volume: string; readonly path: string; readonly sizeBytes: number };

export interface RuntimeFiles {
  /** Permission bits. */
  readonly mode: number;
  readonly contents: Readonly<Record<string, Uint8Array>>;
}

export interface RegistryCredential {
  /** Host, with the port if there is one. */
  readonly registry: string;
  readonly username: string;
  readonly password: string;
}

/** The statuses of the contract's `InstanceIs<Status>` reasons. */
export type InstanceStatus =
  | "Provisioning"
  | "Staging"
  | "Running"
  | "Stopping"
  | "Repairing"
  | "Suspended"
  | "Terminated";

export interface InstanceState {
  readonly status: InstanceStatus;
  /** Address at which the open ports can be reached from outside; one for each attachment that has one. */
  readonly externalAddresses: readonly string[];
  /** More about the status, for the tenant; such as why the last start failed. */
  readonly detail?: string;
  /** What has happened to it, for an Event: the same text for the same cause. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
  /** After how many ms to look again, without an event until then. */
  readonly againMs?: number;
}

export interface RuntimeLog {
  /** Of the Instance. */
  readonly uid: string;
  /** Empty: the first one. */
  readonly container: string;
  /** Whether to go on with what is written, until the container ends. */
  readonly follow: boolean;
  readonly timestamps: boolean;
  /** Of the end; undefined: all. */
  readonly tailLines: number | undefined;
  /** Since the Unix epoch. */
  readonly sinceMs: number | undefined;
}

/** Since the instance's containers were started; a restart begins at 0. */
export interface InstanceStats {
  readonly uid: string;
  readonly plane: string;
  /** `namespace/name` of the Instance. */
  readonly name: string;
  readonly workload: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly networkReceiveBytes: number;
  readonly networkTransmitBytes: number;
  /** Of its containers since they were made, by whomever. */
  readonly restarts: number;
}

export interface RuntimeInventory {
  /** By Instance. */
  readonly instances: readonly RuntimePart[];
  /** By NetworkContext. */
  readonly networks: readonly RuntimePart[];
}

/** Something that a runtime holds. */
export interface RuntimePart {
  /** Of the object that it was made for. */
  readonly uid: string;
  /** Control plane of the object's project; undefined if it is not known. */
  readonly plane: string | undefined;
}

/** A step that failed. The message is for the operator's log. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  /** `unavailable`: the runtime did not respond, nothing is known; `refused`: what was asked cannot be done. */
  readonly outcome: "unavailable" | "refused";
  /** For a condition, such as `ImagePullFailed`. */
  readonly reason: string;
  /** The message of the condition, which tenants read: nothing of the machine's addresses and paths. */
  readonly shown: string;

  constructor(outcome: "unavailable" | "refused", reason: string, message: string, shown = message) {
    super(message);
    this.outcome = outcome;
    this.reason = reason;
    this.shown = shown;
  }
}

/** An instance keeps its address: what its status says later is no reason to move it. */
export function addressDiffers(has: string, wanted: string): RuntimeError {
  const remedy = "delete the instance to have it made with that";
  const message = `the instance has the address ${has} and keeps it, its status says ${wanted}; ${remedy}`;
  return new RuntimeError("refused", "AddressDiffers", message);
}

export function addressInUse(address: string): RuntimeError {
  return new RuntimeError(
    "refused",
    "AddressInUse",
    `another instance of the network has the address ${address}`,
  );
}
