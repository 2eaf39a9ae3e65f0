import { compareNames } from "../../../src/exporter/remote-write/encoding/label-names.ts";
import { SampleBuffer, Series } from "../../../src/exporter/series/series.ts";

/** A series of these labels, as a store would show it; or of `NAME LABEL=VALUE …`. */
export function seriesOf(labels: string | Readonly<Record<string, string>>): Series {
  if (typeof labels === "string") {
    const [name = "", ...others] = labels.split(" ");
    return seriesOf({ __name__: name, ...Object.fromEntries(others.map((label) => label.split("="))) });
  }
  const list = Object.entries(labels).map(([name, value]) => ({ name, value }));
  return new Series(list.sort((a, b) => compareNames(a.name, b.name)));
}

/** The time and number of each sample in `MS=NUMBER …`; NaN is a staleness marker. */
export function samplesIn(text: string): (readonly [ms: number, value: number])[] {
  const samples = text.split(" ").filter((sample) => sample !== "");
  return samples.map((sample) => sample.split("=").map(Number) as [number, number]);
}

/** A buffer of these samples; see {@link samplesIn}. */
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
