import { type ConfigSources, loadConfig } from "./config/load.ts";
import type { Config } from "./config/schema.ts";
import { systemClock } from "./core/clock.ts";
import { describeError } from "./core/errors.ts";
import { printFaults } from "./core/fault.ts";
import { createLogger, type LineSink, type Logger } from "./core/log.ts";
import { version } from "./core/version.ts";
import { tendHeap } from "./daemon/heap-tending.ts";
import { runDaemon } from "./main.ts";
import { createProcessRegistry } from "./ops/process-metrics.ts";

export interface RunOptions {
  readonly sources: ConfigSources;
  readonly out: LineSink & { readonly isTTY?: boolean };
  /** Calls the listener whenever the configuration is to be read again (SIGHUP). @returns ends that */
  onReload(listener: () => void): () => void;
}

/** After `delivery.shutdownTimeout` the daemon is given up. */
const shutdownReserveMs = 500;

/**
 * `telemetryd run`: the daemon until the signal aborts. On a reload the new configuration is checked first; with a fault in
 * it the daemon goes on as it is, otherwise it drains and starts anew in this process.
 *
 * @throws TelemetrydError for a configuration or a system under which it cannot run
 */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const tending = tendHeap(systemClock, ended.signal);
  try {
    await runAndReload(options, signal);
  } finally {
    ended.abort();
    await tending;
  }
}

async function runAndReload(options: RunOptions, signal: AbortSignal): Promise<void> {
  const processRegistry = createProcessRegistry(version);
  let config = (await loadAndWarn(options, signal)).config;
  while (!signal.aborted) {
    const log = loggerFor(config, options);
    const current = new AbortController();
    let next: Config | undefined;
    const end = () => current.abort();
    signal.addEventListener("abort", end);
    const unsubscribe = options.onReload(() => {
      log.info("reading the configuration again");
      loadAndWarn(options, signal).then(
        (loaded) => {
          next = loaded.config;
          end();
        },
        (error: unknown) =>
          log.error(
            { error: describeError(error) },
            "the new configuration cannot be used; everything goes on with the old one",
          ),
      );
    });
    try {
      const deps = { clock: systemClock, log, processRegistry };
      await endsInTime(runDaemon(config, deps, current.signal), config, current.signal, log);
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", end);
    }
    if (next === undefined) return;
    config = next;
  }
}

async function loadAndWarn(options: RunOptions, signal: AbortSignal): Promise<{ config: Config }> {
  const { config, warnings } = await loadConfig(options.sources, signal);
  if (warnings.length > 0) loggerFor(config, options).warn(printFaults(warnings));
  return { config };
}

function loggerFor(config: Config, { out }: RunOptions): Logger {
  return createLogger(config.log.level, out, out.isTTY === true);
}

/** Waits for the daemon, but not beyond its shutdown timeout: whatever hangs then must not hold a restart up. */
async function endsInTime(
  running: Promise<void>,
  config: Config,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    const start = () => {
      timer = setTimeout(
        () => {
          log.error("telemetryd did not stop within delivery.shutdownTimeout and is ended as it is");
          resolve();
        },
        config.delivery.shutdownTimeoutMs -
          Math.min(shutdownReserveMs, config.delivery.shutdownTimeoutMs / 10),
      );
    };
    if (signal.aborted) start();
    else signal.addEventListener("abort", start, { once: true });
  });
  try {
    await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
