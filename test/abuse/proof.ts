/**
 * `npm run prove -- abuse`: a hostile member and its ExportPolicies, a hostile receiver, a name server that never responds, clients
 * without a token, and hostile proxies with their clients, all at once, against a daemon that also exports. The
 * samples of ten honest sinks arrive within five seconds of their appearance in the store, an honest member gets
 * responses, half of its proxy's edits are served within five seconds, memory and Redis stay bounded, and the daemon never
 * restarts. Then come hostile workloads: they may take all of the machine's processors, so more may be late then;
 * but every sample arrives, and the honest workload answers. Started by `run.ts`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { processUsage } from "../../bench/support/process-usage.ts";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { flagOption, numberOption } from "../../scripts/run/options.ts";
import { isListening } from "../../scripts/servers/free-port.ts";
import { sleep } from "../../src/base/core/clock.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { startTeamReceiver, type TeamReceiver } from "../load/fairness/receiver.ts";
import { durations, type Phase, readNotes, spansWithin, worstStalls } from "../load/fairness/timings.ts";
import { startGatewayBackend } from "../support/gateway/gateway-backend.ts";
import { startNameServer } from "../support/net/name-server.ts";
import { httpsRequest, projectBase } from "../support/plane/platform.ts";
import { runProof } from "../support/proof.ts";
import { freePort, startRedis, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";
import type { AttackReport } from "./attackers.ts";
import { type HonestRequest, honestRequests } from "./honest-member.ts";
import { blocked, refused } from "./hostile-exporter.ts";
import { followed } from "./hostile-logins.ts";
import { type Check, startMachine } from "./machine.ts";
import { type OperatorReceiver, startOperatorReceiver } from "./operator-receiver.ts";
import { createProject, exchange, prepareUsers } from "./platform-side.ts";
import { honestEdits } from "./proxies.ts";
import {
  daemonConfig,
  deadZone,
  delayMs,
  forbiddenZone,
  honestPolicy,
  honestProject,
  honestTeams,
  honestZone,
  hostileProject,
  isOfProject,
  writeDirectoryPolicies,
  writeSamples,
} from "./scene.ts";
import { Tally } from "./tally.ts";
import { workloadChurn } from "./workload-churn.ts";

const limits = {
  /** From a sample's appearance in the store to its arrival. */
  lagMs: 5_000,
  /** The same beside workloads that take all processors. */
  crowdedLagMs: 45_000,
  memoryBytes: 600 * 2 ** 20,
  redisBytes: 256 * 2 ** 20,
  responseMs: 2_000,
  /**
   * CPU time of the main thread in a turn of the event loop: wall time would grow with what else runs. Reading a body
   * of 50,000 different names takes the most.
   */
  stallMs: 200,
  /** From an edit of a proxy until it is served: most, and each; the attackers have half of the machine. */
  medianEditMs: 5_000,
  editMs: 30_000,
};
const never = new AbortController().signal;

async function phaseOf(lengthMs: number): Promise<Phase> {
  const fromMs = Date.now();
  await sleep(lengthMs, never);
  return { fromMs, toMs: fromMs + lengthMs };
}

/**
 * Delay of each tick of the honest sinks from its appearance in the store to its arrival; Infinity when
 * missing.
 */
function lags(receiver: TeamReceiver, { fromMs, toMs }: Phase): number[] {
  return honestTeams.flatMap((team) => {
    const arrivals = receiver.arrivals(team);
    const all: number[] = [];
    for (let ms = Math.ceil(fromMs / 1_000) * 1_000; ms < toMs; ms += 1_000)
      all.push((arrivals.get(ms) ?? Infinity) - ms - delayMs);
    return all;
  });
}

interface Attackers {
  order(order: object): void;
  end(): Promise<AttackReport>;
  kill(): void;
}

async function startAttackers(): Promise<Attackers> {
  const child = fork(new URL("./attackers.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
  await once(child, "spawn");
  return {
    order: (order) => child.send(order),
    kill: () => child.kill("SIGKILL"),
    async end() {
      const report = once(child, "message");
      child.send("end");
      const [tallies] = await report;
      return tallies as AttackReport;
    },
  };
}

/** Peak memory of Redis, bytes. */
async function redisPeak(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/^used_memory_peak:(\d+)/m.exec(await redis.info("memory"))?.[1]);
  } finally {
    redis.disconnect();
  }
}

