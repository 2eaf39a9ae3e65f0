import { loadavg } from "node:os";
import { sleep } from "../src/base/core/clock.ts";
import type { RouteProgram } from "../src/platform/routing/route-program.ts";
import { programOf } from "../test/support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../test/support/gateway/running-gateway.ts";
import { measureControlPlane } from "./support/gateway-control-plane.ts";
import { type LoadResult, startLoadGenerator } from "./support/keep-alive-load.ts";
import { type Nginx, startFileServer, startPlainProxy } from "./support/nginx.ts";
import { numberOptions } from "./support/options.ts";
import { childrenUsage } from "./support/process-usage.ts";
import { startTurnMeter } from "./support/turn-meter.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * The gateway beside nginx as a plain proxy to the same backend, an nginx that serves files from memory:
 * requests per second with every connection busy, processor time of the proxy per request, and latency at a
 * rate that both serve. Then the same with many programs loaded, with their memory and the time until another
 * one is loaded, and reloads under load. Rounds alternate, so that other work on the machine affects both alike.
 *
 * `--control-plane 1` also applies as many HTTPProxies to a platform in this process.
 */
const options = numberOptions({
  connections: 32,
  rounds: 3,
  seconds: 1,
  programs: 10_000,
  puts: 3,
  reloads: 50,
  "control-plane": 0,
});
const { connections, rounds, seconds, puts, reloads } = options;
const [small, large] = [1_024, 1_048_576];
const sizes = [1, 1_000, 10_000].filter((count) => count <= options.programs);
const { signal } = new AbortController();
/** Of each project: more would not fit into its share of HAProxy's memory. */
const programsOfProject = 500;
let usualPrograms = 0;

/** A proxy, and how it is asked. */
interface Target {
  readonly name: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly ca: string;
  readonly host: string;
  /** Processor time of its workers so far. */
  cpuMs(): number;
}

interface Round extends LoadResult {
  readonly cpuMicros: number;
}

await using generator = startLoadGenerator();
await using backend = await startFileServer([small, large]);
await using gateway = await startGateway();
const first = forwardingProgram(backend);
const host = hostOf(first.gateway);
await using nginx = await startPlainProxy(backend.port, gateway.authority.issue([host]));
await gateway.load(first);
const masterPid = await gateway.masterPid();
const targets = [targetOf("gateway", gateway, masterPid), targetOf("nginx", nginx, nginx.pid)] as const;

print(`load of the machine at the start: ${loads()}`);
await compareThroughput();
await compareLatency();
await growPrograms();
await growPlainPrograms();
const failed = await reloadUnderLoad();
if (options["control-plane"] > 0) await measureControlPlane(sizes, backend.port);
print(`load of the machine at the end: ${loads()}`);
process.exitCode = printVerdicts([
  { what: `errors during ${reloads} reloads`, figure: failed, unit: "requests", atMost: 0 },
]);

function loads(): string {
  return loadavg().map(round).join(" ");
}

function targetOf(name: string, server: Pick<Nginx, "port" | "tlsPort">, pid: number): Target {
  const { port, tlsPort } = server;
  return { name, port, tlsPort, ca: gateway.authority.cert, host, cpuMs: () => childrenUsage(pid).cpuMs };
}

function forwardingProgram({ port }: Nginx): RouteProgram {
  return programOf([{ backend: { scheme: "http", host: "127.0.0.1", port } }]);
}

/** What a tenant's proxy looks like: a redirect, and two rules that forward. */
function usualProgram({ port }: Nginx): RouteProgram {
  const project = `project-${Math.floor(usualPrograms++ / programsOfProject)}`;
  const plane = { type: "project", name: project, uid: project, organization: "acme" } as const;
  const target = { scheme: "http", host: "127.0.0.1", port } as const;
  const set = [{ name: "x-served-by", value: "telemetryd" }];
  return programOf(
    [
      {
        matches: [{ path: { type: "Exact", value: "/old" } }],
        redirect: { path: { type: "full", path: "/new" }, statusCode: 301 },
      },
      {
        matches: [{ path: { type: "PathPrefix", value: "/api" } }],
        rewritePath: { type: "prefix", prefix: "/api", replacement: "/" },
        backend: target,
      },
      { responseHeaders: [{ set, add: [], remove: ["server"] }], backend: target },
    ],
    { plane },
  );
}

