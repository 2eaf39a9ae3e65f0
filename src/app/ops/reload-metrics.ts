import { Gauge, type Registry } from "prom-client";

/** How the last reading of the configuration ended; it outlives the daemons of a process. */
export class ReloadMetrics {
  readonly #successful: Gauge;
  readonly #time: Gauge;
  #hasFailed = false;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#successful = new Gauge({
      name: "telemetryd_configuration_last_reload_successful",
      help: "1 if the configuration was valid when it was last read, 0 if an earlier one stays in effect.",
      registers,
    });
    this.#time = new Gauge({
      name: "telemetryd_configuration_last_reload_success_timestamp_seconds",
      help: "When the configuration in effect was read (Unix time).",
      registers,
    });
  }

  succeeded(nowMs: number): void {
    this.#hasFailed = false;
    this.#successful.set(1);
    this.#time.set(nowMs / 1_000);
  }

  failed(): void {
    this.#hasFailed = true;
    this.#successful.set(0);
  }

  /** A sentence after a reload that failed. */
  problem(): string | undefined {
    if (!this.#hasFailed) return undefined;
    return "the configuration was invalid when it was last read, an earlier one stays in effect; the log has the errors";
  }
}
