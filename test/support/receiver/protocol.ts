import { join } from "node:path";
import protobuf from "protobufjs";

/**
 * The messages of `proto/`, encoded and decoded by protobufjs: the reference for the project's own encoders and
 * decoders. Integers of 64 bits are numbers, as far as these are exact.
 */

export interface Message<T> {
  encode(message: Partial<T>, writer?: protobuf.Writer): protobuf.Writer;
  decode(bytes: Uint8Array): T;
  toObject(message: T, options: protobuf.IConversionOptions): T;
}

interface Label {
  readonly name: string;
  readonly value: string;
}

interface Sample {
  readonly value?: number;
  readonly timestamp?: number;
}

interface Exemplar extends Sample {
  readonly labels?: readonly Label[];
}

export interface Histogram {
  readonly timestamp?: number;
  readonly resetHint?: number;
  readonly sum?: number;
  readonly schema?: number;
}

interface TimeSeries {
  readonly labels?: readonly Label[];
  readonly samples?: readonly Sample[];
  readonly exemplars?: readonly Exemplar[];
  readonly histograms?: readonly Histogram[];
}

interface MetricMetadata {
  readonly type?: number;
  readonly metricFamilyName?: string;
  readonly help?: string;
  readonly unit?: string;
}

interface WriteRequest {
  readonly timeseries: readonly TimeSeries[];
  readonly metadata: readonly MetricMetadata[];
}

interface Request {
  readonly symbols: readonly string[];
  readonly timeseries: readonly {
    readonly labelsRefs?: readonly number[];
    readonly samples?: readonly Sample[];
    readonly histograms?: readonly Histogram[];
    readonly exemplars?: readonly (Sample & { readonly labelsRefs?: readonly number[] })[];
    readonly metadata?: { readonly type?: number; readonly helpRef?: number; readonly unitRef?: number };
  }[];
}

export interface ReadRequest {
  readonly queries: readonly {
    readonly startTimestampMs?: number;
    readonly endTimestampMs?: number;
    readonly matchers?: readonly (Label & { readonly type?: number })[];
  }[];
  readonly acceptedResponseTypes: readonly number[];
}

interface ChunkedReadResponse {
  readonly queryIndex: number;
  readonly chunkedSeries: readonly {
    readonly labels: readonly Label[];
    readonly chunks: readonly {
      readonly type: number;
      readonly minTimeMs: number;
      readonly maxTimeMs: number;
      readonly data: Uint8Array;
    }[];
  }[];
}

function load(name: string): protobuf.Root {
  const root = protobuf.loadSync(join(import.meta.dirname, "../../../proto", `${name}.proto`));
  root.resolveAll();
  return root;
}

const [write1, write2, read] = ["remote-write-1.0", "remote-write-2.0", "remote-read"].map(load) as [
  ...[protobuf.Root, protobuf.Root, protobuf.Root],
];

function message<T>(root: protobuf.Root, name: string): Message<T> {
  const type = root.lookupType(name);
  return {
    encode: (of, writer) => type.encode(of as object, writer),
    decode: (bytes) => withNumbers(type, type.decode(bytes)) as T,
    toObject: (of, options) => type.toObject(of as protobuf.Message, options) as T,
  };
}

/** protobufjs decodes integers of 64 bits as objects where the package `long` is there. */
function withNumbers(type: protobuf.Type, decoded: object): object {
  const fields = decoded as Record<string, unknown>;
  for (const { name, long, resolvedType } of type.fieldsArray) {
    const inner = resolvedType instanceof protobuf.Type ? resolvedType : undefined;
    const one = (value: unknown) =>
      inner === undefined ? Number(value) : withNumbers(inner, value as object);
    if (long && !Object.hasOwn(fields, name)) {
      // What is absent stays so, with 0 as its default.
      if (!Array.isArray(fields[name])) Object.getPrototypeOf(fields)[name] = 0;
    } else if (Object.hasOwn(fields, name) && (long || inner !== undefined)) {
      const value = fields[name];
      fields[name] = Array.isArray(value) ? value.map(one) : one(value);
    }
  }
  return decoded;
}

/** Of remote write 1.0. */
export const remoteWrite1 = {
  WriteRequest: message<WriteRequest>(write1, "prometheus.WriteRequest"),
  TimeSeries: message<TimeSeries>(write1, "prometheus.TimeSeries"),
  Histogram: message<Histogram>(write1, "prometheus.Histogram"),
};

/** Of remote write 2.0. */
export const remoteWrite2 = {
  Request: message<Request>(write2, "io.prometheus.write.v2.Request"),
  Histogram: message<Histogram>(write2, "io.prometheus.write.v2.Histogram"),
};

/** Of remote read. */
export const remoteRead = {
  ReadRequest: message<ReadRequest>(read, "prometheus.ReadRequest"),
  ResponseType: read.lookupEnum("prometheus.ReadRequest.ResponseType").values,
  ChunkedReadResponse: message<ChunkedReadResponse>(read, "prometheus.ChunkedReadResponse"),
  Encoding: read.lookupEnum("prometheus.Chunk.Encoding").values,
  Label: message<Label>(read, "prometheus.Label"),
  Histogram: message<Histogram>(read, "prometheus.Histogram"),
};
