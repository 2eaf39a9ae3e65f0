import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Registry } from "prom-client";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";

/** Formatted without a pause: probes and exports wait for no longer than this. */
const burstMs = 5;

/** A scrape whose reader has not taken it by then is broken off: its turn is another one's. */
const scrapeLimitMs = 60_000;

/** At once: one of an address, while another address is served beside it. */
const scrapesAtOnce = 2;

export interface ScrapeInput {
  /** One per component; a metric's name occurs in one of them only. */
  readonly registries: readonly Registry[];
  /** Many series, in the text format: lines in pieces that each take little time. Asked for only as they are sent. */
  readonly pieces: () => Iterable<string>;
}

/**
 * The responses to scrapes: formatted while they are sent, piece by piece, so that neither the event loop nor the memory
 * holds all of one. Those of one address take turns.
 */
export class Scrapes {
  readonly #input: ScrapeInput;
  readonly #limitMs: number;
  readonly #turns = new FairSemaphore(scrapesAtOnce, "half");

  constructor(input: ScrapeInput, limitMs = scrapeLimitMs) {
    this.#input = input;
    this.#limitMs = limitMs;
  }

  /** Scrapes that are under way or wait for their turn. */
  get open(): number {
    return this.#turns.taken + this.#turns.waiting;
  }

  /**
   * @param signal aborts when the client has gone, or has everything
   * @returns the body; the turn lasts until it is closed, which the signal does too
   * @throws the signal's reason
   */
  async body(client: string, signal: AbortSignal): Promise<Readable> {
    await this.#turns.acquire(client, signal);
    const body = Readable.from(this.#text(), { objectMode: false });
    const end = () => body.destroy();
    const limit = setTimeout(() => body.destroy(new Error("the scrape takes too long")), this.#limitMs);
    signal.addEventListener("abort", end, { once: true });
    body.once("close", () => {
      clearTimeout(limit);
      signal.removeEventListener("abort", end);
      this.#turns.release(client);
    });
    return body;
  }

  async *#text(): AsyncGenerator<string> {
    // Merged each time: a component may register a metric after the start. merge() refuses an empty list.
    yield await Registry.merge([new Registry(), ...this.#input.registries]).metrics();
    let busySinceMs = performance.now();
    for (const piece of this.#input.pieces()) {
      // A reader that keeps up never makes the stream wait, and would have all pieces formatted in one go.
      if (performance.now() - busySinceMs >= burstMs) {
        await setImmediate();
        busySinceMs = performance.now();
      }
      if (piece !== "") yield piece;
    }
  }
}
