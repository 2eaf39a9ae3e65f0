/** `npm run prove -- documents`: runs the commands of documents as printed, in their order, with real servers. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { builtCli, ensureBuilt, projectRoot } from "../../scripts/daemon/build.ts";
import { textOption } from "../../scripts/run/options.ts";
import { startChild } from "../../scripts/servers/child.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { type ProofContext, runProof } from "../support/proof.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { findServers, freePort, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { startTenantFront } from "../support/store/tenant-front.ts";
import { until } from "../support/until.ts";
import { type DocumentRun, runDocument } from "./document.ts";

/** What a reader of each document has at hand. */
interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly replace: [string, string][];
  readonly releasers: Releasers;
}
type Run = Omit<DocumentRun, "document" | keyof Place>;

const { signal } = new AbortController();

const documents: Readonly<Record<string, (place: Place) => Promise<Run>>> = {
  "docs/getting-started-sidecar.md": async (place) => {
    const receiver = await started(place, startPrometheus());
    await startStore(place, "node");
    place.replace.push(["http://prometheus.example.com:9090", receiver.url]);
    // The image, and a cluster.
    return { skip: ["docker run", "kubectl apply"] };
  },
  "docs/tenants.md": async (place) => {
    const stores = {
      "team-1": await startStore(place, "node"),
      infrastructure: await startStore(place, "node"),
    };
    const [byHeader, byPath] = [
      await startTenantFront("header", stores),
      await startTenantFront("path", stores),
    ];
    for (const front of [byHeader, byPath]) place.releasers.push(() => front[Symbol.asyncDispose]());
    await writeFile(join(place.folder, "pat"), "a token");
    await mkdir(join(place.folder, "policies"));
    place.replace.push(
      ["/run/secrets/pat", "./pat"],
      ["http://127.0.0.1:9009/prometheus", byHeader.url],
      ["http://vmselect.monitoring.svc:8481/select/{tenant}/prometheus", byPath.url],
      // As the document says below the block.
      ["tenancy: path\n  tenants: name", "tenancy: path\n  tenants: ./tenants.yaml"],
    );
    return {
      after(block, output) {
        expectAll(output, ['{job="node"}']);
        const { served } = block.includes("--project") ? byPath : byHeader;
        if (served.size !== 1) throw new Error(`read as ${[...served].join(", ") || "nobody"}`);
      },
    };
  },
  "docs/roadmap.md": async ({ replace }) => {
    replace.push(["127.0.0.1:8080", `127.0.0.1:${await freePort()}`]);
    return { until: "### Webhooks" };
  },
  "docs/platform.md": async ({ folder, replace }) => {
    replace.push(["127.0.0.1:8081", `127.0.0.1:${await freePort()}`]);
    await writeFile(join(folder, "policy.yaml"), await policyOf("docs/getting-started-sidecar.md"));
    await mkdir(join(folder, "manifests"));
    const metadata = { name: "shop-settings", namespace: "default", labels: { app: "shop" } };
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata };
    await writeFile(join(folder, "manifests/settings.json"), JSON.stringify(configMap));
    return { until: "## Export the projects' policies" };
  },
  "docs/hosting-the-platform.md": async (place) => {
    place.replace.push(["127.0.0.1:8081", `127.0.0.1:${await freePort()}`]);
    await startStore(place, "node");
    return {
      until: "## Upgrade",
      skip: ["age -r"],
      after(block, output) {
        if (block.includes("organization show acme"))
          expectAll(output, ["alice@example.com", /^project web /m]);
        if (block.includes("restored.yaml")) expectAll(output, [/name: shop\n/, /open: "?yes/]);
        if (block.includes("get configmap shop")) expectAll(output, [/^shop +1 /m]);
        if (block.includes("apply -f web.yaml")) expectAll(output, ["configmap/shop configured"]);
      },
    };
  },
  "docs/http-proxies.md": async ({ folder, env, replace, releasers }) => {
    const demo = await startChild({
      name: "demo",
      program: process.execPath,
      args: ["--import", "tsx", join(projectRoot, "scripts/demo.ts")],
      cwd: projectRoot,
      env: { DEMO_DIRECTORY: join(folder, ".demo"), DEMO_INSTANCES: "emulated" },
    });
    releasers.push(() => demo.stop(60_000));
    await until("the demo runs", () => {
      if (demo.exit() !== undefined) throw new Error(demo.log());
      return demo.log().includes("The demo runs");
    });
    env["KUBECONFIG"] = join(folder, ".demo/platform/web.kubeconfig");
    return {
      until: "## For operators",
      after(block, output) {
        if (block.includes("grep ' bind '")) {
          const [http = "", tls = ""] = [...output.matchAll(/bind '(127[\d.:]+)'/g)].map(([, each]) => each);
          replace.push(["127.0.0.1:36145", http], ["127.0.0.1:34339", tls]);
        }
        if (block.includes("https://$HOST/")) expectAll(output, ["Hello from the project web."]);
        if (block.includes("/shop/index.html")) expectAll(output, proxyResponses);
      },
    };
  },
  "docs/receivers.md": async (place) => {
    const store = await startStore(place, "node");
    const receiver = await startReceiver();
    place.releasers.push(() => receiver[Symbol.asyncDispose]());
    refuseSeries(receiver);
    const run = await gettingStarted(place, store, receiver.url);
    const ids = await rejectedIds(place.env["TELEMETRYD_OPS_LISTEN"] ?? "", 2);
    receiver.respond(() => undefined);
    // Each command is about an entry of its own: a replay takes its entry away.
    place.replace.push(
      ["rejected show ID", `rejected show ${ids[0]}`],
      ["rejected replay ID", `rejected replay ${ids[0]}`],
      ["rejected delete ID", `rejected delete ${ids[1]}`],
    );
    return run;
  },
};

/** The table below the four requests of docs/http-proxies.md. */
const proxyResponses = [
  /x-variant: canary[\s\S]*Hello from the project web\./,
  /HTTP\/1.1 200[\s\S]*HTTP\/1.1 200/,
  /HTTP\/1.1 301[\s\S]*location: https:\/\/[0-9a-f-]{36}\.proxy\.localhost\/new\/page\?a=1/i,
  /HTTP\/1.1 404[\s\S]*no rule of the proxy matches this request/,
];

function expectAll(output: string, patterns: readonly (RegExp | string)[]): void {
  for (const pattern of patterns) {
    const isThere = typeof pattern === "string" ? output.includes(pattern) : pattern.test(output);
    if (!isThere) throw new Error(`no ${pattern} in:\n${output}`);
  }
}

/** Rejects a request with a series of one instance, as of a label that the receiver does not take. */
function refuseSeries(receiver: Receiver): void {
  receiver.respond(({ series }) =>
    series.some(({ labels }) => labels.some(({ value }) => value === "refused"))
      ? { status: 400, body: "label instance is not allowed" }
      : undefined,
  );
}

/** A daemon as in docs/getting-started-sidecar.md. */
async function gettingStarted(place: Place, storeUrl: string, endpoint: string): Promise<Run> {
  const { folder, env, releasers } = place;
  await mkdir(join(folder, "policies"));
  const policy = await policyOf("docs/getting-started-sidecar.md");
  await writeFile(
    join(folder, "policies/node.yaml"),
    policy.replace(/endpoint: .*/, `endpoint: ${endpoint}`),
  );
  const config = {
    policies: { directory: "./policies" },
    metrics: { url: storeUrl, interval: "2s", delay: "2s" },
  };
  await writeFile(
    join(folder, "telemetryd.yaml"),
    JSON.stringify({ ...config, state: { directory: "./data" } }),
  );
  const daemon = await startChild({
    name: "telemetryd",
    program: process.execPath,
    args: [builtCli, "run", "--config", join(folder, "telemetryd.yaml")],
    env,
    logFile: join(folder, "telemetryd.log"),
  });
  releasers.push(() => daemon.stop(60_000));
  return {};
}

async function rejectedIds(ops: string, count: number): Promise<string[]> {
  let ids: string[] = [];
  await until("the receiver has rejected samples", async () => {
    const response = await fetch(`http://${ops}/api/v1/rejected`, {
      headers: { "x-telemetryd-command": "1" },
    });
    ids = [...(await response.text()).matchAll(/"id":"([^"]+)"/g)].map(([, id = ""]) => id);
    return ids.length >= count;
  });
  return ids;
}

async function policyOf(document: string): Promise<string> {
  const text = await readFile(join(projectRoot, document), "utf8");
  const [, indent = "", policy = ""] =
    /^( *)```yaml\n(\s*apiVersion: telemetry[\s\S]*?)```/m.exec(text) ?? [];
  return policy.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

async function started<T extends { stop(): Promise<unknown> }>(
  { releasers }: Place,
  start: Promise<T>,
): Promise<T> {
  const server = await start;
  releasers.push(() => server.stop());
  return server;
}

/** A store that gets samples of a job, one of an instance that {@link refuseSeries} refuses. @returns its URL */
async function startStore(place: Place, job: string): Promise<string> {
  const { url } = await started(place, startVictoriaMetrics());
  const write = async (): Promise<void> => {
    const timestamps = [Date.now()];
    const lines = ["up", "node_load1"].flatMap((__name__) =>
      [{}, ...(__name__ === "up" ? [] : [{ instance: "refused" }])].map((labels) =>
        JSON.stringify({ metric: { __name__, job, ...labels }, values: [1], timestamps }),
      ),
    );
    await fetch(`${url}/api/v1/import`, { method: "POST", body: lines.join("\n") }).catch(() => undefined);
  };
  const timer = setInterval(() => void write(), 1_000);
  place.releasers.push(() => clearInterval(timer));
  await until("the store shows what it got", async () => {
    await write();
    const response = await fetch(`${url}/api/v1/query?query=up`);
    return (await response.text()).includes(job);
  });
  place.replace.push(["http://127.0.0.1:8428", url]);
  return url;
}

async function runAll(only: string | undefined, { folder, releasers }: ProofContext): Promise<boolean> {
  await ensureBuilt(signal, () => console.log("building telemetryd"));
  const { kubectl, haproxy } = await findServers(["kubectl", "haproxy", "redis-server", "prometheus"]);
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "telemetryd"), `#!/bin/sh\nexec "${process.execPath}" "${builtCli}" "$@"\n`);
  await chmod(join(bin, "telemetryd"), 0o755);
  let failures = 0;
  for (const [document, prepare] of Object.entries(documents)) {
    if (only !== undefined && !document.includes(only)) continue;
    const own = join(folder, document.replace(/\W+/g, "-"));
    await mkdir(own, { recursive: true });
    const path = [bin, dirname(kubectl.path), process.env["PATH"] ?? ""].join(delimiter);
    const place: Place = {
      folder: own,
      env: {
        ...kubectl.env,
        ...haproxy.env,
        HAPROXY_BIN: haproxy.path,
        PATH: path,
        HOME: own,
        TELEMETRYD_OPS_LISTEN: `127.0.0.1:${await freePort()}`,
      },
      replace: [],
      releasers,
    };
    place.replace.push(["127.0.0.1:9464", place.env["TELEMETRYD_OPS_LISTEN"] ?? ""]);
    try {
      const run = await prepare(place);
      console.log(`${document}: ${await runDocument({ document, ...place, ...run })} blocks run as printed`);
    } catch (error) {
      failures++;
      console.error((error as Error).message);
    }
    await releasers.releaseAll();
  }
  return failures === 0;
}

await runProof({
  name: "documents",
  about: "Runs the commands of documents as printed, in their order, with real servers.",
  options: { only: textOption("documents with this text in their path") },
  limitMs: () => 1_200_000,
  run: ({ only }, context) => runAll(only, context),
});