async function run(
  quietMs: number,
  attackMs: number,
  withWorkloads: boolean,
  folder: string,
  releasers: Releasers,
): Promise<boolean> {
  await ensureBuilt(never, () => console.log("building telemetryd"));
  const machine = withWorkloads ? await startMachine(folder, releasers) : undefined;
  const crowdedMs = machine === undefined ? 0 : Math.max(60_000, attackMs / 2);
  const store = await startVictoriaMetrics();
  releasers.push(() => store[Symbol.asyncDispose]());
  const redis = await startRedis({ persistent: true });
  releasers.push(() => redis[Symbol.asyncDispose]());
  const receiver = await startTeamReceiver();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  const operators = await startOperatorReceiver();
  releasers.push(() => operators[Symbol.asyncDispose]());
  const addresses = (name: string) => {
    if (name.endsWith(honestZone)) return ["127.0.0.1"];
    return name.endsWith(forbiddenZone) ? ["169.254.169.254"] : "nothing";
  };
  const names = await startNameServer(addresses, { ttlSeconds: 2 });
  releasers.push(() => names[Symbol.asyncDispose]());
  const receiverUrl = receiver.url.replace("127.0.0.1", `receiver.${honestZone}`);
  await writeSamples(store.url, quietMs + attackMs + crowdedMs + 180_000);
  await writeDirectoryPolicies(folder, receiverUrl);

  const [platformPort, gatewayPort, gatewayTlsPort] = [await freePort(), await freePort(), await freePort()];
  const backend = await startGatewayBackend();
  releasers.push(() => backend[Symbol.asyncDispose]());
  const url = `https://127.0.0.1:${platformPort}`;
  const tokenFile = join(folder, "exporter-token");
  const configFile = join(folder, "telemetryd.json");
  const { controlPlane, provider, ...withoutControlPlane } = daemonConfig({
    ...{ storeUrl: store.url, redisUrl: redis.url, platformPort, gatewayPort, gatewayTlsPort },
    ...{ tokenFile, nameServer: names.address, provider: machine?.provider, operatorUrl: operators.url },
  });
  await writeFile(configFile, JSON.stringify(withoutControlPlane));
  const tokens = await prepareUsers(configFile, never);
  await writeFile(tokenFile, tokens.exporter, { mode: 0o600 });
  await writeFile(configFile, JSON.stringify({ ...withoutControlPlane, controlPlane, provider }));
  const notesFile = join(folder, "probe.jsonl");
  const probe = new URL("../load/fairness/probe.mjs", import.meta.url).href;
  const daemon = await startDaemon({
    configFile,
    opsPort: await freePort(),
    logFile: join(folder, "telemetryd.log"),
    env: { NODE_OPTIONS: `--import=${probe}`, FAIRNESS_PROBE_FILE: notesFile },
    signal: never,
  });
  releasers.push(() => daemon.child.stop(10_000));
  await until("the platform listens", () => isListening(platformPort));
  const [honest, hostile] = [await exchange(url, tokens.honest), await exchange(url, tokens.hostile)];
  await createProject(url, honestProject, honest, projectBase(honestProject));
  await createProject(url, hostileProject, hostile, projectBase(hostileProject));
  const policies = `${url}${projectBase(honestProject)}/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies`;
  for (const team of honestTeams.filter(isOfProject)) {
    const body = honestPolicy(team, receiverUrl);
    const { code, text } = await httpsRequest(policies, { method: "POST", bearer: honest, body });
    if (code !== 201) throw new Error(`the policy of team ${team}: ${code} ${text}`);
  }
  await until("every honest sink delivers", () =>
    honestTeams.every((team) => {
      const arrivals = receiver.arrivals(team);
      return arrivals.has(Math.floor(Date.now() / 1_000) * 1_000 - 5_000);
    }),
  );

  const access = { url, honest, hostile };
  await machine?.prepare(access);
  const attackers = await startAttackers();
  const member = new AbortController();
  // Both would keep a run that fails from ending.
  releasers.push(async () => {
    attackers.kill();
    member.abort();
  });
  const asked = honestRequests(url, honest, member.signal);
  const visited = machine?.visits(member.signal);
  const proxies = { gatewayPort, backend: backend.url };
  const edited = honestEdits({ url, bearer: honest, ...proxies }, member.signal);
  // A rejection is awaited below.
  edited.catch(() => undefined);
  const quiet = await phaseOf(quietMs);
  const quietBytes = processUsage(daemon.child.pid).residentBytes;
  attackers.order({ url, port: platformPort, bearer: hostile, ...proxies, operatorUrl: operators.url });
  const attacked = await phaseOf(attackMs);
  const report = await attackers.end();
  const endedMs = Date.now();
  const tally = new Tally();
  const churn = machine && workloadChurn({ url, bearer: hostile }, tally, member.signal);
  await machine?.attack(access);
  const crowded = await phaseOf(crowdedMs);
  member.abort();
  await churn;
  const [requests, edits, visits] = [await asked, await edited, await visited];
  const workloads = machine === undefined ? [] : await machine.evidence(access);
  const removal = machine === undefined ? [] : [await machine.removal(access)];
  await sleep(10_000, never);
  const peaks = { memory: processUsage(daemon.child.pid).peakBytes, redis: await redisPeak(redis.url) };
  const restarted = daemon.child.exit() !== undefined || !(await isReady(daemon));
  const exit = await daemon.child.stop(15_000);

  for (const [attack, outcomes] of Object.entries({ ...report, ...tally.report() }).sort())
    console.log(
      `  ${attack}: ${Object.entries(outcomes)
        .map(([code, count]) => `${count} x ${code}`)
        .join(", ")}`,
    );
  const notes = await readNotes(notesFile);
  const worstOf = (values: readonly number[]) => durations(values).worst;
  const within = (all: readonly HonestRequest[], { fromMs, toMs }: Phase) =>
    all.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const during = (phase: Phase) => within(requests, phase);
  const failed = (phase: Phase) =>
    during(phase).filter(({ code }) => code === 0 || code >= 500 || code === 429);
  const slowestOf = (all: readonly HonestRequest[]) => worstOf(all.map(({ forMs }) => forMs));
  const slowest = (phase: Phase) => slowestOf(during(phase));
  const loop = (phase: Phase) => worstOf(spansWithin(notes.loop, phase));
  const editsIn = ({ fromMs, toMs }: Phase) => edits.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const slowestEdit = (phase: Phase) => worstOf(editsIn(phase).map(({ forMs }) => forMs));
  const medianEdit = (phase: Phase) => durations(editsIn(phase).map(({ forMs }) => forMs)).p50;
  const failedAtGateway = edits
    .filter(({ atMs }) => atMs < attacked.toMs)
    .reduce((sum, { failed }) => sum + failed, 0);
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  console.log(
    `the event loop stood still for ${loop(quiet)} ms in the quiet phase, ${loop(attacked)} ms under attack`,
  );
  // The attacks that are open when the phase ends count, too.
  const stalls = worstStalls(notes, { fromMs: attacked.fromMs, toMs: endedMs });
  for (const { forMs, names } of stalls.slice(0, 5))
    console.log(`  a stall of ${Math.round(forMs)} ms of CPU ${names.slice(-8).join(" > ")}`);
  console.log(`resident memory in the quiet phase: ${mebibytes(quietBytes)}`);
  const visitChecks = (all: readonly HonestRequest[]): Check[] => {
    const [calm, hit] = [within(all, quiet), within(all, crowded)];
    const lost = hit.filter(({ code }) => code !== 200).length;
    return [
      ["requests that the honest workload failed", hit.length > 10 && lost === 0, `${lost} of ${hit.length}`],
      [
        "slowest response of the honest workload",
        slowestOf(hit) <= limits.responseMs,
        `${slowestOf(hit)} ms (quiet ${slowestOf(calm)})`,
      ],
    ];
  };
  const crowdedLag = (): Check => {
    const worst = worstOf(lags(receiver, crowded));
    return ["worst lag, beside hostile workloads", worst <= limits.crowdedLagMs, `${worst} ms`];
  };
  const checks: readonly Check[] = [
    [
      "worst lag, quiet",
      worstOf(lags(receiver, quiet)) <= limits.lagMs,
      `${worstOf(lags(receiver, quiet))} ms`,
    ],
    [
      "worst lag, under attack",
      worstOf(lags(receiver, attacked)) <= limits.lagMs,
      `${worstOf(lags(receiver, attacked))} ms (median ${durations(lags(receiver, attacked)).p50})`,
    ],
    [
      "honest requests that failed",
      during(attacked).length > 0 && failed(attacked).length === 0,
      `${failed(attacked).length} of ${during(attacked).length}: ${[...new Set(failed(attacked).map(({ code }) => code))]}`,
    ],
    [
      "slowest honest request",
      slowest(attacked) <= limits.responseMs,
      `${slowest(attacked)} ms (quiet ${slowest(quiet)})`,
    ],
    [
      "slowest edit of an honest proxy",
      slowestEdit(attacked) <= limits.editMs && medianEdit(attacked) <= limits.medianEditMs,
      `${slowestEdit(attacked)} ms of ${editsIn(attacked).length} (median ${medianEdit(attacked)}; quiet ${slowestEdit(quiet)})`,
    ],
    [
      "honest requests that the gateway failed",
      editsIn(attacked).length > 3 && failedAtGateway === 0,
      String(failedAtGateway),
    ],
    [
      "CPU time of the worst stall of the event loop",
      stalls.length > 10 && (stalls[0]?.forMs ?? Infinity) <= limits.stallMs,
      `${Math.round(stalls[0]?.forMs ?? 0)} ms of at most ${limits.stallMs} (goal 50; quiet ${Math.round(worstStalls(notes, quiet)[0]?.forMs ?? 0)})`,
    ],
    ["peak memory", peaks.memory <= limits.memoryBytes, mebibytes(peaks.memory)],
    ["peak memory of Redis", peaks.redis <= limits.redisBytes, mebibytes(peaks.redis)],
    ["the same process, ready at the end", !restarted, restarted ? "no" : "yes"],
    ["ends in order", exit.code === 0, `exit status ${exit.code ?? exit.signal}`],
    [
      "questions that the name server left open",
      names.asked.some((question) => question.includes(deadZone)),
      String(names.asked.filter((question) => question.includes(deadZone)).length),
    ],
    ...exporterChecks(report, operators),
    ["attacks that were made", Object.keys(report).length >= 25, String(Object.keys(report).length)],
    ...(visits === undefined ? [] : [crowdedLag(), ...visitChecks(visits)]),
    ...workloads,
    ...removal,
  ];
  for (const [what, isGood, figure] of checks) console.log(`${isGood ? "good" : "BAD "} ${what}: ${figure}`);
  return checks.every(([, isGood]) => isGood);
}

