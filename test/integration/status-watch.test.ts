import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import type { DaemonStatus } from "../../src/exporter/policy/status/status-view.ts";
import { busyDaemon } from "../support/daemon/daemon-status.ts";
import { freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** `telemetryd status --watch` as a process: on a terminal (of util-linux's script), and in a pipe. */

const hasScript = (() => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
})();

const enter = "\u001b[?1049h";
const leave = "\u001b[?1049l";

let port: number;
let status: DaemonStatus;
let server: Server | undefined;
let child: ChildProcess;
let out: string;
let err: string;

beforeAll(() => ensureBuilt(new AbortController().signal, () => undefined).then(() => undefined), 240_000);
beforeEach(async () => {
  status = busyDaemon(5, Date.now());
  port = await freePort();
  await listen();
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  await close();
});

async function listen(): Promise<void> {
  server = createServer((_, response) => response.end(JSON.stringify(status))).listen(port, "127.0.0.1");
  await once(server, "listening");
}

async function close(): Promise<void> {
  if (server?.listening !== true) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function start(program: string, args: readonly string[]): void {
  out = "";
  err = "";
  child = spawn(program, args, { env: { ...process.env, TERM: "xterm" } });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
}

const watchArgs = () => ["status", "--watch", "--interval", "500ms", "--address", `127.0.0.1:${port}`];

/** Waits for the end. @returns the exit status */
async function exitStatus(): Promise<number | null> {
  if (child.exitCode === null) await once(child, "close");
  return child.exitCode;
}

/** Whether a text is among what was written since a length of the output. */
const shows = (text: string, since = 0) => until(`it shows ${text}`, () => out.slice(since).includes(text));

describe.runIf(hasScript)("on a terminal", () => {
  /** Runs it on a terminal of that size; `--return` passes on the exit status. */
  function startOnTerminal(columns: number, rows: number, beside = ":"): void {
    const command = [process.execPath, builtCli, ...watchArgs()].map((word) => `'${word}'`).join(" ");
    const sized = `stty cols ${columns} rows ${rows}; (${beside}) & exec ${command}`;
    start("script", ["--quiet", "--return", "--flush", "--command", sized, "/dev/null"]);
  }

  test("a live table that outlives the daemon; Ctrl-C restores the terminal", async () => {
    startOnTerminal(90, 20);
    await shows("payments-metrics");
    expect(out.startsWith(enter)).toBe(true);

    await close();
    await shows("No refresh for ");
    const afterFailure = out.length;
    await shows("payments-metrics", afterFailure);

    status = { ...busyDaemon(1, Date.now()), version: "9.9.9\u001b]0;evil\u0007" };
    await listen();
    await shows("telemetryd 9.9.9\uFFFD]0;evil\uFFFD at ");

    child.stdin?.write("\u0003");
    expect(await exitStatus()).toBe(130);
    expect(out.split(enter)).toHaveLength(2);
    expect(out.slice(out.indexOf(leave))).toBe(leave);
    expect(out).not.toContain("\u0007");
  });

  test("it follows a resize: lines and rows that do not fit are cut", async () => {
    const folder = await mkdtemp(join(tmpdir(), "telemetryd-watch-"));
    const isTime = join(folder, "now");
    const resize = `until [ -e ${isTime} ]; do sleep 0.1; done; stty cols 40 rows 6 < /dev/tty`;
    startOnTerminal(90, 20, resize);
    await shows("payments-metrics");
    expect(out).not.toContain(" more");
    await writeFile(isTime, "");
    await shows("… 4 more");
    await rm(folder, { recursive: true });
    // What follows the last redraw at the old size.
    const redraws = out.split("\u001b[H");
    const small = redraws.slice(redraws.findIndex((each) => each.includes("… 4 more"))).join("");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor is moved by them
    const lines = small.split(/\u001b\[[?\d]*[A-Za-z]|\r+\n/);
    expect(lines.join("\n")).toMatch(/^POLICY +SINK/m);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  });
});

describe("in a pipe", () => {
  test("a line for each change, without escape sequences", async () => {
    start(process.execPath, [builtCli, ...watchArgs()]);
    await shows("payments-metrics");
    const before = out.length;
    const [first, ...rest] = status.policies;
    const sinks = first?.sinks.map((sink) => ({ ...sink, rejected: 4_711 })) ?? [];
    status = { ...status, policies: [{ ...first!, sinks }, ...rest] };
    await shows("4,711", before);
    expect(out.slice(before).trimEnd().split("\n")).toHaveLength(sinks.length);
    await close();
    await until("it warns", () => err.includes("; trying again\n"));
    child.kill("SIGINT");
    expect(await exitStatus()).toBe(130);
    expect(out).not.toContain("\u001b");
  });

  test("JSON documents, one per line", async () => {
    start(process.execPath, [builtCli, ...watchArgs(), "--output", "json"]);
    await shows("\n");
    const before = out.length;
    status = { ...status, version: "9.9.9" };
    await shows("\n", before);
    const documents = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as DaemonStatus);
    expect(documents.map(({ version }) => version)).toEqual(["0.1.0", "9.9.9"]);
    child.kill("SIGTERM");
    expect(await exitStatus()).toBe(143);
  });

  test("an interval out of bounds is refused", async () => {
    start(process.execPath, [builtCli, ...watchArgs(), "--interval", "1ms"]);
    expect(await exitStatus()).toBe(2);
    expect(err).toContain("It must be a duration from 500ms to 1h, such as 5s.");
  });
});
