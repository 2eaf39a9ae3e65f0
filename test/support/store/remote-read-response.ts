import protobuf from "protobufjs/minimal.js";
import { crc32c } from "../../../src/exporter/metrics-store/prometheus/crc32c.ts";
import { remoteRead } from "../receiver/protocol.ts";
import type { BitSample } from "./xor-chunk.ts";

/** Responses of `/api/v1/read`, encoded by the reference, as servers send them to a reader. */
export interface ResponseSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly chunks: readonly ResponseChunk[];
}

export interface ResponseChunk {
  /** A name, or a number that is not in proto/remote-read.proto. */
  readonly type: "XOR" | "HISTOGRAM" | "FLOAT_HISTOGRAM" | "XOR2" | "HISTOGRAM_ST" | "UNKNOWN" | number;
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly data: Buffer;
}

/** One message of a stream of chunks, without its frame. */
export function encodeChunkedResponse(queryIndex: number, series: readonly ResponseSeries[]): Buffer {
  const message = remoteRead.ChunkedReadResponse.encode({
    queryIndex,
    chunkedSeries: series.map(({ labels, chunks }) => ({
      labels: labelList(labels),
      chunks: chunks.map(({ type, ...chunk }) => ({
        ...chunk,
        type: typeof type === "number" ? type : (remoteRead.Encoding[type] ?? 0),
      })),
    })),
  });
  return Buffer.from(message.finish());
}

export function encodeFrame(message: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32c(message));
  const size = Buffer.from(new protobuf.Writer().uint32(message.length).finish());
  return Buffer.concat([size, checksum, message]);
}

/**
 * The single message of samples, uncompressed. Samples are encoded by hand, to preserve the bits of a NaN.
 */
export function encodeSamplesResponse(
  results: readonly (readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly samples: readonly BitSample[];
    /** Encoded messages. */
    readonly histograms?: readonly Buffer[];
  }[])[],
): Buffer {
  const writer = new protobuf.Writer();
  for (const result of results) {
    writer.uint32(10).fork();
    for (const { labels, samples, histograms = [] } of result) {
      writer.uint32(10).fork();
      for (const label of labelList(labels)) {
        remoteRead.Label.encode(label, writer.uint32(10).fork()).ldelim();
      }
      for (const { timestampMs, bits } of samples) {
        writer.uint32(18).fork();
        const halves = { low: Number(bits & 0xffffffffn), high: Number(bits >> 32n), unsigned: true };
        writer.uint32(9).fixed64(halves as never);
        writer.uint32(16).int64(timestampMs);
        writer.ldelim();
      }
      for (const histogram of histograms) writer.uint32(34).bytes(histogram);
      writer.ldelim();
    }
    writer.ldelim();
  }
  return Buffer.from(writer.finish());
}

function labelList(labels: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(labels).map(([name, value]) => ({ name, value }));
}
