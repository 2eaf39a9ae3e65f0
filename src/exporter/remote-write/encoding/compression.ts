import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { compressSync, uncompress, uncompressSync } from "snappy";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import type { EncodedRequest } from "./request.ts";

/** A request's body, compressed. */
export type CompressedBody = Pick<EncodedRequest, "payload" | "compression">;

/** Above the default limit of a request. Larger bodies would hold the event loop: see {@link toZstd}. */
const maxSyncBytes = 4 * 2 ** 20;
/** `ZSTD_c_compressionLevel` */
const levelParameter = 100;
/** vmagent's: higher ones make a request hardly smaller. */
const options = { params: { [levelParameter]: 1 } };

interface Zstd {
  readonly compressSync: (body: Buffer) => Buffer;
  readonly compress: (body: Buffer) => Promise<Buffer>;
  readonly decompressSync: (body: Buffer) => Buffer;
}

/** Absent before Node 22.15; the types here are those of Node 20. */
const zstd = zstdOf(zlib);

export const hasZstd = zstd !== undefined;

function zstdOf(module: object): Zstd | undefined {
  const { zstdCompress, zstdCompressSync, zstdDecompressSync } = module as {
    readonly zstdCompress?: Parameters<typeof promisify>[0];
    readonly zstdCompressSync?: (body: Buffer, options: object) => Buffer;
    readonly zstdDecompressSync?: (body: Buffer) => Buffer;
  };
  if (!(zstdCompress && zstdCompressSync && zstdDecompressSync)) return undefined;
  const compress = promisify(zstdCompress) as (body: Buffer, options: object) => Promise<Buffer>;
  return {
    compressSync: (body) => zstdCompressSync(body, options),
    compress: (body) => compress(body, options),
    decompressSync: zstdDecompressSync,
  };
}

/**
 * Compresses a message with snappy, or with what the receiver takes where that is said.
 *
 * @param compression zstd only where {@link hasZstd}; a large body gets snappy in any case
 */
export function compressBody(body: Buffer, compression?: "zstd"): CompressedBody {
  if (compression === "zstd" && zstd !== undefined && body.length <= maxSyncBytes) {
    return { payload: zstd.compressSync(body), compression };
  }
  // The copying form: the other one accumulates memory outside of the heap in a loop that does not yield.
  return { payload: compressSync(body, { copyOutputData: true }) };
}

/** @throws Error when it is not valid in its compression */
export function uncompressBody({ payload, compression }: CompressedBody): Buffer {
  if (compression === undefined) return uncompressSync(payload, { asBuffer: true }) as Buffer;
  if (zstd === undefined) throw new TypeError("this Node.js has no zstd");
  return zstd.decompressSync(payload);
}

/** The same request compressed with snappy, which every receiver and every Node.js can read. */
export function toSnappy(request: EncodedRequest): EncodedRequest {
  if (request.compression === undefined) return request;
  const { compression, ...rest } = request;
  return { ...rest, ...compressBody(uncompressBody(request)) };
}

/** The same request compressed with zstd: a large one by other threads, whose memory costs processor time. */
export async function toZstd(request: EncodedRequest): Promise<EncodedRequest> {
  if (request.compression === "zstd" || zstd === undefined) return request;
  if (request.uncompressedBytes <= maxSyncBytes) {
    await yieldToEventLoop();
    return { ...request, ...compressBody(uncompressBody(request), "zstd") };
  }
  const body = (await uncompress(request.payload, { asBuffer: true })) as Buffer;
  return { ...request, payload: await zstd.compress(body), compression: "zstd" };
}
