import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { isRunning } from "../../scripts/servers/process-table.ts";
import {
  freePort,
  type RunningServer,
  startPrometheus,
  startRedis,
  startVictoriaMetrics,
} from "../support/servers.ts";

const starters: [string, () => Promise<RunningServer>][] = [
  ["VictoriaMetrics", () => startVictoriaMetrics()],
  ["Prometheus", () => startPrometheus({ outOfOrderWindow: "1h" })],
  ["a Prometheus agent", () => startPrometheus({ agent: true, remoteWriteReceiver: false })],
  ["Redis", () => startRedis({ persistent: true })],
];

it.each(starters)(
  "%s starts, restarts on its port with its data, and leaves nothing",
  async (_name, start) => {
    const server = await start();
    const first = server.pid;
    expect(isRunning(first)).toBe(true);
    const { url } = server;
    await server.kill();
    expect(isRunning(first)).toBe(false);
    expect(existsSync(server.dataDir)).toBe(true);
    await server.restart();
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(first);
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    expect(isRunning(server.pid)).toBe(false);
    expect(existsSync(server.dataDir)).toBe(false);
  },
);

it("says what the server said when it does not start", async () => {
  await expect(startPrometheus({ scrapeConfig: "scrape_configs: nonsense\n" })).rejects.toThrow(
    /^prometheus: ended while it started \(exit status \d+\); the end of its log:\n(.*\n)*.*nonsense/,
  );
});

it("does not take another server on the same port for its own", async () => {
  const port = await freePort();
  await using first = await startVictoriaMetrics({ port });
  await expect(startVictoriaMetrics({ port })).rejects.toThrow(`port ${port}: address already in use`);
  expect(isRunning(first.pid)).toBe(true);
});
