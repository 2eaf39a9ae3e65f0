import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../test/support/plane/platform.ts";
import { sendCosts } from "./support/costly-requests.ts";
import { printVerdicts, type Verdict } from "./support/verdict.ts";

/**
 * The longest time that one request blocks the platform's event loop, for the most expensive requests that
 * its limits allow: all other requests wait meanwhile. The third run in a process counts, when the code is
 * compiled.
 *
 * Exits 1 when a target is missed.
 */
if (process.argv[2] === "server") await serve();
else process.exitCode = await main();

async function main(): Promise<number> {
  const server = fork(fileURLToPath(import.meta.url), ["server"]);
  try {
    const { url, bearer } = (await messageFrom(server)) as { url: string; bearer: string };
    const only = process.argv[2] ?? "";
    const verdicts: Verdict[] = [];
    const table: Record<string, object> = {};
    for await (const { name, atMostMs, runs, code, bytes } of sendCosts(url, bearer, only, (work) =>
      holdDuring(server, work),
    )) {
      const held = runs.map(Math.round);
      table[name] = { kB: Math.round(bytes / 1_000), code, "held ms": held.join(" ") };
      verdicts.push({ what: name, figure: runs.at(-1) ?? 0, unit: "ms", atMost: atMostMs });
    }
    console.table(table);
    return printVerdicts(verdicts);
  } finally {
    server.kill();
  }
}

/** The longest interval between two turns of the server's event loop while `work` runs, ms. */
async function holdDuring(server: ChildProcess, work: () => Promise<void>): Promise<number> {
  server.send("watch");
  await messageFrom(server);
  await work();
  server.send("stop");
  return (await messageFrom(server)) as number;
}

function messageFrom(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    child.once("exit", end);
    child.once("message", (message) => {
      child.off("exit", end);
      resolve(message);
    });
  });
}

async function serve(): Promise<void> {
  const platform = await startTestPlatform();
  const bearer = await platform.exchange(platform.token);
  await createProject(platform, bearer);
  let isWatched = false;
  let longestMs = 0;
  const watch = (beforeMs: number): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    if (isWatched) setImmediate(watch, nowMs);
  };
  process.on("message", (message) => {
    isWatched = message === "watch";
    if (isWatched) {
      longestMs = 0;
      watch(performance.now());
      process.send?.("watching");
    } else process.send?.(longestMs);
  });
  process.once("SIGTERM", () => void platform.stop().then(() => process.exit(0)));
  process.send?.({ url: `${platform.url}${projectBase("web")}`, bearer });
}

async function createProject(platform: TestPlatform, bearer: string): Promise<void> {
  const group = "resourcemanager.platformapis/v1alpha";
  const projects = `${organizationBase("acme")}/apis/${group}/projects`;
  const body = { apiVersion: group, kind: "Project", metadata: { name: "web" } };
  await platform.fetch(projects, { method: "POST", bearer, body });
  for (let isReady = false; !isReady; ) {
    const { json } = await platform.fetch(`${projects}/web`, { bearer });
    isReady = json.status?.conditions?.[0]?.status === "True";
  }
}
