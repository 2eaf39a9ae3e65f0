import { systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { StoreClient } from "../../../src/exporter/metrics-store/client/store-client.ts";
import type {
  MetricsStoreSettings,
  StoreTimeouts,
} from "../../../src/exporter/metrics-store/client/store-settings.ts";
import type {
  ReadConsumer,
  ReadHandle,
  ReadOutcome,
  ReadRequest,
} from "../../../src/exporter/metrics-store/ports/sample-reader.ts";
import { ReadLimits } from "../../../src/exporter/metrics-store/read-limits.ts";
import { StoreReader } from "../../../src/exporter/metrics-store/store-reader.ts";
import type { SampleBuffer, Series } from "../../../src/exporter/series/series.ts";

/** Reads of a store in tests: readers and their results. */
export interface ReadSeries {
  readonly labels: Record<string, string>;
  readonly times: number[];
  readonly values: number[];
  /** The eight bytes of each value, little-endian. */
  readonly bits: string[];
}

/** Collects the series. */
export class Collector implements ReadConsumer {
  readonly series: ReadSeries[] = [];
  handle: ReadHandle | undefined;

  onAttached(handle: ReadHandle): void {
    this.handle = handle;
  }

  onSeries(series: Series, samples: SampleBuffer): void {
    const bits = Array.from({ length: samples.length }, (_, index) =>
      samples.valueBytes.toString("hex", index * 8, index * 8 + 8),
    );
    this.series.push({
      labels: Object.fromEntries(series.labels.map(({ name, value }) => [name, value])),
      times: [...samples.timestampsMs.subarray(0, samples.length)],
      values: [...samples.values.subarray(0, samples.length)],
      bits,
    });
  }
}

/** The staleness marker in the form of `ReadSeries.bits`. */
export const staleBits = "020000000000f07f";

export type RawRequest = Omit<ReadRequest, "name" | "stepMs">;

/** Adds the request's fields that are irrelevant to raw samples. */
export function raw(request: RawRequest): ReadRequest {
  return { name: "source", stepMs: 15_000, ...request };
}

export async function readAll(
  reader: StoreReader,
  request: RawRequest | ReadRequest,
): Promise<{ outcome: ReadOutcome; series: ReadSeries[] }> {
  const collector = new Collector();
  const outcome = await reader.read(raw(request), collector, new AbortController().signal);
  return { outcome, series: collector.series };
}

const open: StoreClient[] = [];

export function readerOf(
  url: string,
  settings: Partial<MetricsStoreSettings> = {},
  timeouts: Partial<StoreTimeouts> = {},
): StoreReader {
  const client = new StoreClient({ url, flavor: "auto", concurrency: 2, ...settings }, { timeouts });
  open.push(client);
  const limits = new ReadLimits({
    concurrency: settings.concurrency ?? 2,
    cacheMaxBytes: 64 * 2 ** 20,
    clock: systemClock,
  });
  return new StoreReader({ client, limits, log: silentLogger });
}

/** Call at the end of a test file. */
export async function closeReaders(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
}
