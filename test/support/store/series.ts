import { compareNames } from "../../../src/exporter/remote-write/encoding/label-names.ts";
import { SampleBuffer, Series } from "../../../src/exporter/series/series.ts";

/** A series of these labels, as a store would show it; a text is its name. */
export function seriesOf(labels: string | Readonly<Record<string, string>>): Series {
  if (typeof labels === "string") return seriesOf({ __name__: labels });
  const list = Object.entries(labels).map(([name, value]) => ({ name, value }));
  return new Series(list.sort((a, b) => compareNames(a.name, b.name)));
}

/** A buffer of these numbers. NaN is a staleness marker. */
export function bufferOf(samples: readonly (readonly [ms: number, value: number])[]): SampleBuffer {
  const buffer = new SampleBuffer();
  buffer.reserve(samples.length);
  buffer.length = samples.length;
  for (const [index, [ms, value]] of samples.entries()) {
    buffer.timestampsMs[index] = ms;
    if (Number.isNaN(value)) buffer.setStale(index);
    else buffer.values[index] = value;
  }
  return buffer;
}

/** A buffer with the number 1 at each of these times. */
export function samplesAt(...timesMs: number[]): SampleBuffer {
  return bufferOf(timesMs.map((ms) => [ms, 1]));
}
