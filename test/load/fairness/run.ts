/**
 * `npm run prove -- fairness`: sinks do not delay each other. Fifty sinks, five with receivers that hang, three
 * with names that no longer resolve and one with a million series, and another client of the same store. In
 * the worst case the other sinks' samples and the other client's responses are at most a second later than in
 * a quiet phase of the same run.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../../scripts/daemon/daemon.ts";
import { numberOption } from "../../../scripts/run/options.ts";
import { describeExit } from "../../../scripts/servers/child.ts";
import { sleep } from "../../../src/base/core/clock.ts";
import { startNameServer } from "../../support/net/name-server.ts";
import { type ProofContext, runProof } from "../../support/proof.ts";
import { freePort, startVictoriaMetrics } from "../../support/servers.ts";
import { until } from "../../support/until.ts";
import { startTeamReceiver, type TeamReceiver } from "./receiver.ts";
import {
  hangingTeams,
  intervalMs,
  largeTeam,
  namelessDomain,
  namespaceOf,
  others,
  type Scene,
  teamCount,
  writePolicy,
  writeSamples,
} from "./scene.ts";
import {
  type Durations,
  durations,
  exchangeTimes,
  type Phase,
  readNotes,
  spansWithin,
  startDelays,
} from "./timings.ts";

const allowedMs = 1_000;
const never = new AbortController().signal;
/** Additional time for the samples of a phase's end to arrive. */
const tailMs = 10_000;

async function writeConfig({ storeUrl, folder }: Scene, nameServer: string): Promise<string> {
  const file = join(folder, "telemetryd.yaml");
  await writeFile(
    file,
    [
      "policies: { directory: ./policies }",
      `metrics: { url: "${storeUrl}", interval: ${intervalMs}ms, delay: 1s }`,
      "delivery: { startFrom: 10m, shutdownTimeout: 2s }",
      `egress: { nameServers: ["${nameServer}"] }`,
      "state: { directory: ./state }",
    ].join("\n"),
  );
  return file;
}

