import { join } from "node:path";
import protobuf from "protobufjs";
import snappy from "snappy";
import type { Label } from "../../src/exporter/series/series.ts";
import { staleNanHigh, staleNanLow } from "../../src/exporter/series/stale-marker.ts";
import { describeHistogram, type NativeHistogram } from "./native-histogram.ts";
import type { SampleValue } from "./sample-set.ts";

/**
 * Remote write 1.0 and remote read by reflection on the definitions, for tests and scripts: slow, simple, and
 * independent of the daemon's encoder, for which it is the reference.
 */
export interface WireSample {
  readonly timestampMs: number;
  /** A number, or the text of a native histogram; see `describeHistogram`. */
  readonly value: SampleValue;
  /** The value is a NaN with exactly the bits of the staleness marker. */
  readonly isStale: boolean;
}

export interface WireSeries {
  /** In the order of the message. */
  readonly labels: readonly Label[];
  readonly samples: readonly WireSample[];
}

/** One matcher of a selector. */
export interface Matcher {
  readonly name: string;
  readonly type: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

interface Bits {
  readonly low: number;
  readonly high: number;
}
interface RawSeries {
  readonly labels: readonly Label[];
  readonly samples: readonly { readonly value: Bits; readonly timestamp: { toNumber(): number } }[];
  readonly histograms: readonly (NativeHistogram & { readonly timestamp: { toNumber(): number } })[];
}

const writeDefinition = join(import.meta.dirname, "../../proto/remote-write-1.0.proto");

/** Prometheus' prompb/remote.proto and types.proto: the messages that remote read adds to remote write. */
const readDefinition = `
syntax = "proto3";
package prometheus;
message ReadRequest { repeated Query queries = 1; }
message Query { int64 start_timestamp_ms = 1; int64 end_timestamp_ms = 2; repeated LabelMatcher matchers = 3; }
message LabelMatcher {
  enum Type { EQ = 0; NEQ = 1; RE = 2; NRE = 3; }
  Type type = 1; string name = 2; string value = 3;
}
message ReadResponse { repeated QueryResult results = 1; }
message QueryResult { repeated TimeSeries timeseries = 1; }
`;

let loaded: protobuf.Root | undefined;

function message(name: string): protobuf.Type {
  if (loaded === undefined) {
    const root = protobuf.loadSync(writeDefinition);
    protobuf.parse(readDefinition, root, { keepCase: true });
    // The double's 8 bytes as bits: reading a NaN as a number may change them.
    const value = root.lookupType("prometheus.Sample").fields["value"];
    if (value === undefined) throw new Error(`${writeDefinition}: Sample has no value`);
    value.type = "fixed64";
    loaded = root;
  }
  return loaded.lookupType(`prometheus.${name}`);
}

/** Decodes the body of a remote-write request. @throws an Error when it is not snappy or not protobuf */
export function decodeWriteRequest(body: Uint8Array): WireSeries[] {
  const plain = snappy.uncompressSync(Buffer.from(body), { asBuffer: true }) as Buffer;
  const decoded = message("WriteRequest").decode(plain) as unknown as { timeseries: readonly RawSeries[] };
  return decoded.timeseries.map(fromRaw);
}

/** The metadata of one family in a remote-write request. */
export interface WireMetadata {
  readonly metricFamilyName: string;
  /** A value of `MetricMetadata.MetricType`. */
  readonly type: number;
  readonly help: string;
  readonly unit: string;
}

/** Decodes the metadata of a remote-write request. @throws an Error when it is not snappy or not protobuf */
export function decodeMetadata(body: Uint8Array): WireMetadata[] {
  const plain = snappy.uncompressSync(Buffer.from(body), { asBuffer: true }) as Buffer;
  const decoded = message("WriteRequest").decode(plain) as unknown as { metadata: WireMetadata[] };
  return decoded.metadata.map(({ metricFamilyName, type, help, unit }) => ({
    ...{ metricFamilyName, type, help, unit },
  }));
}

/** A sample to write. NaN is written as a staleness marker. */
export interface WrittenSample {
  readonly timestampMs: number;
  readonly value: number | NativeHistogram;
}

/** The body of a remote-write request. */
export function encodeWriteRequest(
  series: readonly { readonly labels: readonly Label[]; readonly samples: readonly WrittenSample[] }[],
): Buffer {
  const type = message("WriteRequest");
  const timeseries = series.map(({ labels, samples }) => ({
    labels: [...labels].sort((a, b) => (a.name < b.name ? -1 : 1)),
    samples: samples.flatMap(({ timestampMs, value }) =>
      typeof value === "number" ? [{ timestamp: timestampMs, value: toBits(value) }] : [],
    ),
    histograms: samples.flatMap(({ timestampMs, value }) =>
      typeof value === "number" ? [] : [{ ...value, timestamp: timestampMs }],
    ),
  }));
  return compress(type.encode(type.fromObject({ timeseries })).finish());
}

/** The body of a remote-read request with one query; both ends of the span are inclusive. */
export function encodeReadRequest(matchers: readonly Matcher[], fromMs: number, toMs: number): Buffer {
  const types = { "=": 0, "!=": 1, "=~": 2, "!~": 3 };
  const query = {
    start_timestamp_ms: fromMs,
    end_timestamp_ms: toMs,
    matchers: matchers.map(({ name, type, value }) => ({ type: types[type], name, value })),
  };
  const type = message("ReadRequest");
  return compress(type.encode(type.fromObject({ queries: [query] })).finish());
}

/** The series of all results of a remote-read response; a server may leave out their native histograms. */
export function decodeReadResponse(body: Uint8Array): WireSeries[] {
  const plain = snappy.uncompressSync(Buffer.from(body), { asBuffer: true }) as Buffer;
  const decoded = message("ReadResponse").decode(plain) as unknown as {
    results: readonly { timeseries: readonly RawSeries[] }[];
  };
  return decoded.results.flatMap(({ timeseries }) => timeseries.map(fromRaw));
}

function compress(plain: Uint8Array): Buffer {
  return snappy.compressSync(Buffer.from(plain), { copyOutputData: true });
}

const word = new DataView(new ArrayBuffer(8));

function fromRaw(raw: RawSeries): WireSeries {
  return {
    labels: raw.labels.map(({ name, value }) => ({ name, value })),
    samples: [
      ...raw.samples.map(({ timestamp, value: { low, high } }) => {
        word.setUint32(0, high >>> 0);
        word.setUint32(4, low >>> 0);
        const isStale = high >>> 0 === staleNanHigh && low >>> 0 === staleNanLow;
        return { timestampMs: timestamp.toNumber(), value: word.getFloat64(0), isStale };
      }),
      ...raw.histograms.map((histogram) => ({
        timestampMs: histogram.timestamp.toNumber(),
        value: describeHistogram(histogram),
        isStale: Number.isNaN(histogram.sum),
      })),
    ],
  };
}

function toBits(value: number): Bits {
  if (Number.isNaN(value)) return { low: staleNanLow, high: staleNanHigh };
  word.setFloat64(0, value);
  return { low: word.getInt32(4), high: word.getInt32(0) };
}
