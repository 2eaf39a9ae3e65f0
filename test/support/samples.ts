/** Known samples for tests: generating, writing, reading and comparing them. The demo uses the same code. */
export { makeLabels, type SeriesPlan, valueAt } from "../../scripts/samples/generate.ts";
export { type NativeHistogram, nativeHistogramAt } from "../../scripts/samples/native-histogram.ts";
export {
  type Matcher,
  type ReadSpan,
  readNativeHistograms,
  readPrometheus,
  readVictoriaMetrics,
} from "../../scripts/samples/read.ts";
export {
  describeDiff,
  diffSamples,
  isSameSet,
  type SampleDiff,
  SampleSet,
  seriesKey,
} from "../../scripts/samples/sample-set.ts";
export {
  flushVictoriaMetrics,
  importLines,
  type RemotelyWrittenSeries,
  type WrittenSeries,
  writeByRemoteWrite,
  writeToVictoriaMetrics,
} from "../../scripts/samples/write.ts";
