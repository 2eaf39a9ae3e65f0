import type { Clock } from "../../../base/core/clock.ts";
import type { Compression } from "../../policy/spec/types.ts";
import { toSnappy } from "../encoding/compression.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import type { AttemptSender } from "./outcome.ts";

/** How to compress a new body of 1.0: as the receiver takes it, as far as that is known. */
export function builtCompression(setting: Compression, state: EndpointState): "zstd" | undefined {
  return setting === "zstd" || (setting === "auto" && state.isZstdTaken) ? "zstd" : undefined;
}

interface CompressingOptions {
  readonly setting: Exclude<Compression, "snappy">;
  readonly toZstd: (request: EncodedRequest) => Promise<EncodedRequest>;
  readonly state: EndpointState;
  /** Asks the receiver whether it takes zstd; undefined: it has not responded. */
  readonly asksForZstd: (signal: AbortSignal) => Promise<boolean | undefined>;
  readonly clock: Clock;
}

/**
 * Sends requests in VictoriaMetrics' form of remote write 1.0, the same message compressed with zstd, which
 * takes about two thirds of snappy's bytes. Most were compressed so when they were built; the others, which
 * were split, replayed, or built before the receiver was known to take zstd, are compressed again, and so are
 * those that it turns out not to take.
 */
export function compressing(inner: AttemptSender, options: CompressingOptions): AttemptSender {
  const { setting, state, asksForZstd, clock, toZstd } = options;
  const nowMs = () => clock.monotonicMs();
  return {
    async attempt(request, signal) {
      const usesZstd =
        request.protocol === "1.0" &&
        (setting === "zstd" || (await state.takesZstd(() => asksForZstd(signal), nowMs, signal)));
      if (!usesZstd || signal.aborted) return await inner.attempt(toSnappy(request), signal);
      const verdict = await inner.attempt(await toZstd(request), signal);
      const isUnsupported = setting === "auto" && verdict.kind === "rejected" && verdict.status === 415;
      if (!isUnsupported) return verdict;
      state.forgetZstd(nowMs());
      return await inner.attempt(toSnappy(request), signal);
    },
  };
}
