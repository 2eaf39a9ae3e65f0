import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import type { RejectedAccess, Replay } from "../../../exporter/remote-write/rejected/rejected-access.ts";
import {
  parseRejectedFile,
  type RejectedEntry,
} from "../../../exporter/remote-write/rejected/rejected-file.ts";
import { askDaemon, opsUrl, unreachable } from "../ops-address.ts";

/**
 * The rejected store of a running daemon, through its ops address.
 *
 * @param address a URL, or host:port
 * @throws INVALID_ARGUMENT for an invalid address; its functions throw UNREACHABLE when no daemon responds as
 *   expected
 */
export function opsRejected(address: string): RejectedAccess {
  const base = opsUrl(address, "api/v1/rejected");

  /** A response with status 200 or 204; undefined for 404 if the daemon knows the path. */
  async function request(path: string, method: string, signal: AbortSignal): Promise<Response | undefined> {
    const response = await askDaemon(new URL(base.href + path), method, signal);
    if (response.ok) return response;
    const text = (await response.text()).trim().slice(0, 500);
    if (response.status === 404 && text === "there is no such entry") return undefined;
    const words = text === "" ? "" : ` (${text})`;
    throw new TelemetrydError(
      "UNREACHABLE",
      `${base.origin} responds with HTTP ${response.status}${words}; with --config FILE, the folder of a daemon's state is used without asking it`,
    );
  }

  return {
    async *entries(sinceMs, signal) {
      const response = await request(`?since=${sinceMs}`, "GET", signal);
      if (response?.body == null) return;
      try {
        yield* entriesIn(response.body as ReadableStream);
      } catch (error) {
        signal.throwIfAborted();
        throw unreachable(base, describeError(error), error);
      }
    },
    read: async (id, signal) => {
      const response = await request(`/${encodeURIComponent(id)}`, "GET", signal);
      return response && parseRejectedFile(Buffer.from(await response.arrayBuffer()));
    },
    replay: async (id, signal) => {
      const response = await request(`/${encodeURIComponent(id)}/replay`, "POST", signal);
      return response && ((await response.json()) as Replay);
    },
    remove: async (id, signal) =>
      (await request(`/${encodeURIComponent(id)}`, "DELETE", signal)) !== undefined,
  };
}

async function* entriesIn(body: ReadableStream): AsyncGenerator<RejectedEntry> {
  const input = Readable.fromWeb(body);
  // An error of the input ends the lines as if everything had been read.
  let failure: unknown;
  input.once("error", (error) => (failure = error));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (failure !== undefined) break;
    if (line !== "") yield JSON.parse(line) as RejectedEntry;
  }
  if (failure !== undefined) throw failure;
}
