import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { domain, startGateway } from "../../test/support/gateway/running-gateway.ts";
import {
  groupDomain,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../../test/support/plane/platform.ts";
import { until } from "../../test/support/until.ts";
import { print, round } from "./verdict.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, field by field
type Body = any;

/** Of each project: quotas and lists stay as users have them. */
const proxiesPerProject = 500;
const idleSeconds = 20;
const repeats = 5;
const limitMs = 900_000;

/**
 * HTTPProxies through the whole platform, in this process with the gateway: time until as many are Programmed,
 * from the creation of one more until it is Programmed, and processor time while nothing happens.
 */
export async function measureControlPlane(sizes: readonly number[], backendPort: number): Promise<void> {
  print("\nHTTPProxies through the control plane, in one process with the gateway");
  const objects = 1_000_000;
  const quota = { objects, bytes: 2 ** 40, policies: objects, sinks: objects };
  const platform = await startTestPlatform({
    gateway: { domain },
    isAllowed: (address) => address === "127.0.0.1",
    quotas: { organization: { ...quota, projects: 1_000 }, project: quota },
    limits: { requestsPerSecondPerToken: 1_000_000 },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  try {
    await using gateway = await startGateway({ platform });
    const plane = new Proxies(platform, await platform.exchange(platform.token), agent, backendPort);
    const table: Record<string, object> = {};
    for (const count of sizes) {
      const startedMs = performance.now();
      await plane.createUpTo(count);
      const createdMs = performance.now() - startedMs;
      await plane.untilProgrammed();
      const allMs = performance.now() - startedMs;
      const oneMore: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        await sleep(2_000 + count, new AbortController().signal);
        oneMore.push(await plane.timeOne());
      }
      await sleep(5_000, new AbortController().signal);
      const before = process.cpuUsage();
      await sleep(idleSeconds * 1_000, new AbortController().signal);
      const { user, system } = process.cpuUsage(before);
      const sorted = oneMore.toSorted((a, b) => a - b);
      table[count] = {
        "created s": round(createdMs / 1_000),
        "all Programmed s": round(allMs / 1_000),
        "one more ms": round(sorted[Math.floor(repeats / 2)] ?? Number.NaN),
        "slowest ms": round(sorted.at(-1) ?? Number.NaN),
        "idle CPU %": round((user + system) / (idleSeconds * 10_000)),
        "Node MB": Math.round(process.memoryUsage().rss / 1e6),
        problem: gateway.problem() ?? "",
      };
      console.table({ [count]: table[count] });
    }
  } finally {
    agent.destroy();
    await platform.stop();
  }
}

function proxiesOf(project: string): string {
  return `${projectBase(project)}/apis/networking.${groupDomain}/v1alpha/namespaces/default/httpproxies`;
}

/** Proxies in projects of {@link proxiesPerProject}. */
class Proxies {
  readonly #platform: TestPlatform;
  readonly #bearer: string;
  readonly #agent: Agent;
  readonly #backendPort: number;
  /** Of proxies whose Programmed is not known yet. */
  #awaited: string[] = [];
  #count = 0;
  #projects = 0;
  #singles = 0;

  constructor(platform: TestPlatform, bearer: string, agent: Agent, backendPort: number) {
    this.#platform = platform;
    this.#bearer = bearer;
    this.#agent = agent;
    this.#backendPort = backendPort;
  }

  async createUpTo(count: number): Promise<void> {
    while (this.#count < count) {
      const batch = Math.min(proxiesPerProject - (this.#count % proxiesPerProject), count - this.#count, 16);
      const path = await this.#path();
      const names = Array.from({ length: batch }, () => `proxy-${this.#count++}`);
      this.#awaited.push(...(await Promise.all(names.map((name) => this.#create(path, name)))));
    }
  }

  async untilProgrammed(): Promise<void> {
    for (const path of this.#awaited) await until("Programmed", () => this.#isProgrammed(path), limitMs);
    this.#awaited = [];
  }

  /**
   * Ms from the creation of another one until it is Programmed, in a project of its own: one that has just
   * changed many waits for its turn.
   */
  async timeOne(): Promise<number> {
    if (this.#singles === 0) await this.#platform.createProject("single");
    const startedMs = performance.now();
    const created = await this.#create(proxiesOf("single"), `proxy-${this.#singles++}`);
    await until("Programmed", () => this.#isProgrammed(created), limitMs);
    return performance.now() - startedMs;
  }

  async #create(path: string, name: string): Promise<string> {
    const rules = [{ backends: [{ endpoint: `http://127.0.0.1:${this.#backendPort}` }] }];
    const { code, json } = await this.#call(path, { metadata: { name }, spec: { rules } });
    if (code !== 201) throw new Error(`${name}: ${code} ${json?.message}`);
    return `${path}/${name}`;
  }

  async #isProgrammed(path: string): Promise<boolean> {
    const { json } = await this.#call(path);
    const conditions: Body[] = json.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "Programmed" && status === "True");
  }

  /** Of the proxies of the newest project, or of another one where it has as many as it may have. */
  async #path(): Promise<string> {
    const wanted = Math.floor(this.#count / proxiesPerProject) + 1;
    for (; this.#projects < wanted; this.#projects++)
      await this.#platform.createProject(`web-${this.#projects}`);
    return proxiesOf(`web-${this.#projects - 1}`);
  }

  #call(path: string, body?: Body): Promise<{ readonly code: number; readonly json: Body }> {
    const method = body === undefined ? "GET" : "POST";
    return this.#platform.fetch(path, { method, bearer: this.#bearer, body, agent: this.#agent });
  }
}