/** Durations of another client's queries, one after another. */
async function queryTimes(storeUrl: string, signal: AbortSignal): Promise<{ atMs: number; forMs: number }[]> {
  const times: { atMs: number; forMs: number }[] = [];
  while (!signal.aborted) {
    const atMs = performance.timeOrigin + performance.now();
    const query = encodeURIComponent(`sum(last_over_time(fair_metric_1_total{team="7"}[1m]))`);
    const response = await fetch(`${storeUrl}/api/v1/query?query=${query}`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the other client got ${response.status}: ${text}`);
    times.push({ atMs, forMs: performance.timeOrigin + performance.now() - atMs });
    await sleep(100, signal).catch(() => undefined);
  }
  return times;
}

async function phaseOf(lengthMs: number): Promise<Phase> {
  const fromMs = Date.now();
  await sleep(lengthMs, never);
  return { fromMs, toMs: fromMs + lengthMs };
}

/** Delay of each tick of the other teams from its time to its arrival; Infinity when missing. */
function lateness(receiver: TeamReceiver, { fromMs, toMs }: Phase): number[] {
  return others.flatMap((team) => {
    const arrivals = receiver.arrivals(team);
    const late: number[] = [];
    for (let ms = Math.ceil(fromMs / 1_000) * 1_000; ms < toMs; ms += 1_000)
      late.push((arrivals.get(ms) ?? Infinity) - ms);
    return late;
  });
}

async function largeDelivered(daemon: RunningDaemon): Promise<number> {
  const metrics = await (await fetch(`${daemon.opsUrl}/metrics`)).text();
  const line = new RegExp(
    `^telemetryd_sink_samples_delivered_total\\{.*"${namespaceOf(largeTeam)}".*\\} (\\S+)$`,
    "m",
  );
  return Number(line.exec(metrics)?.[1] ?? 0);
}

async function run(
  load: { readonly series: number; readonly quiet: number; readonly seconds: number },
  { folder, releasers }: ProofContext,
): Promise<boolean> {
  await ensureBuilt(never, () => console.log("building telemetryd"));
  const store = await startVictoriaMetrics();
  releasers.push(() => store[Symbol.asyncDispose]());
  const receiver = await startTeamReceiver();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  let areNamesLost = false;
  const isLost = (name: string) => areNamesLost && name.endsWith(namelessDomain);
  // A TTL so short that the other teams also depend on the name server.
  const names = await startNameServer((name) => (isLost(name) ? "nothing" : ["127.0.0.1"]), {
    ttlSeconds: 1,
  });
  releasers.push(() => names[Symbol.asyncDispose]());
  const scene: Scene = { storeUrl: store.url, receiverPort: receiver.port, folder };
  const writeMs = performance.now();
  await writeSamples(scene, load.series, 240_000);
  console.log(
    `written: ${load.series} series and ${teamCount - 1} times 20, in ${Math.round((performance.now() - writeMs) / 1_000)} s`,
  );
  for (let team = 0; team < largeTeam; team++) await writePolicy(scene, team);
  const notesFile = join(folder, "probe.jsonl");
  const probe = new URL("./probe.mjs", import.meta.url).href;
  const daemon = await startDaemon({
    configFile: await writeConfig(scene, names.address),
    opsPort: await freePort(),
    logFile: join(folder, "telemetryd.log"),
    env: { NODE_OPTIONS: `--import=${probe}`, FAIRNESS_PROBE_FILE: notesFile },
    signal: never,
  });
  releasers.push(() => daemon.child.kill());
  const end = new AbortController();
  releasers.push(async () => end.abort());
  const queries = queryTimes(store.url, end.signal);
  queries.catch(() => undefined);
  await until("all have caught up", () =>
    others.every(
      (team) => (receiver.arrivals(team).get(Math.floor(Date.now() / 1_000) * 1_000 - 8_000) ?? 0) > 0,
    ),
  );
  await sleep(5_000, never);

  const quiet = await phaseOf(load.quiet * 1_000);
  const askedBefore = names.asked.length;
  receiver.hang();
  areNamesLost = true;
  await writePolicy(scene, largeTeam);
  const loaded = await phaseOf(load.seconds * 1_000);
  const delivered = await largeDelivered(daemon);
  const { hanging, largeRequests } = receiver;
  const lostNames = new Set(
    names.asked.slice(askedBefore).filter((question) => question.includes(namelessDomain)),
  );
  await sleep(tailMs, never);
  end.abort();
  const asked = await queries;
  const exit = await daemon.child.stop(10_000);
  console.log(
    `telemetryd, after SIGTERM: ${describeExit(exit)}; the large team had ${delivered} samples delivered in ${largeRequests} requests; ${hanging} requests hang, ${lostNames.size} questions have had no response`,
  );

  const notes = await readNotes(notesFile);
  const bounded: Measures = {
    "a sample's arrival after its time": (phase) => lateness(receiver, phase),
    "a cycle's first read after it was due": (phase) => startDelays(notes, phase),
    "the other client's query": (phase) => spansWithin(asked, phase),
    "a read for a receiver that hangs": (phase) => exchangeTimes(notes, "read", hangingTeams, phase),
  };
  // Attribution of the time: the store's response times include the daemon's reading.
  const causes: Measures = {
    "the store's response to a read": (phase) => exchangeTimes(notes, "read", others, phase),
    "the receiver's response": (phase) => exchangeTimes(notes, "send", others, phase),
    "the event loop stood still": (phase) => spansWithin(notes.loop, phase),
    "a garbage collection": (phase) => spansWithin(notes.collections, phase),
  };
  console.log("median / 99 of 100 / worst:");
  let isGood = delivered >= load.series && hanging >= hangingTeams.length && lostNames.size >= 60;
  for (const [name, measure] of Object.entries(bounded)) {
    const before = durations(measure(quiet));
    const after = durations(measure(loaded));
    // A missing measurement or arrival proves nothing.
    const isSeen = before.count > 0 && after.count > 0 && Number.isFinite(before.worst);
    const isWithin = isSeen && after.worst <= before.worst + allowedMs;
    isGood &&= isWithin;
    console.log(`${isWithin ? "within" : "BEYOND"} ${name}: ${text(before)} quiet, ${text(after)} loaded`);
  }
  for (const [name, measure] of Object.entries(causes)) {
    console.log(
      `       ${name}: ${text(durations(measure(quiet)))} quiet, ${text(durations(measure(loaded)))} loaded`,
    );
  }
  return isGood;
}

type Measures = Readonly<Record<string, (phase: Phase) => number[]>>;

function text({ p50, p99, worst, count }: Durations): string {
  return `${p50} / ${p99} / ${worst} ms (of ${count})`;
}

await runProof({
  name: "fairness",
  about:
    "Loads one sink with many series and lets receivers and a name server hang; measures what the other sinks notice.",
  options: {
    series: numberOption(1_000_000, "series of the large sink"),
    quiet: numberOption(25, "seconds before the load"),
    seconds: numberOption(60, "seconds under load"),
  },
  run,
});
