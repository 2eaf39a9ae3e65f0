import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { endDaemon } from "../support/daemon/spawned-daemon.ts";
import { root, stops } from "../support/documents/walkthrough.ts";
import { startReceiver } from "../support/receiver/receiver.ts";
import { writeToVictoriaMetrics } from "../support/samples.ts";
import { freePort, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** A sample goes the way of docs/walkthrough.md: a daemon that delivers one has called each stop's code. */

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** Functions that ran, as `src/a.ts name`; a constructor has its class's name. */
async function calledFunctions(folder: string): Promise<Set<string>> {
  const called = new Set<string>();
  for (const file of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, file), "utf8")) as Coverage;
    for (const { url, functions } of result) {
      if (!url.startsWith(`${root.href}src/`)) continue;
      const path = url.slice(root.href.length).replace(/\?.*$/, "");
      for (const { functionName, ranges } of functions) {
        if ((ranges[0]?.count ?? 0) > 0) called.add(`${path} ${functionName}`);
      }
    }
  }
  return called;
}

test("a delivered sample has passed every stop of the walkthrough", async () => {
  const releasers = new Releasers();
  try {
    const folder = await mkdtemp(join(tmpdir(), "telemetryd-walkthrough-"));
    releasers.push(() => rm(folder, { recursive: true, force: true }));
    const [store, receiver] = [await startVictoriaMetrics(), await startReceiver()];
    for (const server of [store, receiver]) releasers.push(() => server[Symbol.asyncDispose]());
    const signal = AbortSignal.timeout(120_000);
    const samples = [{ timestampMs: Date.now() - 60_000, value: 1 }];
    await writeToVictoriaMetrics(
      store.url,
      [{ labels: [{ name: "__name__", value: "walked" }], samples }],
      signal,
    );
    const manifest = {
      ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy", metadata: { name: "p" } },
      spec: {
        sources: [{ name: "a", metrics: { metricsql: "walked" } }],
        sinks: [{ name: "s", sources: ["a"], target: { prometheusRemoteWrite: { endpoint: receiver.url } } }],
      },
    };
    await writeFile(join(folder, "policy.json"), JSON.stringify(manifest));
    const configFile = join(folder, "telemetryd.yaml");
    const config = {
      policies: { directory: folder },
      metrics: { url: store.url, interval: "1s", delay: "1s" },
      delivery: { startFrom: "10m" },
      egress: { allow: ["127.0.0.0/8"] },
      state: { directory: join(folder, "state") },
    };
    await writeFile(configFile, JSON.stringify(config));
    const coverage = join(folder, "coverage");
    const daemon = await startDaemon({
      configFile,
      opsPort: await freePort(),
      // From its sources: the build has one file for many.
      cli: fileURLToPath(new URL("src/cli.ts", root)),
      env: { NODE_OPTIONS: "--import tsx", NODE_V8_COVERAGE: coverage },
      signal,
    });
    releasers.push(() => daemon.child.stop(10_000).then(() => undefined));
    await until("the sample arrives", () => receiver.samples().size > 0);
    await endDaemon(daemon);
    const called = await calledFunctions(coverage);
    expect(stops.filter(({ file, name }) => !called.has(`${file} ${name}`))).toEqual([]);
  } finally {
    await releasers.releaseAll();
  }
});
