import { print } from "../metricsql/printer.ts";
import { ExportLineDecoder } from "./export-lines.ts";
import type { FlavorReader, ReadTotals, SampleReceiver, ScopedRead, Tenant } from "./flavor-reader.ts";
import { HeldBlocks } from "./held-blocks.ts";
import type { LabelCache } from "./label-cache.ts";
import { failure, type ReadFailure } from "./read-failure.ts";
import type { StoreClient } from "./store-client.ts";

/**
 * A window longer than this is read in storage blocks. Shorter ones are those of steady cycles, a sample or two of each series,
 * where holding them costs more of our time, and what is first in the answer is on its way before the last has come.
 */
const inBlocksAboveMs = 60_000;

/** What reading takes of a {@link StoreClient}. */
export type ExportClient = Pick<StoreClient, "timeouts" | "request" | "givesAllSamples">;

type Ended = ReadTotals | ReadFailure | { readonly kind: "stopped" };

/**
 * Reads from VictoriaMetrics by `/api/v1/export`, every raw sample as it is stored: in series, or in the blocks in which they are
 * stored (`reduce_mem_usage`), which takes the store half as much time (bench/catch-up.ts). Blocks come in any order, so
 * that they have to be held until all of them are there.
 */
export class ExportReader implements FlavorReader {
  readonly #client: ExportClient;
  readonly #cache: LabelCache;
  readonly #maxHeldSamples: number;
  /** The memory of the last window, for the next one of a catch-up. */
  #spare: HeldBlocks | undefined;

  /** @param maxHeldSamples 16 bytes each; a window of more is read again in series, and the next ones are shorter (see `window.ts`) */
  constructor(client: ExportClient, cache: LabelCache, maxHeldSamples = 3_000_000) {
    this.#client = client;
    this.#cache = cache;
    this.#maxHeldSamples = maxHeldSamples;
  }

  async read(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<Ended> {
    const { fromMs, toMs } = read.window;
    if (
      toMs - fromMs > inBlocksAboveMs &&
      !this.#cache.isFull &&
      (await this.#client.givesAllSamples(signal))
    ) {
      const ended = await this.#readBlocks(read, receiver, signal);
      if (ended !== undefined) return ended;
    }
    this.#spare = undefined;
    return this.#readSeries(read, receiver, signal);
  }

  async #readSeries(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<Ended> {
    const decoder = new ExportLineDecoder(this.#cache, read.window, (series, samples) =>
      receiver.onSeries(series, samples),
    );
    const form = exportForm(read, this.#client.timeouts.readMs);
    const ended = await this.#decode(decoder, form, receiver, () => receiver.wantsMore(), signal);
    tellRefusals(decoder, receiver);
    return ended;
  }

  /** @returns undefined where it cannot be done, and nothing was passed on */
  async #readBlocks(
    read: ScopedRead,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<Ended | undefined> {
    const held = this.#spare ?? new HeldBlocks();
    this.#spare = undefined;
    held.clear();
    const decoder = new ExportLineDecoder(this.#cache, read.window, (series, samples) =>
      held.add(series, samples),
    );
    const form = exportForm(read, this.#client.timeouts.readMs);
    form.set("reduce_mem_usage", "1");
    // What a full cache does not keep is another Series in each block.
    const isUnfit = () => this.#cache.isFull || held.samples > this.#maxHeldSamples;
    const goesOn = () => receiver.wantsMore() && !isUnfit();
    const ended = await this.#decode(decoder, form, receiver, goesOn, signal);
    if (isUnfit()) return undefined;
    tellRefusals(decoder, receiver);
    if (ended.kind !== "complete") return ended;
    const series = await held.passOn(
      (each, samples) => receiver.onSeries(each, samples),
      () => receiver.wantsMore(),
    );
    signal.throwIfAborted();
    if (series === undefined) return { kind: "stopped" };
    this.#spare = held;
    return { kind: "complete", series, samples: held.samples };
  }

  async #decode(
    decoder: ExportLineDecoder,
    form: URLSearchParams,
    receiver: SampleReceiver,
    goesOn: () => boolean,
    signal: AbortSignal,
  ): Promise<Ended> {
    const answer = await this.#client.request(
      { path: "/api/v1/export", form },
      (chunk) => {
        receiver.onBytes(chunk.length);
        return decoder.push(chunk) === undefined && goesOn();
      },
      signal,
    );
    // A fault in what came says more than the way the connection ended.
    const fault = answer.kind === "answered" && answer.whole ? decoder.finish() : decoder.fault;
    if (fault !== undefined) return failure(fault.reason, fault.message);
    if (answer.kind !== "answered") return answer;
    if (!answer.whole) return { kind: "stopped" };
    return { kind: "complete", series: decoder.series, samples: decoder.samples };
  }
}

function tellRefusals(decoder: ExportLineDecoder, receiver: SampleReceiver): void {
  for (const [reason, lines] of decoder.refusals) {
    receiver.onRefused(reason, lines, decoder.lastRefusal ?? reason);
  }
}

/** The form fields of a raw export; the window's start is exclusive, and the store's `start` is not. */
export function exportForm({ selector, tenant, window }: ScopedRead, timeoutMs: number): URLSearchParams {
  const form = new URLSearchParams({
    "match[]": print(selector),
    start: seconds(window.fromMs + 1),
    end: endSeconds(window.toMs),
    timeout: `${Math.ceil(timeoutMs / 1_000)}s`,
  });
  // The selector is confined already; this holds even where the store's idea of the selector differs from ours.
  if (tenant !== undefined) form.set("extra_filters[]", tenantFilter(tenant));
  return form;
}

/** The tenant's filter as a selector, as `extra_filters[]` takes it. */
export function tenantFilter({ label, value }: Tenant): string {
  return print({ type: "selector", groups: [[{ label, op: "=", value }]], pos: 0 });
}

/**
 * Unix seconds with three decimals. VictoriaMetrics (1.79) reads them as a double, multiplies by 1000 and cuts off: exact
 * from 2004 to 2038; elsewhere it may come to a millisecond less, which as a start only gives samples that the
 * decoder drops.
 */
export function seconds(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  return `${whole}.${String(ms - whole * 1_000).padStart(3, "0")}`;
}

/** The same where it must be exact, as for an end, where a millisecond less would lose samples: a fourth decimal makes up for what is cut off. */
export function endSeconds(ms: number): string {
  const text = seconds(ms);
  return Math.trunc(Number(text) * 1e3) < ms ? `${text}1` : text;
}
