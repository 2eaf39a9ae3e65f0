import { findCondition } from "../../../src/kube-server/api/conditions.ts";
import type { Json, KubeObject } from "../../../src/kube-server/api/object.ts";
import { groupDomain, projectBase, type TestPlatform } from "../../support/plane/platform.ts";
import { until } from "../../support/until.ts";
import { PersistentClient } from "./persistent-client.ts";

export const cities = ["DFW", "LHR"] as const;
export type City = (typeof cities)[number];

/** A Workload, as this run declares it. */
export interface DeclaredWorkload {
  readonly cities: readonly City[];
  /** In each of the cities. */
  readonly replicas: number;
  /** Of the template; the environment variable VERSION. */
  readonly version: number;
  /** With a second container and a disk. */
  readonly isLarge: boolean;
}

export const images = { web: "registry.example/web:1", side: "registry.example/side:1" } as const;
const networking = `networking.${groupDomain}/v1alpha`;

/** A project with its Locations, Network and ConfigMap, and the Workloads that are declared in it. */
export class DeclaredProject {
  readonly name: string;
  readonly client: PersistentClient;
  readonly workloads = new Map<string, DeclaredWorkload>();
  /** Content of the page that the ConfigMap has. */
  page = "";

  constructor(name: string, platform: TestPlatform) {
    this.name = name;
    this.client = new PersistentClient(platform, projectBase(name));
  }

  /** @param ipv4Range of its network */
  async create(organization: PersistentClient, ipv4Range: string): Promise<void> {
    const { name, client } = this;
    const metadata = { name };
    await organization.apply("project", {
      apiVersion: `resourcemanager.${groupDomain}/v1alpha`,
      kind: "Project",
      metadata,
    });
    await until(`project ${name} is ready`, async () => {
      const project = await organization.get("project", name);
      return project !== undefined && findCondition(project, "Ready")?.["status"] === "True";
    });
    for (const city of cities) await client.apply("location", location(city));
    const spec = { ipam: { mode: "Auto", ipv4Ranges: [ipv4Range] } };
    await client.apply("network", {
      apiVersion: networking,
      kind: "Network",
      metadata: { name: "default" },
      spec,
    });
    await this.publish("0");
  }

  /** Edits the ConfigMap. */
  async publish(page: string): Promise<void> {
    this.page = page;
    const metadata = { name: "pages" };
    const data = { "index.html": page };
    await this.client.apply("configMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  }

  async declare(name: string, workload: DeclaredWorkload): Promise<void> {
    this.workloads.set(name, workload);
    await this.client.apply("workload", manifest(name, workload));
  }

  /** Removes all Workloads, waits until their networks are gone, and declares them again. */
  async declareAnew(): Promise<void> {
    const declared = [...this.workloads];
    for (const [name] of declared) await this.remove(name);
    await until(`${this.name} has no networks`, async () => (await this.client.list("context")).length === 0);
    for (const [name, workload] of declared) await this.declare(name, workload);
  }

  async remove(name: string): Promise<void> {
    this.workloads.delete(name);
    await this.client.delete("workload", name);
  }
}

/** Names of the deployments of a Workload. */
export function deploymentsOf(name: string, workload: DeclaredWorkload): string[] {
  return workload.cities.map((city) => `${name}-all-${city.toLowerCase()}`);
}

/** Names of the containers of each instance. */
export function containersOf({ isLarge }: DeclaredWorkload): string[] {
  return isLarge ? ["web", "side"] : ["web"];
}

function location(city: City): KubeObject {
  return {
    apiVersion: networking,
    kind: "Location",
    metadata: { name: city.toLowerCase() },
    spec: {
      locationClassName: "platform-managed",
      topology: { "topology.platform/city-code": city },
      provider: { cloudA: { projectId: "local", region: "us-south1", zone: "us-south1-a" } },
    },
  };
}

function manifest(name: string, workload: DeclaredWorkload): KubeObject {
  const env = [{ name: "VERSION", value: String(workload.version) }];
  const attached = [{ name: "pages", mountPath: "/www" }];
  const containers: Json[] = [{ name: "web", image: images.web, env, volumeAttachments: attached }];
  const volumes: Json[] = [{ name: "pages", configMap: { name: "pages" } }];
  if (workload.isLarge) {
    const volumeAttachments = [{ name: "data", mountPath: "/tmp" }];
    containers.push({ name: "side", image: images.side, env, volumeAttachments });
    const spec = {
      populator: { filesystem: { type: "ext4" } },
      resources: { requests: { storage: "10Gi" } },
    };
    volumes.push({ name: "data", disk: { template: { spec } } });
  }
  return {
    apiVersion: `compute.${groupDomain}/v1alpha`,
    kind: "Workload",
    metadata: { name },
    spec: {
      template: {
        spec: {
          runtime: {
            resources: { instanceType: "platformcloud/d1-standard-2" },
            sandbox: { containers },
          },
          networkInterfaces: [{ network: { name: "default" } }],
          volumes,
        },
      },
      placements: [
        {
          name: "all",
          cityCodes: [...workload.cities],
          scaleSettings: { minReplicas: workload.replicas },
        },
      ],
    },
  };
}
