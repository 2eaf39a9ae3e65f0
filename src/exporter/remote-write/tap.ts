import { toSnappy } from "./encoding/compression.ts";
import type { EncodedRequest } from "./encoding/request.ts";
import type { Verdict } from "./transport/classify-response.ts";

/** A request as it was sent, for those who look at a sink's traffic. */
export interface TappedRequest extends Pick<EncodedRequest, "protocol" | "payload"> {
  /** See `sinkName`. */
  readonly sink: string;
  /** When its response arrived: Unix epoch, ms. */
  readonly atMs: number;
  readonly outcome: Verdict["kind"];
  /** Of a request that was not delivered: why. */
  readonly message?: string;
  /** Requests before this one that the reader was too slow for. */
  readonly missed: number;
}

type Listener = (request: Omit<TappedRequest, "missed">) => void;

/** The sinks' requests for those who look. While nobody does, a request costs one comparison. */
export class Taps {
  readonly #listeners = new Map<Listener, string>();

  /** @param sink its name. @returns ends it */
  listen(sink: string, listener: Listener): () => void {
    this.#listeners.set(listener, sink);
    return () => this.#listeners.delete(listener);
  }

  offer(nameOf: () => string, request: EncodedRequest, verdict: Verdict, atMs: number): void {
    if (this.#listeners.size === 0) return;
    const name = nameOf();
    for (const [listener, sink] of this.#listeners) {
      if (sink !== name) continue;
      // Whoever looks may run a Node.js without zstd.
      const { protocol, payload } = toSnappy(request);
      const message = "message" in verdict ? { message: verdict.message } : {};
      listener({ sink, atMs, outcome: verdict.kind, ...message, protocol, payload });
    }
  }
}

/** Above this, a head or a payload is not one of ours. */
const maxPartBytes = 64 * 1_024 * 1_024;
const lengthsBytes = 8;

/** A request for {@link readTapped}: the lengths of head and payload (32 bits each), the head as JSON, the payload. */
export function encodeTapped({ payload, ...head }: TappedRequest): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(lengthsBytes);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(payload.length, 4);
  return Buffer.concat([lengths, text, payload]);
}

/** @throws RangeError for what {@link encodeTapped} has not made */
export async function* readTapped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TappedRequest> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let needed = lengthsBytes;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    while (bytes >= needed) {
      const all = Buffer.concat(waiting);
      const headEnd = lengthsBytes + all.readUInt32BE(0);
      const end = headEnd + all.readUInt32BE(4);
      if (end > maxPartBytes) throw new RangeError(`a request of ${end} bytes`);
      needed = end;
      waiting = [all];
      if (bytes < end) break;
      const head = JSON.parse(all.toString("utf8", lengthsBytes, headEnd)) as Omit<TappedRequest, "payload">;
      yield { ...head, payload: all.subarray(headEnd, end) };
      waiting = [all.subarray(end)];
      bytes -= end;
      needed = lengthsBytes;
    }
  }
}
