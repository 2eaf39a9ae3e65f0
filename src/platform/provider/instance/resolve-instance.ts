import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { conditionOf } from "../plane/conditions.ts";
import { networkKeys } from "../plane/network-keys.ts";
import { keyOf, objectsAt, textAt, uidOf } from "../plane/plane-object.ts";
import type { InstanceStatus, RuntimeAttachment, RuntimeInstance } from "../runtime/runtime.ts";
import { type ConfigReader, environment } from "./environment.ts";
import { machineIn, machineOf } from "./machine.ts";
import { mounts } from "./mounts.ts";
import { openPorts } from "./open-ports.ts";
import { probesOf } from "./probes.ts";
import { pullSecrets } from "./pull-secrets.ts";

/** What an Instance refers to. */
export interface Surroundings {
  readonly plane: string;
  /** Name of the Workload. */
  readonly workload: string;
  /** The NetworkContext of a {@link networkKeys} key. */
  context(networkKey: string): PlaneObject | undefined;
  readonly config: ConfigReader;
  readonly groupDomain: string;
}

/**
 * An Instance as the runtime takes it. `early`: the server has not assigned its addresses yet; nothing is
 * wrong. `missing`: it names what is not there.
 */
export type ResolvedInstance =
  | { readonly kind: "ready"; readonly instance: RuntimeInstance }
  | { readonly kind: "early" }
  | { readonly kind: "missing"; readonly message: string; readonly networks: readonly RuntimeAttachment[] };

/** Limits of each instance type. */
const instanceTypes: Readonly<Record<string, { cpus: number; memoryBytes: number }>> = {
  "platformcloud/d1-standard-2": { cpus: 2, memoryBytes: 8 * 2 ** 30 },
};

const statuses = new Set<string>([
  "Provisioning",
  "Staging",
  "Running",
  "Stopping",
  "Repairing",
  "Suspended",
  "Terminated",
] satisfies InstanceStatus[]);

const maxNamed = 5;
const maxHostname = 63;

/** The status in an Instance's condition. */
export function reportedStatus(instance: PlaneObject): InstanceStatus | undefined {
  const reason = conditionOf(instance, "Available")?.["reason"];
  const status = typeof reason === "string" ? reason.replace(/^InstanceIs/, "") : "";
  return statuses.has(status) ? (status as InstanceStatus) : undefined;
}

export function resolveInstance(object: PlaneObject, around: Surroundings): ResolvedInstance {
  const missing = new Set<string>();
  const sandbox = valueAt(object, ["spec", "runtime", "sandbox"]);
  const containers = objectsAt(sandbox, "containers");
  const withPorts = [...containers, machineIn(object) ?? {}];
  const networks: RuntimeAttachment[] = [];
  const keys = networkKeys(object);
  for (const [index, spec] of objectsAt(object, "spec", "networkInterfaces").entries()) {
    const assigned = valueAt(object, ["status", "networkInterfaces", index, "assignments"]);
    const address = textAt(assigned, "networkIP");
    if (address === undefined) return { kind: "early" };
    const context = around.context(keys[index] ?? "");
    if (context === undefined) missing.add(`NetworkContext of network "${textAt(spec, "network", "name")}"`);
    else {
      const reportedExternal = textAt(assigned, "externalIP");
      const networkUid = uidOf(context);
      networks.push({ networkUid, address, reportedExternal, openPorts: openPorts(spec, withPorts) });
    }
  }
  const type = textAt(object, "spec", "runtime", "resources", "instanceType") ?? "";
  const size = instanceTypes[type];
  if (size === undefined) missing.add(`instance type ${JSON.stringify(type.slice(0, 100))}`);
  const built = containers.map((container) => ({
    name: textAt(container, "name") ?? "",
    image: textAt(container, "image") ?? "",
    env: environment(object, container, around.config, missing),
    mounts: mounts(object, container, around.config, missing),
    probes: probesOf(container),
  }));
  const machine = machineOf(object, around.groupDomain, around.config, missing);
  const credentials = pullSecrets(object, around.config, missing);
  if (missing.size > 0 || size === undefined)
    return { kind: "missing", message: missingMessage(missing), networks };
  return {
    kind: "ready",
    instance: {
      uid: uidOf(object),
      plane: around.plane,
      name: keyOf(object),
      workload: around.workload,
      hostname: hostname(textAt(object, "metadata", "name") ?? ""),
      ...size,
      networks,
      containers: machine === undefined ? built : [machine],
      pullSecrets: credentials,
      reported: reportedStatus(object),
    },
  };
}

function missingMessage(missing: ReadonlySet<string>): string {
  const named = [...missing].slice(0, maxNamed).join(", ");
  const others = missing.size - maxNamed;
  const more = others > 0 ? ` and ${others} more` : "";
  return `not found: ${named}${more}; the instance starts when it is there`;
}

/** A DNS label: an Instance's name may be longer. */
function hostname(name: string): string {
  return name
    .slice(0, maxHostname)
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replace(/-+$/, "");
}
