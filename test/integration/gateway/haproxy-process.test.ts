import "../../support/leak-check.ts";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/base/core/clock.ts";
import { daemonFolders } from "../../../src/base/core/program-file.ts";
import { createLogger } from "../../../src/base/log/log.ts";
import { createHaproxy, type Haproxy } from "../../../src/platform/gateway/haproxy/haproxy-process.ts";
import { findServers, freePort } from "../../support/servers.ts";
import { until } from "../../support/until.ts";

/** HAProxy as a child of the daemon: started, found again, refused, ended. */

let directory: string;
let port: number;
let binary: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-haproxy-"));
  port = await freePort();
  binary = (await findServers(["haproxy"])).haproxy.path;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

const filesIn = () => ({
  configuration: join(directory, "haproxy.cfg"),
  masterSocket: join(directory, "master.sock"),
  workerSocket: join(directory, "worker.sock"),
});

function haproxy(program = binary): Haproxy {
  const log = createLogger("error", { write: () => true }, false);
  return createHaproxy({
    binary: program,
    files: filesIn(),
    clock: systemClock,
    log,
    onLogLine: () => undefined,
  });
}

async function configure(text: string): Promise<void> {
  const lines = [
    "global",
    `  stats socket ${filesIn().workerSocket} mode 600 level admin expose-fd listeners`,
    "defaults",
    ...["  mode http", "  timeout connect 1s", "  timeout client 1h", "  timeout server 1s"],
    "frontend gateway",
    ...[
      `  bind 127.0.0.1:${port}`,
      "  http-request wait-for-body time 1h",
      `  http-request return status 200 content-type text/plain string ${text}`,
    ],
  ];
  await writeFile(filesIn().configuration, `${lines.join("\n")}\n`);
}

