import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { type Child, startChild } from "../../scripts/servers/child.ts";
import { snippetsOf } from "../support/documents/document-snippets.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { diffSamples, isSameSet, SampleSet, seriesKey, writeToVictoriaMetrics } from "../support/samples.ts";
import { freePort, type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** The command-line interface: commands, exit statuses, messages and signals. */

const forever = new AbortController().signal;
/** A whole minute, half an hour ago: before the watermark. */
const baseMs = Math.floor(Date.now() / 60_000) * 60_000 - 1_800_000;
const written = [0, 1, 2].map((index) => ({
  labels: [
    { name: "__name__", value: "cli_test" },
    { name: "n", value: String(index) },
  ],
  samples: Array.from({ length: 20 }, (_, at) => ({ timestampMs: baseMs + at * 15_000, value: at + index })),
}));
const source = new SampleSet();
for (const { labels, samples } of written) {
  for (const { timestampMs, value } of samples) source.add(seriesKey(labels), timestampMs, value);
}

let store: RunningServer;
let folder: string;
let receiver: Receiver;
let children: Child[];
let opsPort: number;

beforeAll(async () => {
  await ensureBuilt(forever, () => undefined);
  store = await startVictoriaMetrics();
  await writeToVictoriaMetrics(store.url, written, forever);
}, 240_000);
afterAll(() => store[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-cli-"));
  receiver = await startReceiver();
  children = [];
  opsPort = await freePort();
  await mkdir(join(folder, "policies"));
  await writeFile(join(folder, "policies", "policy.json"), JSON.stringify(policy()));
  await writeFile(join(folder, "telemetryd.yaml"), configuration());
});
afterEach(async () => {
  for (const child of children) await child.kill();
  await receiver[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function policy() {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "export", namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: "cli_test" } }],
      sinks: [
        {
          name: "receiver",
          sources: ["all"],
          target: {
            prometheusRemoteWrite: {
              endpoint: receiver.url,
              batch: { timeout: "1s", maxSize: 10 },
              retry: { maxAttempts: 1, backoffDuration: "1s" },
            },
          },
        },
      ],
    },
  };
}

function configuration(): string {
  return [
    "policies: { directory: ./policies }",
    `metrics: { url: "${store.url}", interval: 1s, delay: 15s }`,
    "delivery: { startFrom: 2h, shutdownTimeout: 10s }",
    `ops: { listen: "127.0.0.1:${opsPort}" }`,
    "state: { directory: ./state }",
  ].join("\n");
}

async function start(...args: string[]): Promise<Child> {
  const child = await startChild({
    name: "telemetryd",
    program: process.execPath,
    args: [builtCli, ...args],
    cwd: folder,
    env: { NO_COLOR: "1", TELEMETRYD_OPS_LISTEN: `127.0.0.1:${opsPort}` },
  });
  children.push(child);
  return child;
}

async function call(...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = await start(...args);
  const { code } = await child.exited;
  return { status: code, output: child.log() };
}

async function daemon(): Promise<RunningDaemon> {
  const running = await startDaemon({
    configFile: join(folder, "telemetryd.yaml"),
    opsPort,
    signal: forever,
  });
  children.push(running.child);
  return running;
}

/** Whether the receiver has exactly the store's samples. */
function holdsAll(): boolean {
  const diff = diffSamples(source, receiver.samples());
  return isSameSet(diff) && diff.repeated.size === 0;
}

