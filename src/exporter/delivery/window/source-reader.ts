import type { ReadFailure } from "../../metrics-store/client/read-failure.ts";
import { gridOf, pointsOf } from "../../metrics-store/expressions/grid.ts";
import type { ReadConsumer, SampleReader, Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { PolicySource } from "../../policy/spec/types.ts";
import { exemplarLookBackMs } from "../exemplars/sent-exemplars.ts";
import type { WindowBounds } from "../state/sink-state.ts";
import type { SourceCounts } from "../stats/source-series.ts";

interface SourceReaderDeps {
  readonly reader: SampleReader;
  /** The sink's sources, by name. */
  readonly sources: ReadonlyMap<string, PolicySource>;
  readonly tenant: Tenant | undefined;
  /** The tenant, or the policy where there are no tenants; see `ReadRequest`. */
  readonly owner: string;
}

/** Result of reading a window: the sources that were read completely, and those that could not be read. */
export interface Reading {
  readonly whole: readonly string[];
  readonly errors: ReadonlyMap<string, ReadFailure>;
  /** Of each source read completely. */
  readonly counts: ReadonlyMap<string, SourceCounts>;
  /** Of all of them. */
  readonly samples: number;
  readonly durationMs: number;
}

/** Reads a sink's sources from the metrics store. */
export class SourceReader {
  readonly #deps: SourceReaderDeps;

  constructor(deps: SourceReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the sources one after another, past failed ones, until the signal aborts.
   *
   * @param selector in place of the sources' own queries
   */
  async read(
    names: readonly string[],
    bounds: WindowBounds,
    consumerOf: (name: string) => ReadConsumer,
    signal: AbortSignal,
    selector?: string,
  ): Promise<Reading> {
    const { reader, sources, tenant, owner } = this.#deps;
    const { fromMs, toMs, stepMs } = bounds;
    const whole: string[] = [];
    const errors = new Map<string, ReadFailure>();
    const counts = new Map<string, SourceCounts>();
    let samples = 0;
    let durationMs = 0;
    for (const name of names) {
      const source = sources.get(name);
      if (source === undefined) continue;
      if (signal.aborted) break;
      const { intervalMs } = source;
      const grid = intervalMs === undefined ? undefined : gridOf(bounds, intervalMs);
      // Nothing is read between two points. To count that as a reading would say that there are no series.
      if (intervalMs !== undefined && grid === undefined) {
        whole.push(name);
        continue;
      }
      const consumer = consumerOf(name);
      const request = {
        selector: selector ?? source.metricsql,
        name,
        stepMs: intervalMs ?? stepMs,
        isThinned: intervalMs !== undefined,
        window: { fromMs, toMs },
        tenant,
        owner,
        exemplarsFromMs: consumer.onExemplars && fromMs - exemplarLookBackMs,
      };
      const outcome = await reader.read(request, consumer, signal).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (outcome === undefined) break;
      if (outcome.kind === "complete") {
        whole.push(name);
        const spanMs = grid === undefined ? toMs - fromMs : pointsOf(grid) * grid.stepMs;
        const { series } = outcome;
        counts.set(name, { series, samples: outcome.samples, spanMs, everyMs: intervalMs });
        samples += outcome.samples;
        durationMs += outcome.durationMs;
      } else if (outcome.kind === "failed") {
        errors.set(name, outcome);
      }
    }
    return { whole, errors, counts, samples, durationMs };
  }
}
