import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findGo } from "../../scripts/servers/go.ts";
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

/** The platform, without the limit of a token's requests. */
export async function startPlatformServer(): Promise<ApiServer> {
  const child = fork(fileURLToPath(import.meta.url), ["platform"], { execArgv: process.execArgv });
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
  const platform = await startTestPlatform({ limits, quotas });
  await projectApi(platform, "bench");
  process.once("message", () => void platform.stop().then(() => process.disconnect()));
  const bearer = await platform.exchange(platform.token);
  process.send?.({ url: `${platform.url}${projectBase("bench")}`, bearer });
}
