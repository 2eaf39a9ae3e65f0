/**
 * `npm run demo`: a live demonstration of the exporter. A VictoriaMetrics scrapes itself, a Prometheus and
 * telemetryd. telemetryd exports these samples to that Prometheus and to a second VictoriaMetrics, as a
 * policy declares. The same daemon also serves a roadmap page and hosts a platform, where a project declares
 * its own policy.
 */
import { join } from "node:path";
import { createProgress, type Progress } from "../src/app/commands/progress.ts";
import { sleep } from "../src/base/core/clock.ts";
import { formatDuration } from "../src/base/core/duration.ts";
import { describeError } from "../src/base/core/errors.ts";
import type { DaemonStatus } from "../src/exporter/policy/status/status-view.ts";
import { endLeftovers, openNotes, runningLeftovers } from "./demo/leftovers.ts";
import { anyEnds, npmAncestors } from "./demo/npm-watch.ts";
import { progressLine } from "./demo/progress.ts";
import { curlLine, statusThroughProxy, tlsCurlLine } from "./demo/proxy.ts";
import { type DemoSystem, demoFolder, startSystem } from "./demo/system.ts";
import { agrees, compareSink, summary } from "./demo/verdict.ts";
import { durationOption, readOptions } from "./run/options.ts";
import { describeExit } from "./servers/child.ts";

const progressIntervalMs = 500;
const drainLimitMs = 60_000;
const stopLimitMs = 30_000;

/**
 * npm forwards a terminal's Ctrl-C to a process that has already received it. A second signal within this
 * time is the same keystroke.
 */
const sameKeystrokeMs = 500;

/** Exit status of an interrupted program (128 + SIGINT). */
const interrupted = 130;

async function demo(forMs: number | undefined, progress: Progress, signal: AbortSignal): Promise<number> {
  const notesFile = join(demoFolder, "processes.json");
  const leftovers = runningLeftovers(notesFile);
  const other = leftovers.find(({ name }) => name === "demo");
  if (other !== undefined)
    throw new Error(`another demo is running here: process ${other.pid}; end it first`);
  if (leftovers.length > 0) {
    progress.say(`ending what an earlier demo left: ${leftovers.map(({ name }) => name).join(", ")}`);
    endLeftovers(leftovers);
  }

  const notes = openNotes(notesFile);
  const stops: (() => Promise<unknown>)[] = [];
  const startMs = Date.now();
  try {
    const system = await startSystem({ notes, stops, say: progress.say, signal });
    progress.say(await addresses(system, signal));
    await watch(system, forMs, progress, signal);
    return await verify(system, startMs, progress, signal);
  } finally {
    // The first is telemetryd, which must end before its servers.
    const [first, ...rest] = stops;
    await first?.();
    await Promise.all(rest.map((stop) => stop()));
    notes.remove();
  }
}

async function addresses(system: DemoSystem, signal: AbortSignal): Promise<string> {
  const { source, sinks, daemon, roadmap, platform, instances, instanceAddress, proxy } = system;
  const lines = [
    ["telemetryd, status page", `${daemon.opsUrl}/`],
    ["roadmap page", `${roadmap.url}  (edit ${roadmap.file})`],
    ["project web, policies", `kubectl --kubeconfig ${platform.kubeconfig} get exportpolicy -o yaml`],
    ["project web, workload", `kubectl --kubeconfig ${platform.kubeconfig} get workloads,instances`],
    ["web server of the project", webServer(instances.kind, instanceAddress)],
    [
      "through its HTTPProxy",
      proxy === undefined ? noProxy : `${curlLine(proxy)}${standInText(instances.kind)}`,
    ],
    ...(proxy === undefined ? [] : [["the same with TLS", tlsCurlLine(proxy)]]),
    ["source (VictoriaMetrics)", await pageOf(source.url, {}, signal)],
    ...(await Promise.all(
      sinks.slice(0, 2).map(async ({ sink, kind, server, headers }) => {
        const login = kind === "prometheus" ? "  (user demo, password demo-password)" : "";
        return [`receiver "${sink}"`, `${await pageOf(server.url, headers, signal)}${login}`];
      }),
    )),
    ["policy, edit it", join(demoFolder, "policies", "export-policy.yaml")],
    ["logs and data", demoFolder],
  ];
  return lines.map(([name, value]) => `  ${name?.padEnd(28)}${value}`).join("\n");
}

/** A server's page for queries; Debian's builds have none, and show a query's result as JSON. */
async function pageOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  for (const path of ["/vmui/", "/graph"]) {
    const response = await fetch(url + path, { headers, signal }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return url + path;
  }
  return `${url}/api/v1/query?query=up`;
}

function standInText(kind: "engine" | "emulated"): string {
  return kind === "engine" ? "" : "  (the demo responds in place of the instance)";
}

const noProxy = "is not served; the conditions of the httpproxy say why";

function webServer(kind: "engine" | "emulated", address: string | undefined): string {
  if (address === undefined) return "does not run; the conditions of the workload and the instance say why";
  return kind === "engine"
    ? `http://${address}:8080/  (an instance, run by Podman)`
    : `${address}  (emulated: nothing runs; as root, with Podman and busybox, it would)`;
}

