import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { silentLogger } from "../../base/log/log.ts";
import { ReadLimits } from "../../exporter/metrics-store/read-limits.ts";
import type { SinkPlan } from "../../exporter/policy/spec/types.ts";
import { ProjectTenants } from "../../exporter/policy/tenants/project-tenants.ts";
import { type TenantForm, tenantIdProblem } from "../../exporter/policy/tenants/tenant-id.ts";
import type { MetricsConfig } from "../config/schema.ts";
import { createStores, type Stores } from "./stores.ts";

/**
 * Reads of many projects, edits of their tenants, restarts and idle times, at a server in this process whose
 * tenants have the same series at the same times. Each value names its tenant.
 */

const projects = ["web", "shop", "blog", "api"];
const tenants = ["team-a", "team-b", "team-c", "1", "2"];
/** Some are no tenants' IDs, and one is unknown to the server. */
const ids = [...tenants, "unknown", "", "team-a|team-b", "..", "multitenant", "team-a/../team-b", undefined];
const queries = [
  "up",
  '{__name__="up"}',
  '{vm_account_id="2",vm_project_id="0"}',
  '{__tenant_id__="team-b"}',
  '{__name__=~".*", tenant="team-b"} or {job="extra_filters[]"}',
  '{"X-Scope-OrgID"="team-b"}',
  'sum(up{vm_account_id="1"})',
  'label_set(up, "__tenant_id__", "team-c")',
  'up{job="&extra_label=vm_account_id=2#/select/2/prometheus"}',
];

/** What the server has seen that must not happen. */
class Violations {
  withoutTenant = 0;
  sharedConnections = 0;
  readonly requested = new Set<string>();
}

/** Of each form: requests of a daemon that was restarted may arrive after its test has ended. */
const violationsOf: Readonly<Record<TenantForm, Violations>> = {
  header: new Violations(),
  path: new Violations(),
};
const tenantOfSocket = new WeakMap<Socket, string>();
const server = createServer(respond);
const listening = new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
});
afterAll(async () => {
  await listening;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? "", "http://store");
  // The server's own, of no tenant.
  if (pathname === "/flags") {
    response.writeHead(404).end();
    return;
  }
  const inPath = /^\/select\/([^/]+)\/prometheus(\/.+)$/.exec(pathname);
  const header = request.headersDistinct["x-scope-orgid"];
  const violations = violationsOf[header === undefined ? "path" : "header"];
  // Exactly one place names the tenant, once.
  const named = [...(inPath?.[1] === undefined ? [] : [inPath[1]]), ...(header ?? [])];
  const [tenant = ""] = named;
  if (named.length !== 1) violations.withoutTenant++;
  violations.requested.add(tenant);
  const before = tenantOfSocket.get(request.socket);
  if (before !== undefined && before !== tenant) violations.sharedConnections++;
  tenantOfSocket.set(request.socket, tenant);
  let form = "";
  request.on("data", (chunk: Buffer) => {
    form += chunk.toString();
  });
  request.on("end", () => {
    const value = tenants.indexOf(tenant);
    if (value === -1) {
      response.writeHead(400).end("unknown tenant");
      return;
    }
    const fields = new URLSearchParams(form);
    // Only ours may filter beside the query.
    if ([...fields.keys()].some((name) => name.startsWith("extra_"))) violations.withoutTenant++;
    response.end(responseTo(inPath?.[2] ?? pathname, fields, value));
  });
}

function responseTo(path: string, fields: URLSearchParams, value: number): string {
  const metric = { __name__: "up", job: "node" };
  const endMs = Math.floor(Number(fields.get("end")) * 1_000);
  if (path === "/api/v1/export") {
    return `${JSON.stringify({ metric, values: [value, value], timestamps: [endMs - 1_000, endMs] })}\n`;
  }
  if (path !== "/api/v1/query_range") return "";
  const result = [{ metric, values: [[endMs / 1_000, String(value)]] }];
  return JSON.stringify({ status: "success", data: { resultType: "matrix", result } });
}

type Step =
  | { readonly kind: "read" | "count"; readonly project: string; readonly query: string; readonly at: number }
  | { readonly kind: "edit"; readonly project: string; readonly id: string | undefined }
  | { readonly kind: "restart" | "idle" };

const project = fc.constantFrom(...projects);
const step = fc.oneof(
  { arbitrary: read("read"), weight: 30 },
  { arbitrary: read("count"), weight: 6 },
  {
    arbitrary: fc.record({ kind: fc.constant("edit" as const), project, id: fc.constantFrom(...ids) }),
    weight: 10,
  },
  { arbitrary: fc.record({ kind: fc.constantFrom("restart" as const, "idle" as const) }), weight: 1 },
);

function read(kind: "read" | "count"): fc.Arbitrary<Step> {
  // Few windows, so that many reads are equal and could share a response.
  const at = fc.integer({ min: 1, max: 3 });
  return fc.record({ kind: fc.constant(kind), project, query: fc.constantFrom(...queries), at });
}

/** A daemon's stores and tenants, restarted at times; what is open at once is limited. */
class World {
  /** Those of tenants whom the server knows. */
  reads = 0;
  complete = 0;
  readonly crossed: string[] = [];
  readonly #form: TenantForm;
  readonly #port: number;
  readonly #clock = new TestClock(1_760_000_000_000);
  readonly #annotations = new Map<string, string>();
  #tenants: ProjectTenants;
  #stores: Stores;
  readonly #open = new Set<Promise<void>>();
  readonly #never = neverAborted();

