import { expect } from "vitest";
import { projectBase, type TestPlatform } from "../plane/platform.ts";
import { type OpenWatch, openWatch, type WatchEventLine } from "../plane/watch-client.ts";
import { until } from "../until.ts";
import type { TestProvider } from "./emulated-provider.ts";
import { example as manifest } from "./workload-cases.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, field by field
export type Body = any;
export type ComputeGroup = keyof typeof groupVersions;

const groupVersions = {
  core: "v1",
  networking: "networking.platformapis/v1alpha",
  compute: "compute.platformapis/v1alpha",
  gateway: "gateway.networking.k8s.io/v1",
  discovery: "discovery.k8s.io/v1",
} as const;

/** A project's control plane, with what its workloads need. */
export class ComputePlane {
  readonly base: string;
  readonly name: string;
  readonly #platform: TestPlatform;
  readonly #bearer: string;
  readonly #namespace: string;

  private constructor(platform: TestPlatform, bearer: string, name: string, namespace = "default") {
    this.#platform = platform;
    this.#bearer = bearer;
    this.#namespace = namespace;
    this.name = name;
    this.base = projectBase(name);
  }

  /** Creates the project, and waits until its control plane answers. */
  static async create(platform: TestPlatform, bearer: string, name: string): Promise<ComputePlane> {
    await platform.createProject(name);
    return new ComputePlane(platform, bearer, name);
  }

  /** The same, for another caller. */
  as(bearer: string): ComputePlane {
    return new ComputePlane(this.#platform, bearer, this.name, this.#namespace);
  }

  /** The same, for another namespace, which is created. */
  async within(namespace: string): Promise<ComputePlane> {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    const created = await this.#platform.fetch(`${this.base}/api/v1/namespaces`, {
      ...{ method: "POST", bearer: this.#bearer, body },
    });
    expect(created.code).toBe(201);
    return new ComputePlane(this.#platform, this.#bearer, this.name, namespace);
  }

  path(group: ComputeGroup, resource: string, name = ""): string {
    const root = group === "core" ? "api" : "apis";
    const version = groupVersions[group];
    const collection = `${this.base}/${root}/${version}/namespaces/${this.#namespace}/${resource}`;
    return name === "" ? collection : `${collection}/${name}`;
  }

  async create(group: ComputeGroup, resource: string, body: Body): Promise<Body> {
    const response = await this.#platform.fetch(this.path(group, resource), {
      ...{ method: "POST", bearer: this.#bearer, body },
    });
    expect(response.json).toMatchObject({ kind: body.kind });
    return response.json;
  }

  /** @returns undefined if there is none */
  async get(group: ComputeGroup, resource: string, name: string): Promise<Body> {
    const response = await this.#platform.fetch(this.path(group, resource, name), { bearer: this.#bearer });
    return response.code === 404 ? undefined : response.json;
  }

