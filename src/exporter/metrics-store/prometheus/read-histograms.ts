import { customBucketsSchema, histogramFields } from "../../series/encoded-histograms.ts";
import { SampleBuffer } from "../../series/series.ts";
import { MalformedMessage, type MessageCursor, wireTypes } from "./message-cursor.ts";

const { varint, fixed64, bytes: delimited } = wireTypes;

/** Wire type of each field of `Histogram`. Packed numbers may also come one by one, which Prometheus does not. */
const fieldTypes = new Map<number, number>([
  [histogramFields.countInt, varint],
  [histogramFields.countFloat, fixed64],
  [histogramFields.sum, fixed64],
  [histogramFields.schema, varint],
  [histogramFields.zeroThreshold, fixed64],
  [histogramFields.zeroCountInt, varint],
  [histogramFields.zeroCountFloat, fixed64],
  [histogramFields.negativeSpans, delimited],
  [histogramFields.negativeDeltas, delimited],
  [histogramFields.negativeCounts, delimited],
  [histogramFields.positiveSpans, delimited],
  [histogramFields.positiveDeltas, delimited],
  [histogramFields.positiveCounts, delimited],
  [histogramFields.resetHint, varint],
  [histogramFields.timestamp, varint],
  [histogramFields.customValues, delimited],
]);

/**
 * Adds a histogram of a response of samples (proto/remote-read.proto, Histogram) to the buffer: its fields as
 * they are, without unknown ones.
 *
 * @throws MalformedMessage
 */
export function takeHistogram(bytes: Buffer, message: MessageCursor, samples: SampleBuffer): void {
  const { histograms } = samples;
  if (histograms === undefined) throw new TypeError("the buffer is not one of histograms");
  const start = histograms.length;
  let timestampMs = 0;
  let previous = 0;
  while (message.next()) {
    const type = fieldTypes.get(message.field);
    if (type === undefined || !message.is(message.field, type)) continue;
    if (message.field < previous) throw new MalformedMessage("a histogram's fields are not in order");
    previous = message.field;
    if (message.field === histogramFields.timestamp) timestampMs = message.int64();
    if (message.field === histogramFields.schema && message.int64() === -2 * customBucketsSchema - 1) {
      histograms.hasCustomBuckets = true;
    }
    histograms.field(bytes, message.tagStart, message.end);
  }
  samples.addHistogram(timestampMs, start);
}

/**
 * Sets the reset hints to unknown: they compare with the preceding histogram of the chunk, and another
 * chunk's may have come in between.
 */
export function forgetResets({ histograms, length, valueHalves }: SampleBuffer): void {
  for (let index = 0; index < length; index++) {
    histograms?.forgetReset(valueHalves[index * 2] ?? 0, valueHalves[index * 2 + 1] ?? 0);
  }
}

/**
 * The samples of a series that has several kinds of them, as runs of one kind in time order. Of equal times,
 * a Prometheus has one: chunks that overlap may have two, of which the histogram counts.
 */
export function* runsOf(numbers: SampleBuffer, histograms: SampleBuffer): Generator<SampleBuffer> {
  let number = 0;
  let histogram = 0;
  while (number < numbers.length || histogram < histograms.length) {
    const start = { number, histogram };
    while (timeAt(numbers, number) < timeAt(histograms, histogram)) number++;
    if (number > start.number) yield copyOf(numbers, start.number, number);
    const kind = histogram < histograms.length ? histograms.kind(histogram) : undefined;
    while (timeAt(histograms, histogram) < timeAt(numbers, number) && histograms.kind(histogram) === kind) {
      histogram++;
    }
    if (histogram > start.histogram) yield copyOf(histograms, start.histogram, histogram);
    else if (number === start.number) number++;
  }
}

/** Infinity after the last one. */
function timeAt({ timestampsMs, length }: SampleBuffer, index: number): number {
  return index < length ? (timestampsMs[index] ?? 0) : Number.POSITIVE_INFINITY;
}

function copyOf(from: SampleBuffer, start: number, end: number): SampleBuffer {
  const run = new SampleBuffer(from.histograms);
  run.reserve(end - start);
  run.timestampsMs.set(from.timestampsMs.subarray(start, end));
  run.valueHalves.set(from.valueHalves.subarray(start * 2, end * 2));
  run.length = end - start;
  return run;
}
