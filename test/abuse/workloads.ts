/** Workloads of both projects: images, manifests, and who must not reach what. */
import type { KubeObject } from "../../src/kube-server/api/object.ts";
import { projectBase } from "../support/plane/platform.ts";
import { example } from "../support/provider/workload-cases.ts";

const gibibyte = 2 ** 30;
/** What the platform permits a container of `registry.example/disk:1` outside of its disks. */
const layerBytes = 10 * gibibyte;

/** Begins a line of the container that tries addresses: `cell NAME open` or `cell NAME closed`. */
export const cellMark = "cell";

const tryAddresses = `while :; do
  for target in $TARGETS; do
    name=\${target%%,*}; rest=\${target#*,}; address=\${rest%,*}; port=\${rest##*,}; found=closed
    echo "GET / HTTP/1.0" | nc -w 2 $address $port 2>/dev/null | grep -q ^HTTP && found=open
    echo "${cellMark} $name $found"
  done
  sleep 0.2
done`;

/** The commands of the hostile images; each bounds itself too, for a machine whose limits do not work. */
export const attacks = {
  /** The first container of its instance: it holds the addresses. */
  addresses: tryAddresses,
  /** 2,000 processes, of which the platform permits 1,024; the shell ends when it cannot fork. */
  processes:
    "exec 2>&1; i=0; while [ $i -lt 2000 ]; do sleep 20 & i=$((i+1)); done; echo all processes; wait",
  /** More than the instance's 8 GiB divided by its containers. */
  memory: "while :; do dd if=/dev/zero of=/dev/null bs=2000M count=1; echo ended $?; sleep 0.5; done",
  log: `exec yes ${"x".repeat(200)}`,
  restarts: "echo started; exit 1",
} as const;

/** Fills the disk: mostly with a hole, so that the machine's own disk stays usable. */
const fillDisk = `truncate -s ${layerBytes + gibibyte} /tmp/hole
while :; do dd if=/dev/zero of=/tmp/file bs=1M count=256; rm /tmp/file; sleep 0.1; done`;

export const serve = "exec httpd -f -p 8080 -h /www";
/** Image by its name, with its command. */
export const images: Readonly<Record<string, string>> = { web: serve, disk: fillDisk, ...attacks };

const image = (name: string) => `registry.example/${name}:1`;
export const imageNames = Object.keys(images).map((name) => [name, image(name)] as const);

const networking = "networking.platformapis/v1alpha";
const collections = {
  locations: networking,
  networks: networking,
  workloads: "compute.platformapis/v1alpha",
  instances: "compute.platformapis/v1alpha",
} as const;

export type Collection = keyof typeof collections;

/** URL of a collection of a project. */
export function collectionUrl(url: string, project: string, plural: Collection): string {
  return `${url}${projectBase(project)}/apis/${collections[plural]}/namespaces/default/${plural}`;
}

export const location: KubeObject = example("location.yaml");

/** A network with addresses of both families. */
export function networkOf(name: string): object {
  const spec = { ipam: { mode: "Auto" }, ipFamilies: ["IPv4", "IPv6"] };
  return { apiVersion: networking, kind: "Network", metadata: { name }, spec };
}

interface WorkloadOptions {
  readonly network?: string;
  /** Of all containers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether everybody may call its port 8080. */
  readonly isOpen?: boolean;
}

/** @param containers names of images */
export function workloadOf(
  name: string,
  containers: readonly string[],
  { network = "default", env = {}, isOpen = false }: WorkloadOptions = {},
): object {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const ingress = [{ ports: [{ port: 8080 }], from: [{ ipBlock: { cidr: "0.0.0.0/0" } }] }];
  const spec = {
    runtime: {
      resources: { instanceType: "platformcloud/d1-standard-2" },
      sandbox: {
        containers: containers.map((each) => ({ name: each, image: image(each), env: variables })),
      },
    },
    networkInterfaces: [{ network: { name: network }, networkPolicy: { ingress: isOpen ? ingress : [] } }],
  };
  const placements = [{ name: "all", cityCodes: ["DFW"], scaleSettings: { minReplicas: 1 } }];
  return {
    apiVersion: collections.workloads,
    kind: "Workload",
    metadata: { name },
    spec: { template: { spec }, placements },
  };
}

/** Name of the only instance of {@link workloadOf}. */
export function instanceOf(workload: string): string {
  return `${workload}-all-dfw-0`;
}

/** What the hostile instance tries to reach. */
export interface Cell {
  /** Without spaces and commas. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly isOpen: boolean;
}

/** The environment of {@link attacks.addresses}. */
export function targetsOf(cells: readonly Cell[]): Readonly<Record<string, string>> {
  return { TARGETS: cells.map(({ name, address, port }) => `${name},${address},${port}`).join(" ") };
}
