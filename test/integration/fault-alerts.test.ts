/** Faults of a real daemon, and the alerts that promtool raises from the series that it exposes before and after. */
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { type Child, startChild } from "../../scripts/servers/child.ts";
import type { DaemonStatus } from "../../src/exporter/policy/status/status-view.ts";
import { findServers, freePort, type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

const rules = resolve(import.meta.dirname, "../../config/alerts/telemetryd.rules.yaml");
const never = new AbortController().signal;
const mayMount = spawnSync("unshare", ["-Urm", "true"]).status === 0;
let promtool = "";
let folder: string;
let store: RunningServer | undefined;
/** Responds with 401 below /wrong, and accepts everything else. */
let receiver: Server;
let daemon: Child | undefined;
let opsUrl: string;

beforeAll(async () => {
  await ensureBuilt(never, () => undefined);
  promtool = (await findServers(["promtool"])).promtool.path;
}, 300_000);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-alerts-"));
  await mkdir(join(folder, "policies"));
  store = await startVictoriaMetrics();
  receiver = createServer((request, response) => {
    request.resume();
    request.once("end", () => response.writeHead(request.url?.startsWith("/wrong") ? 401 : 204).end());
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
}, 120_000);
afterEach(async () => {
  await daemon?.stop(30_000);
  await store?.[Symbol.asyncDispose]();
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
  await rm(folder, { recursive: true, force: true });
});

async function writePolicy(name: string, endpoint: string, query = '{job="fault"}'): Promise<void> {
  const target = { prometheusRemoteWrite: { endpoint, batch: { timeout: "1s" } } };
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name, namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: query } }],
      sinks: [{ name: "sink", sources: ["all"], target }],
    },
  };
  await writeFile(join(folder, "policies", `${name}.json`), JSON.stringify(policy));
}

const receiverUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

async function writeConfig(more: object = {}): Promise<void> {
  const config = {
    policies: { directory: "./policies" },
    metrics: { url: store?.url, interval: "1s", delay: "1s" },
    state: { directory: "./state" },
    ...more,
  };
  await writeFile(join(folder, "telemetryd.yaml"), stringify(config));
}

/** @param prepare shell commands to run before it, in a mount namespace of its own */
async function startDaemon(prepare?: string): Promise<Child> {
  const port = await freePort();
  opsUrl = `http://127.0.0.1:${port}`;
  const run = [process.execPath, builtCli, "run", "--config", join(folder, "telemetryd.yaml")];
  const [program = "", ...args] =
    prepare === undefined ? run : ["unshare", "-Urm", "sh", "-c", `${prepare} && exec "$0" "$@"`, ...run];
  daemon = await startChild({
    ...{ name: "telemetryd", program, args },
    env: { TELEMETRYD_OPS_LISTEN: `127.0.0.1:${port}` },
  });
  await until("telemetryd is ready", async () => (await fetch(`${opsUrl}/readyz`)).ok);
  return daemon;
}

/** Gives the sinks something to send. */
async function writeSample(): Promise<void> {
  const metric = { __name__: "fault_test", job: "fault" };
  const line = JSON.stringify({ metric, values: [1], timestamps: [Date.now()] });
  const response = await fetch(new URL("/api/v1/import", store?.url), { method: "POST", body: line });
  if (!response.ok) throw new Error(`the store responds with ${response.status}`);
}

/** The daemon's own series, each with the labels of its target. */
async function scrape(): Promise<Map<string, string>> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const target = 'instance="a", job="telemetryd"';
  const series = text.matchAll(/^(telemetryd_\w+)(?:\{(.*)\})? (\S+)$/gm);
  return new Map(
    [...series]
      .filter(([, name]) => !name?.endsWith("_bucket"))
      .map(([, name, labels, value = ""]) => [`${name}{${labels ? `${labels}, ` : ""}${target}}`, value]),
  );
}

/** Scrapes until each of these series has its value; samples are written meanwhile. */
async function scrapeWhen(what: string, expected: Readonly<Record<string, string>>) {
  let scraped = new Map<string, string>();
  await until(what, async () => {
    await writeSample().catch(() => undefined);
    scraped = await scrape();
    return Object.entries(expected).every(([start, value]) =>
      [...scraped].some(([series, found]) => series.startsWith(start) && found === value),
    );
  });
  return scraped;
}

/** Each of the page and `telemetryd status`, alone, names every fault. */
async function expectShown(faults: readonly RegExp[]): Promise<void> {
  const page = (await (await fetch(`${opsUrl}/`)).text())
    .replace(/<(script|style)>[\s\S]*?<\/\1>|<details>[\s\S]*?<\/details>|<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");
  const command = [builtCli, "status", "--address", opsUrl];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command);
  for (const fault of faults) {
    expect(page).toMatch(fault);
    expect(`${stderr}${stdout}`).toMatch(fault);
  }
}

const sinkOf = (metric: string, policy: string) =>
  `${metric}{plane="directory",namespace="default",policy="${policy}",sink="sink"`;

interface Expected {
  readonly alert: string;
  /** Matchers of the alert, such as `policy="a"`. */
  readonly labels?: string;
  /** Minutes after which it fires; the fault begins at the fifth. */
  readonly afterMinutes: number;
}

