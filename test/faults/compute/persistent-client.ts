import { setTimeout as delay } from "node:timers/promises";
import type { KubeObject } from "../../../src/kube-server/api/object.ts";
import {
  type FetchOptions,
  groupDomain,
  type TestPlatform,
  type TestResponse,
} from "../../support/plane/platform.ts";
import { until } from "../../support/until.ts";

const responseMs = 20_000;
/** Statuses of a conflict, and of a server in trouble. */
const passing = new Set([409, 429, 500, 502, 503, 504]);

export const resources = {
  location: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/locations`,
  network: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/networks`,
  binding: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/networkbindings`,
  context: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/networkcontexts`,
  claim: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/subnetclaims`,
  subnet: `/apis/networking.${groupDomain}/v1alpha/namespaces/default/subnets`,
  workload: `/apis/compute.${groupDomain}/v1alpha/namespaces/default/workloads`,
  deployment: `/apis/compute.${groupDomain}/v1alpha/namespaces/default/workloaddeployments`,
  instance: `/apis/compute.${groupDomain}/v1alpha/namespaces/default/instances`,
  configMap: "/api/v1/namespaces/default/configmaps",
  project: `/apis/resourcemanager.${groupDomain}/v1alpha/projects`,
} as const;

export type Resource = keyof typeof resources;

/** A control plane's client that repeats a request until the server is back; each request may be repeated. */
export class PersistentClient {
  readonly #platform: TestPlatform;
  readonly #base: string;
  #bearer: string | undefined;

  /** @param base of the control plane, such as `/apis/…/control-plane` */
  constructor(platform: TestPlatform, base: string) {
    this.#platform = platform;
    this.#base = base;
  }

  /** Creates or changes an object, by server-side apply. */
  async apply(resource: Resource, object: KubeObject): Promise<void> {
    const path = `${this.#path(resource, object.metadata.name)}?fieldManager=user&force=true`;
    const headers = { "content-type": "application/apply-patch+yaml" };
    await this.#ask(path, [200, 201], { method: "PATCH", headers, body: object });
  }

  /** Merges fields into an object. @returns whether it is there */
  async merge(resource: Resource, name: string, fields: unknown): Promise<boolean> {
    const headers = { "content-type": "application/merge-patch+json" };
    const options = { method: "PATCH", headers, body: fields };
    return (await this.#ask(this.#path(resource, name), [200, 404], options)).code === 200;
  }

  /** Asks for a deletion; does not wait for its end. */
  async delete(resource: Resource, name: string): Promise<void> {
    await this.#ask(this.#path(resource, name), [200, 202, 404], { method: "DELETE" });
  }

  async get(resource: Resource, name: string): Promise<KubeObject | undefined> {
    const { code, json } = await this.#ask(this.#path(resource, name), [200, 404]);
    return code === 404 ? undefined : json;
  }

  async list(resource: Resource): Promise<KubeObject[]> {
    return (await this.#ask(this.#path(resource), [200])).json.items;
  }

  #path(resource: Resource, name = ""): string {
    return `${this.#base}${resources[resource]}${name === "" ? "" : `/${name}`}`;
  }

  /** @throws for an answer that no repetition changes */
  async #ask(path: string, codes: readonly number[], options: FetchOptions = {}): Promise<TestResponse> {
    const what = `${options.method ?? "GET"} ${path}`;
    let answer: TestResponse | undefined;
    await until(`${what} is answered`, async () => {
      this.#bearer ??= await this.#platform.exchange(this.#platform.token);
      const asked = this.#platform.fetch(path, { bearer: this.#bearer, ...options });
      const response = await Promise.race([asked, delay(responseMs, undefined, { ref: false })]);
      // An expired token is nobody's.
      const isExpired = response?.code === 403 && response.text.includes("system:anonymous");
      if (isExpired) this.#bearer = undefined;
      if (response !== undefined && !isExpired && !passing.has(response.code)) answer = response;
      else await delay(200);
      return answer !== undefined;
    });
    if (answer === undefined || !codes.includes(answer.code))
      throw new Error(`${what}: ${answer?.code} ${answer?.text}`);
    return answer;
  }
}
