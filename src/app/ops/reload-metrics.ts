import { Gauge, type Registry } from "prom-client";

/** How the last reading of the configuration ended; it outlives the daemons of a process. */
export class ReloadMetrics {
  readonly #successful: Gauge;
  readonly #time: Gauge;
  /** The name of the file that was invalid, since the last reload failed. */
  #invalidFile: string | undefined;

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
    this.#invalidFile = undefined;
    this.#successful.set(1);
    this.#time.set(nowMs / 1_000);
  }

  /** @param file the configuration's, without its folder: probes of any origin see it */
  failed(file: string): void {
    this.#invalidFile = file;
    this.#successful.set(0);
  }

  /** A sentence after a reload that failed. */
  problem(): string | undefined {
    if (this.#invalidFile === undefined) return undefined;
    const remedy = `telemetryd validate ${this.#invalidFile} shows the errors`;
    return `the configuration was invalid when it was last read, an earlier one stays in effect: ${remedy}`;
  }
}