describe("what cannot be done ends with its exit status and says what would help", () => {
  test.each<[string, string[], number, RegExp]>([
    ["no command", [], 2, /Usage: telemetryd/],
    ["an unknown command", ["rum"], 2, /unknown command 'rum'[\s\S]*Did you mean run\?/],
    ["no configuration", ["run"], 2, /required option '--config <file>' not specified/],
    ["a file that is not there", ["run", "--config", "no.yaml"], 2, /no\.yaml cannot be read: ENOENT/],
    [
      "an override of an unknown key",
      ["run", "--config", "telemetryd.yaml", "--set", "metrics.intervall=5s"],
      2,
      /--set metrics\.intervall.*interval/,
    ],
    [
      "a bad time",
      ["export", "--config", "telemetryd.yaml", "--from", "yesterday", "--to", "0s"],
      2,
      /--from: "yesterday" is no time; write it like/,
    ],
    [
      "an unknown policy",
      ["export", "--config", "telemetryd.yaml", "--from", "1h", "--to", "0s", "--policy", "default/none"],
      2,
      /no sink that can run is selected; there are \(namespace\/policy\/sink\): default\/export\/receiver/,
    ],
    [
      "no daemon",
      ["status", "--address", "127.0.0.1:1"],
      4,
      /no telemetryd responds at http:\/\/127\.0\.0\.1:1 /,
    ],
    [
      "an unknown order",
      ["status", "--sort", "size"],
      2,
      /option '--sort <order>' argument 'size' is invalid\. Allowed choices are name, lag, state, error\./,
    ],
    [
      "an unknown entry",
      ["rejected", "show", "--config", "telemetryd.yaml", "7"],
      2,
      /there is no rejected entry "7"/,
    ],
  ])("%s", async (_, args, expected, message) => {
    const { status, output } = await call(...args);
    expect(output).toMatch(message);
    expect(output).not.toMatch(/\n {4}at /);
    expect(status).toBe(expected);
  });

  test("faults of the configuration are reported together, each with its place", async () => {
    await writeFile(join(folder, "bad.yaml"), "metrics:\n  url: ftp://h\n  intervall: 5s\napi: {}\n");
    const { status, output } = await call("run", "--config", "bad.yaml");
    expect(output).toMatch(/^bad\.yaml:2:8: error: metrics\.url: /);
    expect(output).toMatch(/bad\.yaml:3:3: error: metrics\.intervall: .*interval/);
    expect(output).toMatch(/bad\.yaml:4:6: error: api: needs the section roadmap/);
    expect(status).toBe(2);
  });

  test("a taken address and a locked state directory", async () => {
    await daemon();
    const locked = await call("run", "--config", "telemetryd.yaml");
    expect(locked.output).toMatch(/is in use by another telemetryd \(process \d+\)/);
    expect(locked.status).toBe(3);
    const taken = await call("run", "--config", "telemetryd.yaml", "--set", "state.directory=./other");
    expect(taken.output).toMatch(/ops\.listen/);
    expect(taken.status).toBe(3);
  });
});

describe("a state directory that cannot be used ends the daemon at once, with the reason", () => {
  test.each<[string, string, number, RegExp]>([
    [
      "below /proc, which creates nothing",
      "/proc/x",
      3,
      /the state directory \/proc\/x cannot be opened: ENOENT/,
    ],
    [
      "read-only",
      "/proc",
      3,
      /\/proc cannot be locked: no socket can be created in it: listen EACCES.* \/proc\/lock/,
    ],
    ["a file", "telemetryd.yaml", 2, /must be a directory; .*telemetryd\.yaml is a file/],
    ["below a file", "telemetryd.yaml/x", 2, /cannot be used: ENOTDIR/],
    ["a link to nothing", "dangling", 3, /dangling cannot be opened: /],
    ["a link to itself", "loop", 2, /cannot be used: ELOOP/],
    ["one whose log is a directory", "log-is-directory", 3, /cannot be used: EISDIR/],
    ["one whose log is a pipe", "log-is-pipe", 3, /state\.log is not a regular file/],
  ])("%s", async (_, directory, expected, message) => {
    await symlink(join(folder, "missing", "x"), join(folder, "dangling"));
    await symlink("loop", join(folder, "loop"));
    await mkdir(join(folder, "log-is-directory", "state.log"), { recursive: true });
    await mkdir(join(folder, "log-is-pipe"));
    execFileSync("mkfifo", [join(folder, "log-is-pipe", "state.log")]);
    const { status, output } = await call(
      ...["run", "--config", "telemetryd.yaml", "--set", `state.directory=${directory}`],
    );
    expect(output).toMatch(message);
    expect(output).not.toContain("/proc/self");
    expect(status).toBe(expected);
  });
});