/** Lets promtool evaluate the rules on five minutes of the one scrape, and forty of the other. */
async function expectAlerts(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  alerts: readonly Expected[],
): Promise<void> {
  const names = new Set([...before.keys(), ...after.keys()]);
  const scrapedValue = (scraped: ReadonlyMap<string, string>, name: string) => scraped.get(name) ?? "_";
  const input = [...names].map((series) => ({
    series,
    values: `${scrapedValue(before, series)}x4 ${scrapedValue(after, series)}x40`,
  }));
  const firing = ({ alert, labels = "" }: Expected, minute: number, value?: number) => ({
    expr: `count(ALERTS{alertname="${alert}", alertstate="firing"${labels && `, ${labels}`}})`,
    eval_time: `${minute}m`,
    exp_samples: value === undefined ? [] : [{ labels: "{}", value }],
  });
  const checks = alerts.flatMap((expected) => [
    firing(expected, expected.afterMinutes - 1),
    firing(expected, expected.afterMinutes + 1, 1),
  ]);
  const tests = [{ interval: "1m", input_series: input, promql_expr_test: checks }];
  const file = join(folder, "tests.yaml");
  await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: "1m", tests }));
  const { stdout } = await promisify(execFile)(promtool, ["test", "rules", file]).catch(
    (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
  );
  expect(stdout).toContain("SUCCESS");
}

test("a wrong password, a mistyped path, a broken file, a mistyped query, a refused reload, and no store", async () => {
  for (const name of ["good", "login", "path", "edited"]) await writePolicy(name, `${receiverUrl()}/ok`);
  await writePolicy("idle", `${receiverUrl()}/ok`, '{job="nothing"}');
  await writeConfig();
  const running = await startDaemon();
  const before = await scrapeWhen("all sinks deliver", {
    [sinkOf("telemetryd_source_series", "good")]: "1",
    [sinkOf("telemetryd_source_series", "login")]: "1",
    [sinkOf("telemetryd_source_series", "path")]: "1",
    [sinkOf("telemetryd_source_series", "idle")]: "0",
    'telemetryd_policies{state="ready"': "5",
    telemetryd_configuration_last_reload_successful: "1",
  });

  await writePolicy("login", `${receiverUrl()}/wrong`);
  await writePolicy("path", `${store?.url}/api/v1/wirte`);
  await writePolicy("edited", `${receiverUrl()}/ok`, '{job="fault"');
  await writeFile(join(folder, "policies", "broken.yaml"), "a: [");
  await writeConfig({ nonsense: 1 });
  running.signal("SIGHUP");
  const after = await scrapeWhen("the faults are there", {
    [sinkOf("telemetryd_sink_suspended", "login")]: "1",
    [sinkOf("telemetryd_sink_suspended", "path")]: "1",
    [sinkOf("telemetryd_sink_accepted", "edited")]: "0",
    telemetryd_policy_file_errors: "1",
    telemetryd_configuration_last_reload_successful: "0",
  });
  await expectShown([
    /401: the receiver wants credentials/,
    /unsupported path requested/,
    /edited[\s\S]*spec\.sources\[0\]/,
    /broken\.yaml/,
    /the configuration was invalid .* telemetryd validate telemetryd\.yaml shows the errors/,
  ]);
  await expectAlerts(before, after, [
    { alert: "TelemetrydSinkSuspended", labels: 'policy="login"', afterMinutes: 10 },
    { alert: "TelemetrydSinkSuspended", labels: 'policy="path"', afterMinutes: 10 },
    { alert: "TelemetrydPolicyInvalid", labels: 'policy="edited"', afterMinutes: 10 },
    { alert: "TelemetrydPolicyFilesBroken", afterMinutes: 10 },
    { alert: "TelemetrydReloadFailed", afterMinutes: 10 },
    { alert: "TelemetrydSinkIdle", labels: 'policy="idle"', afterMinutes: 30 },
  ]);
  const lossInSeconds = [...after].find(([series]) =>
    series.startsWith(sinkOf("telemetryd_sink_loses_data_in_seconds", "login")),
  );
  expect(Number(lossInSeconds?.[1])).toBeGreaterThan(23 * 3_600);

  await store?.[Symbol.asyncDispose]();
  store = undefined;
  const without = await scrapeWhen("the store is missed", {
    [sinkOf("telemetryd_sink_sources_failing", "good")]: "1",
    'telemetryd_degraded{part="metrics_store"': "1",
  });
  await expectShown([/the metrics store cannot be read since .*(cannot be reached|ended|closed)/]);
  await expectAlerts(before, without, [{ alert: "TelemetrydSourceFailing", afterMinutes: 10 }]);
  const status = (await (await fetch(`${opsUrl}/api/v1/status`)).json()) as DaemonStatus;
  expect(status.source?.lastError?.message).toMatch(/cannot be reached|ended|closed/);
  expect(await (await fetch(`${opsUrl}/readyz`)).text()).toMatch(
    /^ready\n[\s\S]*degraded: the metrics store cannot be read since [-0-9]+T[:0-9]+Z: /,
  );
}, 300_000);

test.skipIf(!mayMount)(
  "a full disk",
  async () => {
    await writePolicy("good", `${receiverUrl()}/ok`);
    await mkdir(join(folder, "state"));
    await writeConfig();
    const running = await startDaemon(`mount -t tmpfs -o size=1m tmpfs ${join(folder, "state")}`);
    const before = await scrapeWhen("the sink delivers", {
      [sinkOf("telemetryd_source_series", "good")]: "1",
      'telemetryd_degraded{part="state"': "0",
    });
    const file = await open(`/proc/${running.pid}/root${join(folder, "state", "filler")}`, "w");
    const fill = async (): Promise<never> => {
      for (;;) await file.write(Buffer.alloc(4_096));
    };
    await expect(fill()).rejects.toThrow("ENOSPC");
    await file.close();
    const after = await scrapeWhen("the state cannot be written", {
      'telemetryd_degraded{part="state"': "1",
    });
    await expectShown([/state.*(ENOSPC|no space)/i]);
    await expectAlerts(before, after, [{ alert: "TelemetrydStateNotWritable", afterMinutes: 10 }]);
  },
  300_000,
);
