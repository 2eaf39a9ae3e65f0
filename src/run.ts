import { basename } from "node:path";
import { type ConfigSources, loadConfig } from "./app/config/load.ts";
import type { Config } from "./app/config/schema.ts";
import { createProcessRegistry } from "./app/ops/process-metrics.ts";
import { ReloadMetrics } from "./app/ops/reload-metrics.ts";
import { systemClock } from "./base/core/clock.ts";
import { describeError, TelemetrydError } from "./base/core/errors.ts";
import { printFaults } from "./base/core/fault.ts";
import { withLimit } from "./base/core/signals.ts";
import { version } from "./base/core/version.ts";
import { createLogger, type LineSink, type Logger } from "./base/log/log.ts";
import { runDaemon } from "./main.ts";

export interface RunOptions {
  readonly sources: ConfigSources;
  readonly out: LineSink & { readonly isTTY?: boolean };
  /**
   * Calls the listener whenever the configuration should be reloaded (SIGHUP). @returns a function that
   * unsubscribes
   */
  onReload(listener: () => void): () => void;
  /**
   * Calls the listener with each warning of Node.js, which are lines on the standard error output otherwise.
   *
   * @returns a function that unsubscribes
   */
  onWarning(listener: (warning: Error) => void): () => void;
}

/** The wait for the daemon ends this long before `delivery.shutdownTimeout` is over. */
const shutdownReserveMs = 500;

/**
 * Limit after the shutdown timeout, at which everything is aborted; a daemon that outlasts it is at fault.
 */
const lettingGoMs = 30_000;

/**
 * `telemetryd run`: runs the daemon until the signal aborts. A reload first validates the new configuration.
 * With a fault, the daemon continues unchanged; otherwise it drains and restarts within this process.
 *
 * @throws TelemetrydError for a configuration or a system under which it cannot run
 */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const processRegistry = createProcessRegistry(version);
  const reloads = new ReloadMetrics(processRegistry);
  let config = (await loadAndWarn(options, signal)).config;
  reloads.succeeded(systemClock.nowMs());
  while (!signal.aborted) {
    const log = loggerFor(config, options);
    const current = new AbortController();
    let next: Config | undefined;
    const end = () => current.abort();
    signal.addEventListener("abort", end);
    const unsubscribeWarnings = options.onWarning((warning) =>
      log.warn({ warning: warning.name, error: warning.message }, "a warning of Node.js"),
    );
    const unsubscribe = options.onReload(() => {
      log.info("reading the configuration again");
      loadAndWarn(options, signal).then(
        (loaded) => {
          reloads.succeeded(systemClock.nowMs());
          next = loaded.config;
          end();
        },
        (error: unknown) => {
          reloads.failed(basename(options.sources.file));
          log.error(
            { error: describeError(error) },
            "the new configuration is invalid; the old one stays in effect",
          );
        },
      );
    });
    try {
      const configurationProblem = () => reloads.problem();
      const deps = { clock: systemClock, log, processRegistry, configurationProblem };
      const running = runDaemon(config, deps, current.signal);
      const hasEnded = await endsInTime(running, config, current.signal, log);
      // The next daemon needs the same state directory and addresses: two must not run at once.
      if (!hasEnded && !signal.aborted) await letsGo(running, signal);
    } finally {
      unsubscribe();
      unsubscribeWarnings();
      signal.removeEventListener("abort", end);
    }
    if (next === undefined || signal.aborted) return;
    config = next;
  }
}

async function loadAndWarn(options: RunOptions, signal: AbortSignal): Promise<{ config: Config }> {
  const { config, warnings } = await loadConfig(options.sources, signal);
  if (warnings.length > 0) loggerFor(config, options).warn(printFaults(warnings));
  return { config };
}

function loggerFor(config: Config, { out }: RunOptions): Logger {
  return createLogger(config.log.level, out, out.isTTY === true, config.log.format);
}

/**
 * Waits for the daemon, but not beyond its shutdown timeout: a hanging part must not delay a restart.
 *
 * @returns whether it has ended
 */
async function endsInTime(
  running: Promise<void>,
  config: Config,
  signal: AbortSignal,
  log: Logger,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    const start = () => {
      timer = setTimeout(
        () => {
          log.error("telemetryd did not stop within delivery.shutdownTimeout; its open work was aborted");
          resolve(false);
        },
        config.delivery.shutdownTimeoutMs -
          Math.min(shutdownReserveMs, config.delivery.shutdownTimeoutMs / 10),
      );
    };
    if (signal.aborted) start();
    else signal.addEventListener("abort", start, { once: true });
  });
  try {
    return await Promise.race([running.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits until a daemon abandoned at a reload has ended, or this process is to end.
 *
 * @throws TelemetrydError when it does not end: the process supervisor must restart it
 */
async function letsGo(running: Promise<void>, signal: AbortSignal): Promise<void> {
  const untilAborted = (limited: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const onAbort = () => (signal.aborted ? resolve() : reject(limited.reason as Error));
      limited.addEventListener("abort", onAbort, { once: true });
    });
  await withLimit(
    signal,
    lettingGoMs,
    (limited) => Promise.race([running, untilAborted(limited)]),
    () =>
      new TelemetrydError(
        "INTERNAL",
        `what ran before the reload has not ended within ${lettingGoMs / 1_000} s; start telemetryd again`,
      ),
  );
}