test("an older Node.js is named, before anything that it does not have is loaded", async () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });
    Object.defineProperty(process, "version", { value: "v20.18.3" });`;
  const preload = `data:text/javascript,${encodeURIComponent(older)}`;
  const child = await startChild({
    ...{ name: "telemetryd", program: process.execPath, cwd: folder, env: {} },
    args: ["--import", preload, builtCli, "run", "--config", "telemetryd.yaml"],
  });
  children.push(child);
  expect(await child.exited).toEqual({ code: 2, signal: null });
  expect(child.log()).toBe("telemetryd: needs Node 20.19 or newer; this is v20.18.3\n");
  const imported = [...(await readFile(builtCli, "utf8")).matchAll(/\b(?:from|import) ?"([^"]*)"/g)];
  expect(imported.map(([, name]) => name)).toEqual(["node:module", "node:fs"]);
});

test("help and version", async () => {
  const help = await call("--help");
  for (const command of ["run", "validate", "export", "status", "rejected", "kubeconfig", "token"]) {
    expect(help.output).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  }
  expect(help.status).toBe(0);
  expect(await call("--version")).toEqual({ status: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test("a daemon exports, reports its status, takes an edit within 2 s and ends in order", async () => {
  const running = await daemon();
  await until("everything has arrived", holdsAll);
  await until("the status tells it", async () => {
    const { policies } = await running.status(forever);
    return policies[0]?.sinks[0]?.delivered === source.size;
  });
  const status = await call("status", "--address", running.opsUrl);
  expect(status.output).toMatch(/POLICY +SINK[\s\S]*export +receiver[\s\S]*60/);

  const edited = policy();
  edited.spec.sinks[0]!.name = "renamed";
  await writeFile(join(folder, "policies", "policy.json"), JSON.stringify(edited));
  const editedAtMs = performance.now();
  await until("the edit shows", async () => {
    const { policies } = await running.status(forever);
    return policies[0]?.sinks[0]?.name === "renamed" && policies[0].sinks[0].checkpoint !== undefined;
  });
  expect(performance.now() - editedAtMs).toBeLessThan(10_000);

  running.child.signal("SIGTERM");
  expect(await running.child.exited).toEqual({ code: 0, signal: null });
  const lines = running.child.log().trim().split("\n");
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty("msg");
  expect(lines.at(-1)).toContain("telemetryd has stopped");
});

test("a receiver that hangs: the first signal drains, a second one ends at once", async () => {
  receiver.respond(() => ({ fault: "hang" }));
  const running = await daemon();
  await until("a request hangs", () => receiver.requests.length > 0);
  running.child.signal("SIGTERM");
  await until("it is no longer ready", async () => (await fetch(`${running.opsUrl}/readyz`)).status === 503);
  expect(running.child.exit()).toBeUndefined();
  // A second signal within half a second counts as the same keystroke.
  await new Promise((resolve) => setTimeout(resolve, 600));
  running.child.signal("SIGTERM");
  expect(await running.child.exited).toEqual({ code: 143, signal: null });
});

describe("telemetryd export", () => {
  const span = ["--from", String(baseMs / 1000 - 1), "--to", String(baseMs / 1000 + 600)];

  test("delivers the span and ends; beside a daemon, whose state it leaves alone", async () => {
    const { status, output } = await call("export", "--config", "telemetryd.yaml", ...span);
    expect(output).toContain("default/export/receiver: 60 samples delivered");
    expect(status).toBe(0);
    expect(holdsAll()).toBe(true);
  });

  test("what is not delivered is reported, with the time to go on from", async () => {
    receiver.respond(({ index }) => (index < 2 ? undefined : { status: 503, body: "busy" }));
    const { status, output } = await call("export", "--config", "telemetryd.yaml", ...span);
    expect(output).toMatch(/503.*everything up to \S+Z is delivered, continue with --from \S+Z/);
    expect(status).toBe(5);
  });

  test("a receiver that refuses everything: nothing is dropped, and the exit status says so", async () => {
    receiver.respond(() => ({ status: 400, body: "unsupported path" }));
    const { status, output } = await call("export", "--config", "telemetryd.yaml", ...span);
    expect(output).toContain("unsupported path");
    expect(output).toContain("refuses every request");
    expect(status).toBe(5);
  });

  test("a store that is unavailable", async () => {
    const away = ["--set", "metrics.url=http://127.0.0.1:1"];
    const { status, output } = await call("export", "--config", "telemetryd.yaml", ...away, ...span);
    expect(output).toMatch(/127\.0\.0\.1:1/);
    expect(status).toBe(4);
  });
});

describe("telemetryd rejected", () => {
  /** The first three samples of two series, which the receiver refuses. */
  const isBad = (ms: number, n: string | undefined) => n !== "2" && ms < baseMs + 3 * 15_000;
  const holdsBad = ({ series }: ReceivedRequest) =>
    series.some(({ labels, samples }) => {
      const n = labels.find(({ name }) => name === "n")?.value;
      return samples.some(({ timestampMs }) => isBad(Number(timestampMs), n));
    });

  async function rejecting(): Promise<RunningDaemon> {
    receiver.respond((request) => (holdsBad(request) ? { status: 400, body: "no" } : undefined));
    const running = await daemon();
    await until("six samples were rejected", async () => {
      const { policies } = await running.status(forever);
      const { delivered = 0, rejected = 0 } = policies[0]?.sinks[0] ?? {};
      return rejected === 6 && delivered === source.size - 6;
    });
    return running;
  }

  async function entries(...args: string[]): Promise<{ id: string; sampleCount: number; status: number }[]> {
    const { output } = await call("rejected", "list", "--entries", "--output", "json", ...args);
    return JSON.parse(output) as { id: string; sampleCount: number; status: number }[];
  }

  test("with a configuration: list, show, replay, delete in the folder", async () => {
    const running = await rejecting();
    const config = ["--config", "telemetryd.yaml"];
    const kept = await entries(...config);
    expect(kept.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(6);
    expect(kept[0]?.status).toBe(400);
    // Neither command asks the daemon.
    running.child.signal("SIGTERM");
    await running.child.exited;
    const [first, second, ...rest] = kept.map(({ id }) => id);

    const shown = await call("rejected", "show", ...config, first ?? "");
    expect(shown.output).toMatch(/Response:.*400/);
    expect(shown.output).toContain('__name__="cli_test"');

    expect((await call("rejected", "delete", ...config, second ?? "")).status).toBe(0);

    receiver.respond(() => undefined);
    const replayed = await call("rejected", "replay", ...config, first ?? "", ...rest);
    expect(replayed.output).toMatch(/out of order[\s\S]*delivered \d+ samples/);
    expect(replayed.status).toBe(0);
    const after = await call("rejected", "list", ...config);
    expect(after.output).toBe("Nothing was rejected.\n");
  });

  test("the documents' commands, as printed, through the running daemon", async () => {
    const documents = [
      "docs/receivers.md",
      ...["dropped", "rejected"].map((name) => `docs/runbooks/samples-${name}.md`),
    ];
    const printed = documents.flatMap((document) =>
      snippetsOf(document).flatMap(({ text }) => text.match(/^telemetryd rejected .*$/gm) ?? []),
    );
    expect(printed.length).toBeGreaterThanOrEqual(8);
    await rejecting();
    receiver.respond(() => undefined);
    for (const line of printed) {
      const [oldest] = await entries();
      const args = line
        .replace("telemetryd ", "")
        .replace("ID", oldest?.id ?? "none left")
        .split(" ");
      const { status, output } = await call(...args);
      expect(status, `${line}: ${output}`).toBe(0);
      switch (args[1]) {
        case "list":
          expect(output).toMatch(/^SINK .*\ndefault\/export\/receiver +\d+ +\d+ .* 400 "no"\n$/);
          break;
        case "show":
          expect(output).toContain('Example:   {__name__="cli_test"');
          break;
        default:
          expect(output).toMatch(args[1] === "replay" ? /delivered \d+ samples?\n$/ : / deleted\n$/);
          expect((await entries()).map(({ id }) => id)).not.toContain(oldest?.id);
      }
    }
    const unknown = await call("rejected", "delete", "7");
    expect(unknown.output).toContain('there is no rejected entry "7"');
    expect(unknown.status).toBe(2);
  });

  test("a sink's entries are replayed and deleted; nobody else's request does that", async () => {
    const running = await rejecting();
    const sink = ["--sink", "default/export/receiver"];
    const path = `${running.opsUrl}/api/v1/rejected`;
    const [{ id } = { id: "" }] = await entries();
    for (const headers of [{}, { "x-telemetryd-command": "1", origin: "http://evil.example" }]) {
      for (const [method, url] of [
        ["POST", `${path}/${id}/replay`],
        ["DELETE", `${path}/${id}`],
      ] as const) {
        expect((await fetch(url, { method, headers })).status).toBe(403);
      }
    }
    const count = (await entries()).length;
    const failed = await call("rejected", "replay", ...sink);
    expect(failed.output).toMatch(/ not delivered: 400 "no"\n/);
    expect(failed.output).toContain(`${count} of ${count} entries were not delivered`);
    expect(failed.status).toBe(5);
    expect(await entries()).toHaveLength(count);

    const none = await call("rejected", "delete", "--sink", "default/export/other");
    expect(none.output).toContain("no rejected entry of the sink default/export/other is selected");
    expect(none.status).toBe(2);
    expect((await call("rejected", "delete")).output).toContain("give ids, or --sink");

    receiver.respond(() => undefined);
    const replayed = await call("rejected", "replay", ...sink, "--reason", "NO", "--since", "1h");
    expect(replayed.status).toBe(0);
    expect(holdsAll()).toBe(true);
    expect((await call("rejected", "list")).output).toBe("Nothing was rejected.\n");
  });

  test("without a daemon", async () => {
    const { status, output } = await call("rejected", "list");
    expect(output).toMatch(/no telemetryd responds at http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED/);
    expect(status).toBe(4);
  });
});

describe("telemetryd tap", () => {
  const sink = "default/export/receiver";

  test("shows what a sink sends from then on, until Ctrl-C", async () => {
    receiver.respond(() => ({ status: 503 }));
    await daemon();
    await until("requests fail", () => receiver.requests.length > 0);
    const text = await start("tap", sink, 'cli_test{n="1"}', "--rate", "0");
    const json = await start("tap", sink, "--rate", "0", "--output", "json");
    for (const child of [text, json]) {
      await until("it is connected", () => child.log().includes(`showing what ${sink} sends`));
    }
    await until("it shows a failure", () => text.log().includes("503"));
    receiver.respond(() => undefined);
    await until("all samples are delivered", holdsAll);
    const shown = () =>
      text
        .log()
        .split("\n")
        .filter((line) => line.includes("cli_test{"));
    const [, { samples } = { samples: [] }] = written;
    const lines = samples.map(
      ({ timestampMs, value }) => `${new Date(timestampMs).toISOString()} cli_test{n="1"} ${value}`,
    );
    await until("it shows the series", () => lines.every((line) => shown().includes(line)));
    expect(new Set(shown())).toEqual(new Set(lines));
    await until("JSON has all samples", () => {
      const printed = json
        .log()
        .split("\n")
        .filter((line) => line.startsWith("{"));
      const objects = printed.map((line) => JSON.parse(line) as { readonly outcome: string });
      return objects.filter(({ outcome }) => outcome === "delivered").length === source.size;
    });
    text.signal("SIGINT");
    expect((await text.exited).code).toBe(0);
  });

  test.each([
    [["default/export/other"], 2, "default/export/other: this daemon runs no such sink; telemetryd status"],
    [[sink, "up{"], 2, "up{:"],
    [[sink, "rate(up[5m])"], 2, "rate(up[5m]) is no series selector"],
    [[sink, "--rate", "many"], 2, "whole number"],
  ])("tap %j exits with %d", async (args, status, text) => {
    await daemon();
    const { output, status: exited } = await call("tap", ...args);
    expect(output).toContain(text);
    expect(exited).toBe(status);
  });

  test("without a daemon", async () => {
    const { status, output } = await call("tap", sink);
    expect(output).toContain("no telemetryd responds at");
    expect(status).toBe(4);
  });
});