const page = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${port}/`)).text();
const masterOf = async (child: Haproxy): Promise<string | undefined> =>
  /^(\d+)\s+master/m.exec(await child.askMaster("show proc"))?.[1];

/** SIGSTOP does not wait: until then, a worker may still respond. */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = threads.map(async (id) => await readFile(`/proc/${pid}/task/${id}/stat`, "utf8"));
  return (await Promise.all(states)).every((state) => /\) T /.test(state));
}

/** A client that never ends its request. */
async function hangingClient(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
  return socket;
}

test("a killed daemon's HAProxy is taken over, with the configuration of the next one", async () => {
  await configure("first");
  const killed = haproxy();
  await killed.start(signal);
  expect(await page()).toBe("first");
  const master = await masterOf(killed);

  await configure("second");
  const next = haproxy();
  await next.start(signal);
  expect([await page(), await masterOf(next)]).toEqual(["second", master]);
  await configure("third");
  await next.reload(signal);
  expect(await page()).toBe("third");
  expect((await next.askAll("show info")).size).toBeGreaterThan(0);
  await next.stop(5_000);
  await expect(page()).rejects.toThrow();
  expect(killed.ended()).toBeDefined();
});

test("one that ends by itself says so, and is started again", async () => {
  await configure("up");
  const child = haproxy();
  await child.start(signal);
  process.kill(Number(await masterOf(child)), "SIGKILL");
  for (let waits = 0; child.ended() === undefined && waits < 500; waits++)
    await systemClock.sleep(10, signal);
  expect(child.ended()).toContain("SIGKILL");
  await child.start(signal);
  expect(await page()).toBe("up");
  await child.stop(5_000);
});

describe("while a request is waited for", () => {
  const isRefused = async (): Promise<boolean> =>
    await page().then(
      () => false,
      () => true,
    );

  test("a second Ctrl-C ends HAProxy with the daemon", async () => {
    await configure("up");
    const child = haproxy();
    const others = new Set(process.listeners("exit"));
    await child.start(signal);
    const atExit = process.listeners("exit").find((each) => !others.has(each));
    const client = await hangingClient();
    const stopped = child.stop(150_000);
    await until("it accepts no more", isRefused);
    expect(process.listeners("exit")).toContain(atExit);
    atExit?.(0);
    await stopped;
    expect(child.ended()).toBeDefined();
    expect(process.listeners("exit")).not.toContain(atExit);
    client.destroy();
  });

  test("a stop in the middle of a reload is no slower", async () => {
    await configure("up");
    const child = haproxy();
    await child.start(signal);
    const client = await hangingClient();
    await child.askMaster("reload");
    const stopped = child.stop(150_000);
    await until("it accepts no more", isRefused);
    client.destroy();
    await stopped;
    expect(child.ended()).toBeDefined();
  });
});

test("what is wrong with a configuration is reported with its line", async () => {
  await configure("up\n  nonsense\n  http-request set-header");
  const outcome = await haproxy().check(filesIn().configuration, signal);
  const complaints = outcome.kind === "refused" ? outcome.complaints : [];
  expect(complaints.map(({ line }) => line).slice(0, 2)).toEqual([12, 13]);
  expect(complaints[0]?.message).toContain("nonsense");
});

test("a check has limits of processor time and memory", async () => {
  await configure("up");
  // Stand-ins: a configuration that takes so long or so much depends on the machine and HAProxy's version.
  const programs = {
    "busy.sh": "while :; do :; done",
    "large.sh": "exec dd if=/dev/zero of=/dev/null bs=2G count=1",
  };
  for (const [name, script] of Object.entries(programs)) {
    const path = join(directory, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const check = () => haproxy(path).check(filesIn().configuration, signal);
    let outcome = await check();
    // Beside much other work the limit of waiting may come first.
    while (outcome.kind === "late") outcome = await check();
    expect([name, outcome]).toEqual([name, { kind: "exceeded" }]);
  }
});

test("a port that is taken, and a HAProxy that is not installed, are named", async () => {
  await configure("up");
  const other = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  await expect(haproxy().start(signal)).rejects.toThrow(`[127.0.0.1:${port}]`);
  other.close();
  await expect(haproxy("no-such-haproxy").check(filesIn().configuration, signal)).rejects.toThrow(
    /haproxy is not installed\. Install it \(Debian, Ubuntu: apt-get install haproxy/,
  );
});

test("it is found in the folders of daemons, which are not on every user's PATH", async ({ skip }) => {
  if (!daemonFolders.includes(dirname(binary))) skip("HAProxy is not installed in the system");
  await configure("up");
  vi.stubEnv("PATH", directory);
  const child = haproxy("haproxy");
  expect(await child.check(filesIn().configuration, signal)).toEqual({ kind: "accepted" });
  await child.start(signal);
  expect(await page()).toBe("up");
  await child.stop(5_000);
});

test("an earlier worker that does not respond gets one command, the others get all", async () => {
  const given: string[] = [];
  const workers = ["11 worker 1 0d00h00m00s 2.6", "# old workers", "12 worker 2 0d00h00m00s 2.6"];
  const processes = ["10 master 0 0d00h00m00s 2.6", "# workers", ...workers, "13 worker 2 0d00h00m00s 2.6"];
  const open = new Set<Socket>();
  const master = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("data", (data) => {
      const command = data.toString().trim();
      if (command === "show proc") socket.end(`${processes.join("\n")}\n`);
      else given.push(command);
      if (command.startsWith("@!13")) socket.end("\n");
    });
  });
  await new Promise<void>((resolve) => master.listen(filesIn().masterSocket, resolve));
  await haproxy().askLeaving(["del map hosts a", "del map hosts b", "del map hosts c"]);
  expect(given.toSorted()).toEqual([
    "@!12 del map hosts a",
    "@!13 del map hosts a",
    "@!13 del map hosts b",
    "@!13 del map hosts c",
  ]);
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => master.close(resolve));
});

test("a master that responds to nothing reloads all the same, and responds again", async () => {
  await configure("first");
  const child = haproxy();
  await child.start(signal);
  const kept = await hangingClient();
  // A worker without a request ends soon, and its master knows.
  await until("the request has begun", async () => (await child.ask("show sess")).includes(" fe=gateway "));
  const worker = Number(/^(\d+)\s+worker/m.exec(await child.askMaster("show proc"))?.[1]);
  await child.reload(signal);
  process.kill(worker, "SIGSTOP");
  await until("each of its threads has stopped", () => isStopped(worker));
  // HAProxy 2.6 takes ten connections on its master's socket.
  const commands = Array.from({ length: 12 }, () =>
    connect(filesIn().masterSocket, function (this: Socket) {
      this.end(`@!${worker} show info\n`);
    }).on("error", () => undefined),
  );
  try {
    await until("the master responds to nothing", async () => {
      await child.askAll("show info").catch(() => undefined);
      return child.isSilent();
    });
    await configure("second");
    await child.reload(signal);
    expect(await page()).toBe("second");
    expect([...(await child.askAll("show info")).keys()]).toContain(worker);
    expect(child.isSilent()).toBe(false);
  } finally {
    process.kill(worker, "SIGCONT");
    for (const command of commands) command.destroy();
    kept.destroy();
    await child.stop(5_000);
  }
});
