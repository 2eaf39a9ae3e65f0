/**
 * `npm run prove -- conformance`: the Gateway API's own conformance suite, built with Go, against projects of
 * daemons with a real HAProxy. It holds if each test ends as `expectations.ts` says.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { flagOption, textOption } from "../../scripts/run/options.ts";
import { startChild } from "../../scripts/servers/child.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { gatewayClass } from "../../src/platform/kinds/gateway/gateway.ts";
import { projectApi } from "../fidelity/platform-api.ts";
import { buildGoSource } from "../support/go-source.ts";
import {
  inDaemonWith,
  projectBase,
  startTestPlatform,
  type TestPlatform,
  writeKubeconfig,
} from "../support/plane/platform.ts";
import { type ProofContext, runProof } from "../support/proof.ts";
import { freePort } from "../support/servers.ts";
import { expected, features, type Outcome, version } from "./expectations.ts";

const project = "web";
/** A project's changes are slowed down after twenty in a row: few tests share a platform. */
const testsOfPart = 10;
/** So many platforms run at once. */
const atOnce = 2;
/** Two for each of the suite's backends. */
const portsOfBackends = 12;
const failing = [...expected].flatMap(([test, outcome]) => (outcome === "failed" ? [test] : []));

const suite = {
  name: "conformance",
  source: fileURLToPath(new URL("main.go", import.meta.url)),
  modules: [`sigs.k8s.io/gateway-api@${version}`, `sigs.k8s.io/gateway-api/conformance@${version}`],
  // The backends.
  commands: ["sigs.k8s.io/gateway-api/conformance/echo-basic"],
};

/** The suite's line about a test. */
interface Result {
  readonly test: string;
  readonly result: Outcome;
  readonly seconds: number;
  /** Features that the platform does not have. */
  readonly missing: readonly string[];
}

/** Where a daemon's gateway listens. */
interface Listeners {
  readonly http: string;
  readonly https: string;
}

await runProof({
  name: "conformance",
  about: `Runs the Gateway API's conformance suite ${version}, profile GATEWAY-HTTP, against the platform.`,
  options: {
    only: textOption("names of tests, separated by commas, to run instead of all"),
    hasty: flagOption("waits 5 s at most for anything, as for tests that are expected to fail"),
  },
  limitMs: () => 20 * 60_000,
  async run({ only: names, hasty }, context) {
    const program = await buildGoSource(suite, new AbortController().signal);
    const startMs = performance.now();
    const only = names?.split(",") ?? [];
    const count = only.length || [...expected.values()].filter((each) => each !== "unsupported").length;
    const parts = Math.ceil(count / testsOfPart);
    const queue = Array.from({ length: parts }, (_, part) => part);
    const results: Result[] = [];
    const runQueue = async (): Promise<void> => {
      for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
        results.push(...(await runPart(program, { only, hasty, parts, part }, context)));
      }
    };
    const queues = await Promise.allSettled(Array.from({ length: atOnce }, runQueue));
    for (const each of queues) if (each.status === "rejected") throw each.reason;
    process.stdout.write(`${results.length} tests in ${inSeconds(performance.now() - startMs)}\n`);
    return areAsExpected(results, only.length > 0 ? only : [...expected.keys()]);
  },
});

/** A platform and its gateway in one daemon. The hostnames of the suite's tests are the project's. */
function startPlatform({ http, https }: Listeners): Promise<TestPlatform> {
  const domains = ["com", "example", "io", "net", "org"];
  const zones = domains.map((domain) => ({ domain, project }));
  const sections = {
    gateway: { listen: http, tlsListen: https, domain: "gateway.test", zones },
    // The suite's backends.
    egress: { allow: ["127.0.0.1"] },
  };
  return startTestPlatform({}, silentLogger, inDaemonWith({ sections }));
}

/** Runs some tests with a platform of their own, and prints how each ended. */
async function runPart(
  program: string,
  tests: { readonly part: number; readonly [setting: string]: unknown },
  context: ProofContext,
): Promise<Result[]> {
  const folder = join(context.folder, `part-${tests.part}`);
  await mkdir(folder);
  const address = async () => `127.0.0.1:${await freePort()}`;
  const listeners = { http: await address(), https: await address() };
  const platform = await startPlatform(listeners);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await platform.stop();
    isStopped = true;
  };
  context.releasers.push(stop);
  await projectApi(platform, project);
  const kubeconfig = join(folder, "kubeconfig");
  const token = await platform.exchange(platform.token);
  await writeKubeconfig(platform, kubeconfig, projectBase(project), token);
  const echo = join(dirname(program), "echo-basic");
  const ports: number[] = [];
  while (ports.length < portsOfBackends) ports.push(await freePort());
  const settings = {
    ...{ kubeconfig, gatewayClass, ...listeners, echo, ports, features, failing },
    ...tests,
  };
  const file = join(folder, "settings.json");
  await writeFile(file, JSON.stringify(settings));
  const logFile = join(folder, "suite.log");
  const child = await startChild({ name: "conformance", program, args: [file], logFile, ownGroup: true });
  context.releasers.push(async () => void (await child.kill()));
  await child.exited;
  await stop();
  const log = await readFile(logFile, "utf8");
  const lines = [...log.matchAll(/^result (\{.*\})$/gm)];
  // Without a result, the suite's preparations failed.
  if (lines.length === 0) process.stdout.write(log.slice(-4_000));
  return lines.map(([, json = ""]) => {
    const result = JSON.parse(json) as Result;
    process.stdout.write(`${rowOf(result)}\n`);
    if (result.result === "failed" && expected.get(result.test) !== "failed") {
      process.stdout.write(`${logOf(result.test, log)}\n`);
    }
    return result;
  });
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function rowOf({ test, result, seconds, missing }: Result): string {
  const lacks = missing.length === 0 ? "" : `: ${missing.join(", ")}`;
  return `${result.padEnd(11)} ${inSeconds(seconds * 1000).padStart(7)}  ${test}${lacks}`;
}

/** The end of what the suite wrote during a test. */
function logOf(test: string, log: string): string {
  const start = log.indexOf(`/${test}\n`);
  const end = log.indexOf("\nresult ", start);
  return log.slice(Math.max(start, end - 6_000), end);
}

/** Prints the numbers, and each test that did not end as expected. @param wanted tests that must have run */
function areAsExpected(results: readonly Result[], wanted: readonly string[]): boolean {
  const faults = results
    .filter(({ test, result }) => result !== expected.get(test))
    .map(({ test, result }) => `${test}: ${result}, expected: ${expected.get(test) ?? "not in the table"}`);
  const ran = new Set(results.map(({ test }) => test));
  faults.push(...wanted.filter((test) => !ran.has(test)).map((test) => `${test}: did not run`));
  const outcomes: readonly Outcome[] = ["passed", "failed", "unsupported"];
  const counts = outcomes.map((each) => `${results.filter(({ result }) => result === each).length} ${each}`);
  process.stdout.write(`${counts.join(", ")}; ${faults.length} not as expected\n`);
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  return faults.length === 0;
}
