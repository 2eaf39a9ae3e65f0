/**
 * `npm run prove -- plan`: what `telemetryd plan` says of a policy is what the daemon then delivers, within 5 %:
 * samples, requests and bytes. The store scrapes a real server meanwhile, so values, and how well they
 * compress, are those of a live system.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { numberOption } from "../../scripts/run/options.ts";
import { startChild } from "../../scripts/servers/child.ts";
import type { PlanReport } from "../../src/app/commands/plan/plan-report.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { type ProofContext, runProof } from "../support/proof.ts";
import { deliveredRates, endOf } from "../support/receiver/delivered-rates.ts";
import { startReceiver } from "../support/receiver/receiver.ts";
import { freePort, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const allowed = 0.05;
const targets = 5;
const delaySeconds = 5;

interface Options {
  readonly window: number;
  readonly seconds: number;
}

async function run({ window, seconds }: Options, { folder, releasers }: ProofContext): Promise<boolean> {
  await ensureBuilt(never, () => console.log("building telemetryd"));
  // Not a VictoriaMetrics, whose series grow: the buckets of its histograms appear with their values.
  const target = await startPrometheus();
  releasers.push(() => target[Symbol.asyncDispose]());
  const store = await startVictoriaMetrics({ scrapeConfig: scrapeConfig(target.port) });
  releasers.push(() => store[Symbol.asyncDispose]());
  const receiver = await startReceiver();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  await mkdir(join(folder, "policies"));
  const configFile = join(folder, "telemetryd.yaml");
  const manifest = join(folder, "policy.json");
  await writeFile(configFile, configuration(store.url));
  await writeFile(manifest, policy(receiver.url));

  console.log(`the store scrapes for ${window + 4 * delaySeconds} s`);
  await sleep((window + 4 * delaySeconds) * 1_000, never);
  const args = [builtCli, "plan", manifest, "--config", configFile, "--window", `${window}s`, "-o", "json"];
  const planned = await startChild({ name: "plan", program: process.execPath, args });
  const { code } = await planned.exited;
  if (code !== 0) throw new Error(`plan ended with exit status ${code}: ${planned.log()}`);
  const [sink] = (JSON.parse(planned.log()) as PlanReport).policies[0]?.sinks ?? [];
  if (sink === undefined || receiver.requests.length > 0) throw new Error(planned.log());

  await writeFile(join(folder, "policies", "policy.json"), policy(receiver.url));
  const logFile = join(folder, "telemetryd.log");
  const daemon = await startDaemon({ configFile, opsPort: await freePort(), logFile, signal: never });
  releasers.push(() => daemon.child.kill());
  const newest = () => receiver.requests.reduce((last, each) => Math.max(last, endOf(each) ?? 0), 0);
  await until("the first cycle is over", () => newest() > 0);
  // Of several requests, the last one of the cycle decides.
  await sleep(2_000, never);
  const fromMs = newest();
  console.log(`measuring what is delivered for ${seconds} s`);
  await sleep((seconds + 2 * delaySeconds) * 1_000, never);
  const actual = deliveredRates(receiver.requests, fromMs, fromMs + seconds * 1_000);
  const { requestsPerHour = 0, bytesPerHour = 0, samplesPerMinute = 0 } = sink;
  const pairs = [
    ["samples a minute", samplesPerMinute, actual.samples / 60],
    ["requests an hour", requestsPerHour, actual.requests],
    ["bytes an hour", bytesPerHour, actual.bytes],
  ] as const;
  let holds = actual.ms >= seconds * 900;
  if (!holds) console.log(`only ${actual.ms} ms were delivered`);
  for (const [what, plan, delivered] of pairs) {
    const off = Math.abs(plan - delivered) / delivered;
    const isWithin = off <= allowed;
    holds &&= isWithin;
    const percent = (off * 100).toFixed(2);
    console.log(
      `${isWithin ? "within" : "BEYOND"} ${what}: planned ${plan}, delivered ${Math.round(delivered)}, ${percent} % off`,
    );
  }
  return holds;
}

function scrapeConfig(port: number): string {
  const replicas = Array.from({ length: targets }, (_, index) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { replica: String(index) },
  }));
  return JSON.stringify({
    global: { scrape_interval: "5s" },
    scrape_configs: [{ job_name: "server", static_configs: replicas }],
  });
}

function configuration(storeUrl: string): string {
  return JSON.stringify({
    policies: { directory: "./policies" },
    // The plan reads as far behind now as the later of the two delays.
    metrics: {
      ...{ url: storeUrl, interval: "5s" },
      ...{ delay: `${delaySeconds}s`, expressionDelay: `${delaySeconds}s` },
    },
    state: { directory: "./state" },
  });
}

function policy(endpoint: string): string {
  return JSON.stringify({
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "planned", namespace: "default" },
    spec: {
      sources: [{ name: "server", metrics: { metricsql: '{job="server"}' } }],
      sinks: [{ name: "receiver", sources: ["server"], target: { prometheusRemoteWrite: { endpoint } } }],
    },
  });
}

await runProof({
  name: "plan",
  about: "Compares what `telemetryd plan` says of a policy with what the daemon then delivers.",
  options: {
    window: numberOption(60, "seconds that the plan reads"),
    seconds: numberOption(60, "seconds that are delivered", 30),
  },
  run,
});