async function run(target: Target, tls: boolean, bytes: number, perSecond?: number): Promise<Round> {
  const beforeMs = target.cpuMs();
  const result = await generator.run({
    ...{ port: tls ? target.tlsPort : target.port, ca: tls ? target.ca : undefined },
    ...{ host, path: `/${bytes}`, connections, seconds, perSecond },
  });
  if (Object.keys(result.errors).length > 0) {
    throw new Error(`${target.name}: ${JSON.stringify(result.errors)}`);
  }
  return { ...result, cpuMicros: ((target.cpuMs() - beforeMs) * 1_000) / result.requests };
}

/** Rounds of each target by turns. */
async function alternate(tls: boolean, bytes: number, perSecond?: number): Promise<[Round[], Round[]]> {
  const results: [Round[], Round[]] = [[], []];
  for (let turn = 0; turn < rounds; turn++) {
    for (const [index, target] of targets.entries()) {
      results[index === 0 ? 0 : 1].push(await run(target, tls, bytes, perSecond));
    }
  }
  return results;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Medians of a field, and of the ratio of the rounds that follow each other: gateway to nginx. */
function compared(name: string, [ours, theirs]: readonly [Round[], Round[]], field: keyof Round): object {
  const figures = (all: readonly Round[]) => all.map((each) => Number(each[field]));
  const ratios = figures(ours).map((figure, index) => figure / (figures(theirs)[index] ?? Number.NaN));
  return {
    [`${name} gateway`]: round(median(figures(ours))),
    [`${name} nginx`]: round(median(figures(theirs))),
    [`${name} ratio`]: round(median(ratios)),
  };
}

async function compareThroughput(): Promise<void> {
  print(`\nrequests per second, ${connections} connections, each busy all the time`);
  const table: Record<string, object> = {};
  for (const tls of [false, true]) {
    for (const bytes of [small, large]) {
      // The first connections to the backend, and code that is not compiled yet.
      if (bytes === small) for (const target of targets) await run(target, tls, bytes);
      const results = await alternate(tls, bytes);
      table[describe(tls, bytes)] = {
        ...compared("req/s", results, "perSecond"),
        ...compared("p99 ms", results, "p99Ms"),
        ...compared("CPU us", results, "cpuMicros"),
      };
    }
  }
  console.table(table);
}

async function compareLatency(): Promise<void> {
  print("\nlatency at a rate that both serve");
  const table: Record<string, object> = {};
  for (const tls of [false, true]) {
    for (const [bytes, perSecond] of [[small, 1_000] as const, [large, 50] as const]) {
      const results = await alternate(tls, bytes, perSecond);
      table[`${describe(tls, bytes)}, ${perSecond}/s`] = {
        ...compared("p50 ms", results, "p50Ms"),
        ...compared("p99 ms", results, "p99Ms"),
      };
    }
  }
  console.table(table);
}

function describe(tls: boolean, bytes: number): string {
  return `${tls ? "HTTPS" : "HTTP"} ${bytes === small ? "1 KiB" : "1 MiB"}`;
}

async function growPrograms(): Promise<void> {
  print("\nprograms loaded; HTTP, 1 KiB");
  const table: Record<string, object> = {};
  let loaded = 1;
  for (const count of sizes) {
    const startedMs = performance.now();
    const added = Array.from({ length: count - loaded }, () => usualProgram(backend));
    if (added.length > 0) await gateway.load(...added);
    loaded = count;
    const allMs = performance.now() - startedMs;
    const putMs: number[] = [];
    for (let put = 0; put < puts; put++) {
      // The pause that follows a load is not the next one's.
      await sleep(500 + 3 * (putMs.at(-1) ?? allMs), signal);
      putMs.push(await timeToLoad(gateway, usualProgram(backend)));
    }
    loaded += puts;
    const busy = await alternate(false, small);
    const calm = await alternate(false, small, 1_000);
    table[count] = {
      "all loaded s": added.length === 0 ? "" : round(allMs / 1_000),
      "one more ms": round(median(putMs)),
      "HAProxy MB": megabytes(childrenUsage(masterPid).residentBytes),
      "Node MB": megabytes(process.memoryUsage().rss),
      ...compared("req/s", busy, "perSecond"),
      ...compared("p99 ms at 1000/s", calm, "p99Ms"),
    };
  }
  console.table(table);
}

/**
 * Of programs that are data, in a gateway of their own: the most count, one more, and an edit; and the CPU time
 * of the longest turns of the event loop meanwhile.
 */
async function growPlainPrograms(): Promise<void> {
  using turns = startTurnMeter();
  const table: Record<string, object> = {};
  for (const count of sizes) {
    await using own = await startGateway();
    const startedMs = performance.now();
    const plain = (index: number, host = "127.0.0.1"): RouteProgram => {
      const project = `project-${Math.floor(index / programsOfProject)}`;
      const plane = { type: "project", name: project, uid: project, organization: "acme" } as const;
      return programOf([{ backend: { scheme: "http", host, port: backend.port } }], { plane });
    };
    const programs = Array.from({ length: count }, (_, index) => plain(index));
    turns.takeLongestMs();
    await own.load(...programs);
    const allMs = performance.now() - startedMs;
    const turnOfAllMs = turns.takeLongestMs();
    const pid = await own.masterPid();
    const loadsOfAll = await own.loads();
    const [addedMs, editedMs]: [number[], number[]] = [[], []];
    for (let put = 0; put < puts; put++) {
      addedMs.push(await timeToLoad(own, plain(count + put)));
      const { gateway } = programs[put % count] as RouteProgram;
      editedMs.push(await timeToLoad(own, { ...plain(put, "127.0.0.2"), gateway }));
    }
    table[count] = {
      "all loaded s": round(allMs / 1_000),
      loads: loadsOfAll,
      "one more ms": round(median(addedMs)),
      "an edit ms": round(median(editedMs)),
      "turn ms, all": round(turnOfAllMs),
      "turn ms, since": round(turns.takeLongestMs()),
      "loads since": (await own.loads()) - loadsOfAll,
      "HAProxy MB": megabytes(childrenUsage(pid).residentBytes),
      "Node MB": megabytes(process.memoryUsage().rss),
    };
  }
  print("\nplain programs");
  console.table(table);
}

async function timeToLoad(gateway: RunningGateway, program: RouteProgram): Promise<number> {
  const startedMs = performance.now();
  await gateway.load(program);
  return performance.now() - startedMs;
}

/** Each reload loads another program. @returns how many requests failed */
async function reloadUnderLoad(): Promise<number> {
  await using own = await startGateway();
  await own.load(first, ...Array.from({ length: 100 }, () => usualProgram(backend)));
  await using others = startLoadGenerator();
  let done = 0;
  const reloading = (async () => {
    for (; done < reloads; done++) await own.load(usualProgram(backend));
  })();
  const results: LoadResult[] = [];
  const request = { port: own.port, host, path: `/${small}`, connections, perSecond: 1_000 };
  while (done < reloads) results.push(await others.run({ ...request, seconds: 3 }));
  await reloading;
  const errors: Record<string, number> = {};
  for (const [kind, count] of results.flatMap((each) => Object.entries(each.errors))) {
    errors[kind] = (errors[kind] ?? 0) + count;
  }
  const sum = results.reduce((all, { requests }) => all + requests, 0);
  const p99s = results.map(({ p99Ms }) => p99Ms);
  print(
    `\n${reloads} reloads at 1000 requests per second: ${sum} requests, errors ${JSON.stringify(errors)}, ` +
      `p99 ${round(median(p99s))} ms (worst 3 s: ${round(Math.max(...p99s))} ms)`,
  );
  return Object.values(errors).reduce((all, count) => all + count, 0);
}