/** Shows progress until the time is over. @throws when a server exits meanwhile */
async function watch(
  system: DemoSystem,
  forMs: number | undefined,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const endText = forMs === undefined ? "Ctrl-C ends it" : `it ends by itself after ${formatDuration(forMs)}`;
  progress.say(`The demo runs; ${endText}.`);
  const startMs = performance.now();
  while (forMs === undefined || performance.now() - startMs < forMs) {
    await showStatus(system, progress, startMs, signal);
    await sleep(progressIntervalMs, signal);
  }
}

async function showStatus(
  { daemon }: DemoSystem,
  progress: Progress,
  startMs: number,
  signal: AbortSignal,
): Promise<DaemonStatus | undefined> {
  const exit = daemon.child.exit();
  if (exit !== undefined) {
    throw new Error(
      `telemetryd ended (${describeExit(exit)}); see ${join(demoFolder, "logs/telemetryd.log")}`,
    );
  }
  const status = await daemon.status(signal).catch(() => undefined);
  const nowMs = performance.now();
  progress.show(progressLine(status, nowMs - startMs), nowMs);
  return status;
}

/**
 * Waits until the checkpoints are past the current time, stops telemetryd, and compares the receivers with
 * the source.
 */
async function verify(
  system: DemoSystem,
  startMs: number,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const endMs = Date.now();
  progress.say("draining: everything up to now is to arrive");
  const checkpoints = await drained(system, endMs, progress, signal);
  // Throws on timeout: the status that telemetryd writes back is part of the demo.
  await system.platform.untilPolicyReady(signal);
  progress.say("the project's policy has the condition Ready");
  const faults: string[] = [];
  if (system.instanceAddress === undefined) faults.push("the project's workload does not run");
  else if (system.instances.kind === "engine") {
    const page = await fetch(`http://${system.instanceAddress}:8080/`, { signal });
    progress.say(`the project's web server says: ${(await page.text()).trim()}`);
  }

  if (system.proxy === undefined) faults.push("no gateway serves the project's HTTPProxy");
  else {
    const status = await statusThroughProxy(system.proxy, signal);
    progress.say(`through the project's HTTPProxy to ${system.proxy.endpoint}: status ${status}`);
    if (status !== 200) faults.push("the project's HTTPProxy does not reach its backend");
  }

  const exit = await system.daemon.child.stop(stopLimitMs);
  progress.say(`telemetryd ended (${describeExit(exit)})`);
  const comparisons = [];
  for (const sink of system.sinks) {
    const upToMs = checkpoints.get(sink.sink) ?? startMs;
    comparisons.push(await compareSink(system, sink, startMs - 60_000, upToMs, signal));
  }
  progress.say(summary(comparisons));

  if (exit.code !== 0) faults.push("telemetryd did not end in order");
  if (comparisons.some(({ upToMs }) => upToMs < endMs)) {
    faults.push(`not drained within ${formatDuration(drainLimitMs)}`);
  }
  if (!comparisons.every(agrees)) faults.push("source and receivers do not agree");
  progress.say(faults.length === 0 ? "source and receivers agree" : faults.join("; "));
  return faults.length === 0 ? 0 : 1;
}

/** Returns the checkpoints of the sinks once all are at or past `endMs`, or at the time limit. */
async function drained(
  system: DemoSystem,
  endMs: number,
  progress: Progress,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const startMs = performance.now();
  for (;;) {
    const status = await showStatus(system, progress, startMs, signal);
    const sinks = status?.policies.flatMap((policy) => policy.sinks) ?? [];
    const checkpoints = new Map(
      sinks.flatMap(({ name, checkpoint }) =>
        checkpoint === undefined ? [] : [[name, Date.parse(checkpoint)] as const],
      ),
    );
    const isDrained = system.sinks.every(({ sink }) => (checkpoints.get(sink) ?? 0) >= endMs);
    if (isDrained || performance.now() - startMs > drainLimitMs) return checkpoints;
    await sleep(progressIntervalMs, signal);
  }
}

async function main(): Promise<number> {
  const about =
    "Starts the real servers and telemetryd, and shows samples arriving at two receivers, until Ctrl-C.";
  const { for: forMs } = readOptions("npm run demo", about, {
    for: durationOption("ends after that long; exits 0 only if the receivers hold what the source holds"),
  });

  const progress = createProgress(process.stdout);
  const stopping = new AbortController();
  let firstMs: number | undefined;
  const onSignal = (): void => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      progress.say("ending");
      stopping.abort();
    } else if (performance.now() - firstMs > sameKeystrokeMs) {
      // The exit kills any process that is still running.
      process.exit(interrupted);
    }
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);
  // The reader of the output may exit before the servers do.
  process.stdout.on("error", () => undefined);
  const ancestors = npmAncestors(process.env);
  // Aborts the watch when the demo ends; an open watch would keep the process alive.
  const watching = new AbortController();
  if (ancestors.length > 0) anyEnds(ancestors, watching.signal).then(onSignal, () => undefined);
  try {
    return await demo(forMs, progress, stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    // Without a duration, Ctrl-C is the normal end of the demo.
    return forMs === undefined ? 0 : interrupted;
  } finally {
    watching.abort();
  }
}

main().then(
  (exitStatus) => {
    process.exitCode = exitStatus;
  },
  (error: unknown) => {
    console.error(`demo: ${describeError(error)}`);
    process.exitCode = 1;
  },
);
