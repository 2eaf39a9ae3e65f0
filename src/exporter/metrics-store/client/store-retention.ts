import type { Clock } from "../../../base/core/clock.ts";
import { parseDuration } from "../../metricsql/ast/literals.ts";
import type { StoreClient } from "./store-client.ts";
import type { StoreFlags } from "./store-flags.ts";

const refreshMs = 10 * 60_000;

/**
 * How long the store keeps samples: `-retentionPeriod` of VictoriaMetrics, and
 * `--storage.tsdb.retention.time` of Prometheus, from its runtime information. Unknown for other stores, and
 * for a cluster, whose nodes that are asked do not store.
 */
export class StoreRetention {
  readonly #client: StoreClient;
  readonly #flags: StoreFlags;
  readonly #clock: Clock;
  #retentionMs: number | undefined;
  #dueAtMs = -Infinity;

  constructor(client: StoreClient, flags: StoreFlags, clock: Clock) {
    this.#client = client;
    this.#flags = flags;
    this.#clock = clock;
  }

  /** In ms, as it was when it was last asked for. Never waits. */
  knownMs(): number | undefined {
    return this.#retentionMs;
  }

  /** Asks for it when that is due, and the store's flavor is known. Never fails. */
  async refresh(): Promise<void> {
    const flavor = this.#client.knownFlavor();
    if (flavor === undefined || this.#clock.monotonicMs() < this.#dueAtMs) return;
    this.#dueAtMs = this.#clock.monotonicMs() + refreshMs;
    if (flavor === "victoriametrics") {
      const flags = await this.#flags.read(false);
      if (flags !== undefined) this.#retentionMs = retentionInFlags(flags);
      return;
    }
    const text = await this.#client.readAbout({ path: "/api/v1/status/runtimeinfo" });
    if (typeof text === "string") this.#retentionMs = retentionInRuntime(text);
  }
}

const monthMs = 31 * 24 * 3_600_000;

/**
 * Of VictoriaMetrics: `-retentionPeriod="30d"`, in hours, days, weeks, months of 31 days (without a unit) or
 * years of 365. The text's flag may have quotes.
 */
export function retentionInFlags(flags: string): number | undefined {
  const [, amount = "", unit = "M"] =
    /^-?retentionPeriod="?(\d+(?:\.\d+)?)([hdwMy])?"?\s*$/m.exec(flags) ?? [];
  return positive(unit === "M" ? Number(amount) * monthMs : parseDuration(amount + unit)?.ms);
}

/** Of Prometheus: `{"data": {"storageRetention": "15d"}}`, also `15d or 512MiB`, or `1w3d12h`. */
export function retentionInRuntime(body: string): number | undefined {
  const [, text = ""] = /"storageRetention"\s*:\s*"([0-9a-z]{1,40})[" ]/.exec(body) ?? [];
  return positive(/^(\d+(ms|[ywdhms]))+$/.test(text) ? parseDuration(text)?.ms : undefined);
}

/** Retention by size alone is 0. */
function positive(ms = 0): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
