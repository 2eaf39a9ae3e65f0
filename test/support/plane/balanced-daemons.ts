import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, projectRoot } from "../../../scripts/daemon/build.ts";
import type { RunningDaemon } from "../../../scripts/daemon/daemon.ts";
import { startChild } from "../../../scripts/servers/child.ts";
import { endDaemon, spawnDaemon } from "../daemon/spawned-daemon.ts";
import { createAuthority } from "../net/certificates.ts";
import { findServers, freePort } from "../servers.ts";
import { until } from "../until.ts";
import { groupDomain, httpsRequest } from "./platform.ts";

/** Daemons of one platform behind a load balancer. */
export interface BalancedDaemons {
  /** Of the load balancer. */
  readonly url: string;
  /** Of each daemon. */
  readonly urls: readonly string[];
  /** Starts a daemon that has ended; resolves when it is ready. `cli`: another build's. */
  start(index: number, cli?: string): Promise<void>;
  /** @throws unless it exits cleanly */
  end(index: number): Promise<void>;
  kill(index: number): Promise<void>;
  /** Sends a signal to all. */
  signal(name: NodeJS.Signals): void;
  /** Stops all. */
  stop(): Promise<void>;
}

/** Its example is the configuration of the load balancer. */
const hosting = join(projectRoot, "docs/hosting-the-platform.md");

/**
 * Starts daemons with one Redis and one certificate behind an HAProxy that passes TLS through, as
 * docs/hosting-the-platform.md describes it.
 *
 * @param cli another build's `cli.js`
 */
export async function startBalancedDaemons(
  redisUrl: string,
  count: number,
  cli?: string,
): Promise<BalancedDaemons> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-balanced-"));
  const tls = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  const { cert, key } = createAuthority().issue();
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key);
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  const urls = ports.map((port) => `https://127.0.0.1:${port}`);
  const daemons: RunningDaemon[] = [];
  const isReady = (url: string): Promise<boolean> =>
    httpsRequest(`${url}/readyz`).then(
      ({ code }) => code === 200,
      () => false,
    );
  const start = async (index: number, other?: string): Promise<void> => {
    const directory = join(folder, `daemon-${index}`);
    daemons[index] = await spawnDaemon({
      directory,
      config: {
        platform: { listen: `127.0.0.1:${ports[index]}`, groupDomain, tls },
        redis: { url: redisUrl },
        state: { directory: join(directory, "state") },
      },
      cli: other,
    });
    await until("it is ready", () => isReady(urls[index] ?? ""));
  };
  // Before they start: several at once would build into the same folder.
  if (cli === undefined) await ensureBuilt(new AbortController().signal, () => undefined);
  await Promise.all(ports.map((_, index) => start(index, cli)));
  const port = await freePort();
  const config = join(folder, "haproxy.cfg");
  const documented = /^listen platform\n(?: .*\n)+/m.exec(await readFile(hosting, "utf8"))?.[0] ?? "";
  const lines = documented.split("\n").filter((line) => !line.startsWith("  server "));
  const servers = ports.map((each, index) => `  server d${index} 127.0.0.1:${each}\n`);
  await writeFile(
    config,
    lines.join("\n").replace("bind :8443", `bind 127.0.0.1:${port}`) + servers.join(""),
  );
  const { haproxy } = await findServers(["haproxy"]);
  const balancer = await startChild({ name: "haproxy", program: haproxy.path, args: ["-f", config] });
  const url = `https://127.0.0.1:${port}`;
  await until("the load balancer has a server", () => isReady(url));
  return {
    url,
    urls,
    start,
    end: (index) => endDaemon(daemons[index] as RunningDaemon),
    kill: async (index) => void (await daemons[index]?.child.kill()),
    signal(name) {
      for (const { child } of daemons) child.signal(name);
    },
    async stop() {
      await balancer.stop(5_000);
      for (const daemon of daemons) await endDaemon(daemon);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
