import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { exportSpan } from "../../src/app/commands/policies/export.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import {
  flushVictoriaMetrics,
  readVictoriaMetrics,
  seriesKey,
  writeByRemoteWrite,
  writeToVictoriaMetrics,
} from "../support/samples.ts";
import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** Names outside of [a-zA-Z0-9_:], from both kinds of store to a receiver that takes them. */

const { signal } = new AbortController();
const baseMs = Math.floor(Date.now() / 1_000) * 1_000 - 600_000;
const given: Record<string, string>[] = [
  { __name__: "http.server.requests", "service.name": "web" },
  { __name__: "http_server_requests", service_name: "web" },
  { __name__: "температура", комната: "кухня" },
  { __name__: "1st-metric", größe: "1" },
];
let folder: string;
let receiver: RunningServer;
let stores: { victoriametrics: RunningServer; prometheus: RunningServer };

setUpAll(async ({ newFolder, onEnd }) => {
  folder = await newFolder("names");
  const [victoriametrics, prometheus, third] = await Promise.all([
    startVictoriaMetrics(),
    startPrometheus(),
    startVictoriaMetrics(),
  ]);
  stores = { victoriametrics, prometheus };
  receiver = third;
  for (const server of [victoriametrics, prometheus, third]) onEnd(() => server[Symbol.asyncDispose]());
  const written = given.map((labels) => ({
    labels: labelsOf(labels),
    samples: [1, 2].map((value) => ({ timestampMs: baseMs + value * 1_000, value })),
  }));
  await writeToVictoriaMetrics(victoriametrics.url, written, signal);
  await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, written, signal);
});

/** Sorted, as remote write requires. */
function labelsOf(labels: Record<string, string>) {
  const list = Object.entries(labels).map(([name, value]) => ({ name, value }));
  return list.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** @returns the keys of the receiver's series of one run, each with its number of samples */
async function exported(
  run: string,
  store: RunningServer,
  { metricsql = '{__name__=~".+"}', names = "utf8" } = {},
): Promise<[string, number][]> {
  const directory = join(folder, run);
  await mkdir(join(directory, "policies"), { recursive: true });
  const target = {
    prometheusRemoteWrite: { endpoint: `${receiver.url}/api/v1/write?extra_label=run=${run}` },
  };
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "names" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql } }],
      sinks: [{ name: "receiver", sources: ["all"], target }],
    },
  };
  const config = {
    metrics: { url: store.url },
    policies: { directory: join(directory, "policies") },
    state: { directory: join(directory, "state") },
    delivery: { endpoints: [{ urlPrefix: receiver.url, names }] },
  };
  const file = join(directory, "telemetryd.yaml");
  await writeFile(join(directory, "policies", "names.yaml"), stringify(policy));
  await writeFile(file, stringify(config));
  const time = (ms: number) => new Date(ms).toISOString();
  const span = { from: time(baseMs), to: time(baseMs + 10_000) };
  const terminal = { write: () => true, isTTY: false };
  await exportSpan({ file, overrides: [], environment: {}, ...span }, terminal, silentLogger, signal);
  await flushVictoriaMetrics(receiver.url, signal);
  const matchers = [{ name: "run", type: "=" as const, value: run }];
  const read = { matchers, fromMs: baseMs, toMs: baseMs + 10_000, dropLabels: ["run"] };
  const set = await readVictoriaMetrics(receiver.url, read, signal);
  return [...set.series].map(([key, { values }]): [string, number] => [key, values.length]).sort();
}

const each = (list: readonly Record<string, string>[]): [string, number][] =>
  list.map((labels): [string, number] => [seriesKey(labelsOf(labels)), 2]).sort();

test.each(["victoriametrics", "prometheus"] as const)("names arrive unchanged from %s", async (kind) => {
  expect(await exported(`from-${kind}`, stores[kind])).toEqual(each(given));
});

test("a receiver that takes only legal names gets those", async () => {
  const legal = [
    { __name__: "___________", _______: "кухня" },
    { __name__: "_st_metric", gr__e: "1" },
  ];
  const metricsql = '{__name__!~"http.*"}';
  expect(await exported("legacy", stores.victoriametrics, { metricsql, names: "legacy" })).toEqual(
    each(legal),
  );
});
