import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { uncompress, uncompressSync } from "snappy";
import type { Clock } from "../../../base/core/clock.ts";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import type { Compression } from "../../policy/spec/types.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify.ts";
import type { AttemptSender } from "./outcome.ts";

/** `ZSTD_c_compressionLevel` */
const levelParameter = 100;
/** vmagent's: higher ones make a request hardly smaller. */
const level = 1;
/** Larger bodies go to other threads, whose memory makes it cost more processor time. */
const maxSyncBytes = 2 * 2 ** 20;

/** Compresses a body with zstd. Absent before Node 22.15; the types here are those of Node 20. */
export const zstd = zstdOf(zlib);

function zstdOf(module: object): ((body: Buffer) => Promise<Buffer>) | undefined {
  const { zstdCompress, zstdCompressSync } = module as {
    readonly zstdCompress?: Parameters<typeof promisify>[0];
    readonly zstdCompressSync?: (body: Buffer, options: object) => Buffer;
  };
  if (zstdCompress === undefined || zstdCompressSync === undefined) return undefined;
  const compress = promisify(zstdCompress) as (body: Buffer, options: object) => Promise<Buffer>;
  const options = { params: { [levelParameter]: level } };
  return async (body) =>
    body.length <= maxSyncBytes ? zstdCompressSync(body, options) : await compress(body, options);
}

async function bodyOf({ payload, uncompressedBytes }: EncodedRequest): Promise<Buffer> {
  if (uncompressedBytes > maxSyncBytes) return (await uncompress(payload, { asBuffer: true })) as Buffer;
  await yieldToEventLoop();
  return uncompressSync(payload, { asBuffer: true }) as Buffer;
}

interface CompressingSenderOptions {
  readonly setting: Exclude<Compression, "snappy">;
  readonly compress: (body: Buffer) => Promise<Buffer>;
  readonly state: EndpointState;
  /** Asks the receiver whether it takes zstd; undefined: it has not responded. */
  readonly asksForZstd: (signal: AbortSignal) => Promise<boolean | undefined>;
  readonly clock: Clock;
}

/**
 * Sends requests in VictoriaMetrics' form of remote write 1.0, the same message compressed with zstd, which
 * takes about two thirds of snappy's bytes. What waits, is split or kept stays snappy's.
 */
export class CompressingSender implements AttemptSender {
  readonly #inner: AttemptSender;
  readonly #options: CompressingSenderOptions;

  constructor(inner: AttemptSender, options: CompressingSenderOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  async attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const { setting, state, asksForZstd, clock, compress } = this.#options;
    const nowMs = () => clock.monotonicMs();
    const usesZstd =
      request.protocol === "1.0" &&
      (setting === "zstd" || (await state.takesZstd(() => asksForZstd(signal), nowMs, signal)));
    if (!usesZstd || signal.aborted) return await this.#inner.attempt(request, signal);
    const payload = await compress(await bodyOf(request));
    const verdict = await this.#inner.attempt({ ...request, payload, compression: "zstd" }, signal);
    const isUnsupported = setting === "auto" && verdict.kind === "rejected" && verdict.status === 415;
    if (!isUnsupported) return verdict;
    state.forgetZstd(nowMs());
    return await this.#inner.attempt(request, signal);
  }
}
