import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findGo } from "../../scripts/servers/go.ts";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { RotatedFile } from "../../src/base/log/rotated-file.ts";
import { startOracle } from "../../test/fidelity/oracle/oracle.ts";
import { projectApi } from "../../test/fidelity/platform-api.ts";
import { projectBase, startTestPlatform } from "../../test/support/plane/platform.ts";

/** An API server with the kind ExportPolicy, in a process of its own. */
export interface ApiServer {
  readonly name: string;
  /** Of the control plane. */
  readonly url: string;
  /** Sent with each request; a real API server without authentication ignores it. */
  readonly bearer: string;
  readonly pid: number;
  stop(): Promise<void>;
}

if (process.argv[2] === "platform" && process.send !== undefined) await servePlatform();

/** The platform, without the limit of a token's requests, and with an audit log if it is to have one. */
export async function startPlatformServer(audit: "audited" | "" = ""): Promise<ApiServer> {
  const child = fork(fileURLToPath(import.meta.url), ["platform", audit], { execArgv: process.execArgv });
  const { url, bearer } = await started(child);
  return {
    ...{ name: "telemetryd", url, bearer, pid: child.pid ?? 0 },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.send("stop");
      await ended;
    },
  };
}

/** @returns undefined where Go is not installed, which builds it */
export async function startKubernetesServer(): Promise<ApiServer | undefined> {
  if ((await findGo()) === undefined) return undefined;
  const { url, pid, stop } = await startOracle(new AbortController().signal);
  return { name: "apiextensions-apiserver", url, bearer: "none", pid, stop };
}

function started(child: ChildProcess): Promise<Pick<ApiServer, "url" | "bearer">> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Pick<ApiServer, "url" | "bearer">));
    child.once("exit", (code) => reject(new Error(`the platform ended with ${code}`)));
  });
}

async function servePlatform(): Promise<void> {
  const limits = { requestsPerSecondPerToken: 1e6 };
  const quotas = { organization: {}, project: {} };
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-audit-"));
  const path = join(folder, "audit.log");
  const file = new RotatedFile({
    ...{ path, maxBytes: 100 * 2 ** 20, maxFiles: 5, clock: systemClock, log: silentLogger },
  });
  const end = new AbortController();
  const written = file.run(end.signal);
  const audit = (line: string) => file.add(line);
  const platform = await startTestPlatform({
    ...{ limits, quotas },
    ...(process.argv[3] === "audited" ? { audit } : {}),
  });
  await projectApi(platform, "bench");
  process.once("message", async () => {
    await platform.stop();
    end.abort();
    await written;
    await rm(folder, { recursive: true });
    process.disconnect();
  });
  const bearer = await platform.exchange(platform.token);
  process.send?.({ url: `${platform.url}${projectBase("bench")}`, bearer });
}
