import { AddressRange, parseAddress } from "../../../src/base/net/address-range.ts";
import { findCondition } from "../../../src/kube-server/api/conditions.ts";
import { fieldAt } from "../../../src/kube-server/api/fields.ts";
import type { KubeObject } from "../../../src/kube-server/api/object.ts";
import { containersOf, type DeclaredProject, deploymentsOf } from "./declared-project.ts";
import type { EngineContents } from "./engine-contents.ts";
import type { Resource } from "./persistent-client.ts";

const owned = ["deployment", "instance", "binding", "context", "claim", "subnet"] as const;
const owners = ["workload", "network", ...owned] as const;
type Objects = Readonly<Record<(typeof owners)[number], readonly KubeObject[]>>;

/** What the control planes hold of a project. */
export interface ProjectState {
  readonly project: DeclaredProject;
  readonly objects: Objects;
}

export async function stateOf(project: DeclaredProject): Promise<ProjectState> {
  const objects = {} as Record<keyof Objects, readonly KubeObject[]>;
  for (const kind of owners) objects[kind] = await project.client.list(kind);
  return { project, objects };
}

/** Differences between what is declared and what the control planes say, each a sentence. */
export function declaredDifferences({ project, objects }: ProjectState): string[] {
  const workloads = [...project.workloads];
  const deployments = workloads.flatMap(([name, workload]) => deploymentsOf(name, workload));
  const instances = workloads.flatMap(([name, workload]) =>
    deploymentsOf(name, workload).flatMap((deployment) =>
      Array.from({ length: workload.replicas }, (_, ordinal) => ({
        name: `${deployment}-${ordinal}`,
        version: String(workload.version),
      })),
    ),
  );
  const versions = new Map(instances.map(({ name, version }) => [name, version]));
  const usedCities = new Set(workloads.flatMap(([, workload]) => workload.cities));
  const contexts = [...usedCities].map((city) => `default-default-${city.toLowerCase()}`);
  const blocks = contexts.map((context) => `${context}-0`);
  const bindings = deployments.map((deployment) => `${deployment}-net-0`);
  return [
    ...namedDifferences("workload", [...project.workloads.keys()], objects),
    ...namedDifferences("deployment", deployments, objects),
    ...namedDifferences("instance", [...versions.keys()], objects),
    ...namedDifferences("binding", bindings, objects),
    ...namedDifferences("context", contexts, objects),
    ...namedDifferences("claim", blocks, objects),
    ...namedDifferences("subnet", blocks, objects),
    ...objects.instance.flatMap((instance) => {
      const available = findCondition(instance, "Available");
      if (available?.["status"] !== "True") return `${nameOf(instance)} is ${available?.["reason"]}`;
      const version = fieldAt(instance, ["spec", "runtime", "sandbox", "containers", 0, "env", 0, "value"]);
      const declared = versions.get(nameOf(instance));
      return declared === undefined || version === declared
        ? []
        : `${nameOf(instance)} has version ${version} instead of ${declared}`;
    }),
    ...objects.workload.flatMap((workload) =>
      fieldAt(workload, ["status", "replicas"]) ===
      instances.filter(({ name }) => name.startsWith(`${nameOf(workload)}-all-`)).length
        ? []
        : `workload ${nameOf(workload)} counts ${fieldAt(workload, ["status", "replicas"])} replicas`,
    ),
    ...orphans(objects),
  ].map((text) => `${project.name}: ${text}`);
}

/**
 * Instances whose address Podman takes for another container's: killed in the middle of a container's start, it keeps
 * the address in its own database until the network is removed.
 */
export function withLostAddress({ objects }: ProjectState): string[] {
  const lost = objects.instance.filter((instance) =>
    /IPAM error: .* is already allocated to container/.test(
      String(findCondition(instance, "Available")?.["message"]),
    ),
  );
  return lost.map(nameOf);
}

/** Addresses that two Instances have in one network. */
export function sharedAddresses(states: readonly ProjectState[]): string[] {
  return states.flatMap(({ project, objects }) => {
    const addresses = objects.instance.flatMap((instance) => {
      const address = addressOf(instance);
      const at = fieldAt(instance, ["spec", "location", "name"]);
      return address === undefined ? [] : `${address} in default at ${at}`;
    });
    return duplicates(addresses).map((address) => `${project.name}: ${address} is held twice`);
  });
}