  async list(group: ComputeGroup, resource: string): Promise<Body[]> {
    return (await this.#platform.fetch(this.path(group, resource), { bearer: this.#bearer })).json.items;
  }

  async patch(group: ComputeGroup, resource: string, name: string, body: Body): Promise<void> {
    await this.#patch(this.path(group, resource, name), body);
  }

  /** Labels the namespace; null removes a label. */
  async label(labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#patch(`${this.base}/api/v1/namespaces/${this.#namespace}`, { metadata: { labels } });
  }

  async #patch(path: string, body: Body): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const response = await this.#platform.fetch(path, {
      ...{ method: "PATCH", bearer: this.#bearer, headers, body },
    });
    expect(response.code, response.text).toBe(200);
  }

  async delete(group: ComputeGroup, resource: string, name: string): Promise<void> {
    const path = this.path(group, resource, name);
    const response = await this.#platform.fetch(path, { method: "DELETE", bearer: this.#bearer });
    expect(response.code).toBe(200);
  }

  /** A Location, a Network and a Workload of the examples. */
  async deployAll(minReplicas = 1): Promise<void> {
    await this.create("networking", "locations", example("location"));
    await this.create("networking", "networks", example("network"));
    await this.create("compute", "workloads", workload("web", minReplicas));
  }

  /** Changes how many instances a workload of one placement has. */
  async scale(name: string, minReplicas: number): Promise<void> {
    const placements = [{ name: "us", cityCodes: ["DFW"], scaleSettings: { minReplicas } }];
    await this.patch("compute", "workloads", name, { spec: { placements } });
  }

  async available(name: string): Promise<void> {
    await until(`workload ${name} is available`, async () => {
      return condition(await this.get("compute", "workloads", name), "Available")?.status === "True";
    });
  }

  /** Waits until a deployment has exactly so many instances, and all are ready. */
  async areReady(deployment: string, count: number): Promise<void> {
    await until(`${count} instances of ${deployment} are ready`, async () => {
      const { status } = await this.get("compute", "workloaddeployments", deployment);
      return status.readyReplicas === count && status.replicas === count;
    });
  }

  async gone(group: ComputeGroup, resource: string, name: string): Promise<void> {
    await until(`${resource}/${name} is gone`, async () => {
      return (await this.get(group, resource, name)) === undefined;
    });
  }

  /** Watches a collection from its present state on, however late the connection is. */
  async watch(
    group: ComputeGroup,
    resource: string,
    onEvent: (event: WatchEventLine) => void,
  ): Promise<OpenWatch> {
    const path = this.path(group, resource);
    const { json } = await this.#platform.fetch(path, { bearer: this.#bearer });
    const query = `watch=true&resourceVersion=${json.metadata.resourceVersion}`;
    return openWatch(`${this.#platform.url}${path}?${query}`, this.#bearer, onEvent);
  }
}

/** A manifest of `config/compute`, to be changed at will. */
export function example(name: "location" | "network" | "workload"): Body {
  return manifest(`${name}.yaml`);
}

/** A Location of the examples in another city. */
export function locationIn(code: string): Body {
  const location = example("location");
  location.metadata.name = code.toLowerCase();
  location.spec.topology["topology.platform/city-code"] = code;
  location.spec.provider.cloudA.zone = `zone-${code}`;
  return location;
}

/** The Workload of the examples without what it mounts. */
export function workload(name: string, minReplicas = 1, placements?: Body): Body {
  const body = example("workload");
  body.metadata.name = name;
  delete body.spec.template.spec.volumes;
  delete body.spec.template.spec.runtime.sandbox.containers[0].volumeAttachments;
  body.spec.placements[0].scaleSettings.minReplicas = minReplicas;
  if (placements !== undefined) body.spec.placements = placements;
  return body;
}

export function condition(object: Body, type: string): Body {
  return object?.status?.conditions?.find((each: Body) => each.type === type);
}

/** Waits until a provider says that another one serves its location. */
export async function isRefused({ provider }: TestProvider): Promise<void> {
  await until("the provider says that another one serves it", () => provider.problem() !== undefined);
}

/** The different texts of the objects of some collections, as watches see them. */
export class Observer {
  readonly seen: string[] = [];
  readonly #watches: OpenWatch[] = [];

  static async start(
    plane: ComputePlane,
    collections: readonly [group: ComputeGroup, resource: string, type: string][],
  ): Promise<Observer> {
    const observer = new Observer();
    for (const [group, resource, type] of collections) {
      const see = (event: WatchEventLine) => observer.#see(event, type);
      observer.#watches.push(await plane.watch(group, resource, see));
    }
    return observer;
  }

  #see({ type: event, object }: WatchEventLine, type: string): void {
    const name = `${object.kind}/${object.metadata.name}`;
    const { status = "-", reason = "-" } = condition(object, type) ?? {};
    const text = event === "DELETED" ? `${name} deleted` : `${name} ${status} ${reason}`;
    if (!this.seen.includes(text)) this.seen.push(text);
  }

  /** Waits until all of these texts were seen. */
  async sees(...texts: readonly string[]): Promise<void> {
    await until(`the watches have seen ${texts.join(", ")}`, () =>
      texts.every((text) => this.seen.includes(text)),
    );
  }

  of(kind: string): string[] {
    return this.seen.filter((text) => text.startsWith(`${kind}/`)).map((text) => text.slice(kind.length + 1));
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }
}
