/**
 * A receiver that quotes the request headers in various encodings: the daemon's texts contain none of them.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import type { DaemonStatus } from "../../src/exporter/policy/status/status-view.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { type ReceivedRequest, startReceiver } from "../support/receiver/receiver.ts";
import { importLines } from "../support/samples.ts";
import { startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

const { signal } = new AbortController();
const releasers = new Releasers();
afterAll(() => releasers.releaseAll());

const password = 'pass"word<with>/+marks';
const token = "token-of-the-operator-eyJhbGciOiJFUzI1NiJ9.and-so-on-and-on";
const apiKey = "key-in-a-header-0123456789";
const pair = Buffer.from(`writer:${password}`).toString("base64").replace(/=+$/, "");
const secrets = [
  ...[password, JSON.stringify(password).slice(1, -1), encodeURIComponent(password)],
  ...[
    pair,
    encodeURIComponent(pair),
    token,
    Buffer.from(token).toString("base64").replace(/=+$/, ""),
    apiKey,
  ],
];

/** Quotes the headers, as an error page might. */
function quoted({ headers }: ReceivedRequest): string {
  const { authorization = "", "x-api-key": key = "" } = headers;
  const credential = authorization.split(" ")[1] ?? "";
  const plain = Buffer.from(credential, "base64").toString();
  const encoded = Buffer.from(credential).toString("base64");
  const texts = [credential, plain, encodeURIComponent(plain), encodeURIComponent(credential), encoded, key];
  return JSON.stringify({ error: "no such tenant", headers, texts });
}

test("credentials that a receiver quotes are in no condition, log line, page or rejected entry", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-secrets-"));
  releasers.push(() => rm(folder, { recursive: true, force: true }));
  const store = await startVictoriaMetrics();
  releasers.push(() => store[Symbol.asyncDispose]());
  const receiver = await startReceiver();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  // Some samples are accepted: without a proof none is rejected.
  const isTaken = ({ series }: ReceivedRequest) =>
    series.every(({ samples }) => samples.every(({ timestampMs }) => Number(timestampMs) % 2 === 1));
  receiver.respond((request) => {
    const refuses = request.path.endsWith("-refuse");
    if (refuses && isTaken(request)) return undefined;
    return { status: refuses ? 400 : 500, body: quoted(request) };
  });
  const sink = (name: string, authentication?: object) => ({
    name,
    sources: ["all"],
    target: {
      prometheusRemoteWrite: {
        endpoint: `http://127.0.0.1:${receiver.port}/${name}`,
        ...(authentication && { authentication }),
        batch: { timeout: "1s" },
        retry: { maxAttempts: 1, backoffDuration: "1s" },
      },
    },
  });
  const basicAuth = { basicAuth: { secretRef: { name: "writer" } } };
  const documents = [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "writer", namespace: "default" },
      type: "kubernetes.io/basic-auth",
      stringData: { username: "writer", password },
    },
    {
      apiVersion: "telemetry.platformapis/v1alpha1",
      kind: "ExportPolicy",
      metadata: { name: "policy", namespace: "default" },
      spec: {
        sources: [{ name: "all", metrics: { metricsql: "leak_test" } }],
        sinks: [
          sink("basic-refuse", basicAuth),
          sink("basic-fail", basicAuth),
          sink("token-refuse"),
          sink("token-fail"),
        ],
      },
    },
  ];
  await mkdir(join(folder, "policies"));
  await writeFile(
    join(folder, "policies", "all.yaml"),
    documents.map((document) => JSON.stringify(document)).join("\n---\n"),
  );
  await writeFile(join(folder, "token"), `${token}\n`);
  const write = (ageMs: number): Promise<unknown> => {
    const metric = { __name__: "leak_test", job: "a" };
    const line = JSON.stringify({ metric, values: [1], timestamps: [Date.now() - ageMs] });
    return importLines(store.url, [`${line}\n`], signal);
  };
  await write(60_000);
  const daemon = await spawnDaemon({
    directory: folder,
    config: {
      policies: { directory: join(folder, "policies") },
      metrics: { url: store.url, interval: "1s", delay: "2s" },
      state: { directory: join(folder, "state") },
      delivery: {
        endpoints: [
          {
            urlPrefix: `http://127.0.0.1:${receiver.port}/`,
            bearerTokenFile: join(folder, "token"),
            headers: { "X-API-Key": apiKey },
          },
        ],
      },
      log: { level: "trace" },
    },
  });
  const status = async () => (await (await fetch(`${daemon.opsUrl}/api/v1/status`)).json()) as DaemonStatus;
  await until("every sink has its response", async () => {
    await write(0);
    const sinks = (await status()).policies[0]?.sinks ?? [];
    const isRejected = sinks.filter(({ rejected }) => rejected > 0).length === 2;
    return isRejected && sinks.length === 4 && sinks.every(({ lastError }) => lastError !== undefined);
  });
  const shown = JSON.stringify((await status()).policies);
  const page = await (await fetch(`${daemon.opsUrl}/?show=all`)).text();
  await endDaemon(daemon);
  const log = await readFile(join(folder, "telemetryd.log"), "utf8");
  const rejected = join(folder, "state", "rejected");
  const entries = await Promise.all(
    (await readdir(rejected)).map((name) => readFile(join(rejected, name), "latin1")),
  );
  expect(entries.length).toBeGreaterThanOrEqual(2);
  for (const [place, text] of Object.entries({ shown, page, log, entries: entries.join("\n") })) {
    // The receiver's own text is included.
    expect(text, place).toContain("no such tenant");
    for (const secret of secrets) expect(text, `${place} holds ${secret}`).not.toContain(secret);
  }
}, 240_000);