/** Subnets that overlap, of any projects. */
export function overlaps(states: readonly ProjectState[]): string[] {
  const blocks = states.flatMap(({ project, objects }) =>
    objects.subnet.flatMap((subnet) => {
      const [start, prefix] = ["startAddress", "prefixLength"].map((field) =>
        fieldAt(subnet, ["status", field]),
      );
      if (start === undefined || prefix === undefined) return [];
      return { title: `${project.name}/${nameOf(subnet)}`, start: String(start), cidr: `${start}/${prefix}` };
    }),
  );
  return blocks.flatMap((one, index) =>
    blocks
      .slice(index + 1)
      .filter((other) => contains(one.cidr, other.start) || contains(other.cidr, one.start))
      .map((other) => `${one.title} and ${other.title} overlap: ${one.cidr}, ${other.cidr}`),
  );
}

/** Differences between what the control planes say and what the engine holds. */
export async function engineDifferences(
  states: readonly ProjectState[],
  contents: EngineContents,
): Promise<string[]> {
  const texts: string[] = contents.others.map((other) => `${other} belongs to nobody`);
  const [containers, networks, volumes]: [string[], string[], string[]] = [[], [], []];
  for (const { project, objects } of states) {
    networks.push(...objects.context.map(({ metadata }) => metadata.uid ?? ""));
    for (const instance of objects.instance) {
      const { uid = "", name = "" } = instance.metadata;
      const workload = project.workloads.get(name.replace(/-all-.*$/, ""));
      if (workload === undefined) continue;
      containers.push(...containersOf(workload).map((container) => `${uid} ${container}`));
      if (workload.isLarge) volumes.push(uid);
      const address = addressOf(instance);
      for (const each of contents.containers.filter((container) => container.instance === uid)) {
        if (!each.isRunning) texts.push(`container ${each.title} does not run`);
        if (each.version !== String(workload.version))
          texts.push(`container ${each.title} has version ${each.version}`);
        const held = Object.values(each.addresses);
        if (each.container === "web" && held.join() !== address)
          texts.push(`container ${each.title} has ${held.join(" and ")} instead of ${address}`);
      }
      const page = await fetchPage(address ?? "");
      if (page !== project.page)
        texts.push(`${project.name}/${name} serves ${page} instead of page ${project.page}`);
    }
  }
  return [
    ...texts,
    ...setDifferences(
      "container",
      containers,
      contents.containers.map((each) => `${each.instance} ${each.container}`),
    ),
    ...setDifferences("network", networks, contents.networks),
    ...setDifferences("volume", volumes, contents.volumes),
  ];
}

/** Projects beside those that are declared. */
export function unwantedProjects(projects: readonly KubeObject[], declared: readonly string[]): string[] {
  const names = projects.map(nameOf).filter((name) => !declared.includes(name));
  return names.map((name) => `project ${name} is not wanted`);
}

/** What the engine holds when every project has been deleted. */
export function leftovers({ containers, networks, volumes, others }: EngineContents): string[] {
  return [
    ...containers.map(({ title }) => `container ${title} is left`),
    ...networks.map((uid) => `network ${uid} is left`),
    ...volumes.map((uid) => `volume of instance ${uid} is left`),
    ...others.map((other) => `${other} is left`),
  ];
}

function namedDifferences(
  kind: keyof Objects & Resource,
  expected: readonly string[],
  objects: Objects,
): string[] {
  return setDifferences(kind, expected, objects[kind].map(nameOf));
}

function setDifferences(kind: string, expected: readonly string[], found: readonly string[]): string[] {
  return [
    ...expected.filter((each) => !found.includes(each)).map((each) => `${kind} ${each} is missing`),
    ...found.filter((each) => !expected.includes(each)).map((each) => `${kind} ${each} is not wanted`),
    ...duplicates(found).map((each) => `${kind} ${each} is there twice`),
  ];
}

function orphans(objects: Objects): string[] {
  const uids = new Set(owners.flatMap((kind) => objects[kind].map(({ metadata }) => metadata.uid)));
  return owned.flatMap((kind) =>
    objects[kind]
      .filter(({ metadata }) => {
        const references = metadata.ownerReferences ?? [];
        return references.length === 0 || references.some(({ uid }) => !uids.has(String(uid)));
      })
      .map((object) => `${kind} ${nameOf(object)} has no owner`),
  );
}

function addressOf(instance: KubeObject): string | undefined {
  const address = fieldAt(instance, ["status", "networkInterfaces", 0, "assignments", "networkIP"]);
  return address === undefined ? undefined : String(address);
}

function contains(cidr: string, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && new AddressRange(cidr).contains(parsed);
}

async function fetchPage(address: string): Promise<string> {
  try {
    const options = { headers: { connection: "close" }, signal: AbortSignal.timeout(2_000) };
    return await (await fetch(`http://${address}:8080/`, options)).text();
  } catch {
    return "nothing";
  }
}

function nameOf(object: KubeObject): string {
  return object.metadata.name ?? "";
}

function duplicates(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
}