/** What a hostile exporter must not get. */
function exporterChecks(report: AttackReport, operators: OperatorReceiver): Check[] {
  const attacksOf = (prefix: string) => Object.entries(report).filter(([name]) => name.startsWith(prefix));
  const isRefused = (codes: object) => "422" in codes || "413" in codes;
  const isAccepted = (codes: object) => Object.keys(codes).some((code) => code.startsWith("2"));
  const [refusals, targets] = [attacksOf(refused), attacksOf(blocked)];
  const accepted = refusals.filter(([, codes]) => !isRefused(codes) || isAccepted(codes));
  const open = targets.filter(([, reasons]) => !("InvalidTarget" in reasons));
  const { requests, series, wrongHeaders, forged } = operators;
  const some = (list: readonly (readonly [string, unknown])[], of: number) =>
    list.length === 0
      ? `none of ${of}`
      : list.map(([name, outcomes]) => `${name} ${JSON.stringify(outcomes)}`).join("; ");
  return [
    [
      "hostile policies that were not refused",
      refusals.length > 10 && accepted.length === 0,
      some(accepted, refusals.length),
    ],
    [
      "token endpoints at forbidden addresses that were not blocked",
      targets.length > 3 && open.length === 0,
      some(open, targets.length),
    ],
    ["redirects that were followed", !(followed in report), followed in report ? "some" : "none"],
    [
      "requests with a header that is not the sender's",
      requests > 0 && wrongHeaders.length === 0,
      wrongHeaders.slice(0, 3).join(", ") || `none of ${requests}`,
    ],
    [
      "hostile series with another tenant label",
      series > 0 && forged.length === 0,
      forged.slice(0, 3).join(", ") || `none of ${series}`,
    ],
  ];
}

async function isReady(daemon: RunningDaemon): Promise<boolean> {
  return (await fetch(`${daemon.opsUrl}/readyz`)).status === 200;
}

await runProof({
  name: "abuse",
  about:
    "Attacks a daemon from all sides at once, and measures what honest exports, members and proxies notice of it.",
  options: {
    quiet: numberOption(20, "seconds before the attack"),
    seconds: numberOption(120, "seconds of the attack"),
    workloads: flagOption("with hostile containers; added where this machine can run them"),
  },
  run: ({ quiet, seconds, workloads }, { folder, releasers }) =>
    run(quiet * 1_000, seconds * 1_000, workloads, folder, releasers),
});