  constructor(form: TenantForm, port: number) {
    this.#form = form;
    this.#port = port;
    [this.#tenants, this.#stores] = this.#start();
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      await this.#do(one);
      if (this.#open.size >= 12) await Promise.race(this.#open);
    }
    await Promise.all(this.#open);
    this.#stores.close();
  }

  async #do(one: Step): Promise<void> {
    switch (one.kind) {
      case "edit":
        if (one.id === undefined) this.#annotations.delete(one.project);
        else this.#annotations.set(one.project, one.id);
        this.#tenants.annotate(one.project, one.id);
        return;
      case "restart":
        // What is open is given up: its samples must still be the right ones.
        this.#stores.close();
        [this.#tenants, this.#stores] = this.#start();
        return;
      case "idle":
        await Promise.all(this.#open);
        this.#clock.advance(16 * 60_000);
        this.#closeIdle();
        return;
      default: {
        const work = this.#request(one).finally(() => this.#open.delete(work));
        this.#open.add(work);
      }
    }
  }

  async #request(one: Extract<Step, { query: string }>): Promise<void> {
    const tenant = this.#tenants.of(one.project);
    const id = this.#annotations.get(one.project);
    const isUsable = id !== undefined && tenantIdProblem(id, this.#form) === undefined;
    const store = this.#stores.storeOf({ tenant } as SinkPlan);
    if ((store.kind === "store") !== isUsable) this.crossed.push(`${one.project} as ${id}: ${store.kind}`);
    if (store.kind === "none") return;
    const expected = tenants.indexOf(id ?? "");
    if (expected !== -1) this.reads++;
    const check = (value: number | undefined) => {
      if (value !== expected) this.crossed.push(`${one.project} as ${id} got ${value}`);
    };
    const toMs = 1_760_000_000_000 + one.at * 15_000;
    const window = { fromMs: toMs - 15_000, toMs };
    if (one.kind === "count") {
      const request = { selector: "up", window, stepMs: 15_000, of: "samples", owner: one.project } as const;
      const outcome = await store.counter.count(request, this.#never);
      if (outcome.kind !== "counts") return;
      check(outcome.counts[0]);
    } else {
      const { project: owner, query: selector } = one;
      const request = { selector, name: "source", stepMs: 15_000, window, owner };
      const outcome = await store.reader.read(
        request,
        { onSeries: (_, samples) => check(samples.values[0]) },
        this.#never,
      );
      if (outcome.kind !== "complete") return;
    }
    this.complete++;
  }

  #closeIdle(): void {
    const [service] = this.#stores.services;
    (service as unknown as { closeIdle(): number }).closeIdle();
  }

  #start(): [ProjectTenants, Stores] {
    const { tenancy, url } =
      this.#form === "header"
        ? { tenancy: "header", url: `http://127.0.0.1:${this.#port}` }
        : { tenancy: "path", url: `http://127.0.0.1:${this.#port}/select/{tenant}/prometheus` };
    const metrics = {
      ...{ tenancy, url, tenantHeader: "X-Scope-OrgID", flavor: "victoriametrics", concurrency: 4 },
    } as unknown as MetricsConfig;
    const clock = this.#clock;
    const limits = new ReadLimits({ concurrency: 4, cacheMaxBytes: 2_000, clock });
    const all = new ProjectTenants({
      ...{ form: this.#form, origin: "annotation", groupDomain: "platformapis", operatorTenant: undefined },
    });
    for (const [name, id] of this.#annotations) all.annotate(name, id);
    return [all, createStores({ metrics, limits, clock, log: silentLogger })];
  }
}

function neverAborted(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
}

/** Reads, edits, restarts and idle times of each form. The slow run of this file has more: see vitest.config.ts. */
const stepCount = Number(process.env["TELEMETRYD_TEST_READS"] ?? 2_000);

test.each<TenantForm>(["header", "path"])(
  "no sample crosses in thousands of reads, edits, restarts and idle times, with tenants by %s",
  { timeout: 300_000 },
  async (form) => {
    const port = await listening;
    const violations = violationsOf[form];
    let [steps, reads, complete] = [0, 0, 0];
    const history = fc.array(step, { minLength: 500, maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(history, async (list) => {
        const world = new World(form, port);
        await world.run(list);
        steps += list.length;
        reads += world.reads;
        complete += world.complete;
        expect(world.crossed).toEqual([]);
      }),
      { numRuns: stepCount / 500, endOnFailure: true },
    );
    expect(steps).toBeGreaterThanOrEqual(stepCount);
    // The property is about reads that succeed, too.
    expect(complete).toBeGreaterThan(reads / 2);
    expect(complete).toBeGreaterThan(stepCount / 10);
    const { withoutTenant, sharedConnections, requested } = violations;
    expect({ withoutTenant, sharedConnections }).toEqual({ withoutTenant: 0, sharedConnections: 0 });
    const unexpected = [...requested].filter((id) => tenantIdProblem(id, form) !== undefined);
    expect(unexpected).toEqual([]);
  },
);
