import { Readable } from "node:stream";
import { Registry } from "prom-client";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";

/** Longest formatting without a pause: it bounds the delay of probes and exports. */
const burstMs = 5;

/** A scrape that its client has not read by then is aborted, to free its place. */
const scrapeLimitMs = 60_000;

/** Concurrent scrapes: one per address, so two addresses are served side by side. */
const scrapesAtOnce = 2;

export interface ScrapeInput {
  /** One per component; each metric name occurs in one of them only. */
  readonly registries: readonly Registry[];
  /** The many series as text lines, in pieces that are cheap to format and generated as they are sent. */
  readonly pieces: () => Iterable<string>;
}

/**
 * Scrape responses, formatted piece by piece while they are sent, so that a whole response never occupies the
 * event loop or the memory. Scrapes of one address take turns.
 */
export class Scrapes {
  readonly #input: ScrapeInput;
  readonly #limitMs: number;
  readonly #semaphore = new FairSemaphore(scrapesAtOnce, "half");

  constructor(input: ScrapeInput, limitMs = scrapeLimitMs) {
    this.#input = input;
    this.#limitMs = limitMs;
  }

  /** Scrapes in progress or waiting. */
  get open(): number {
    return this.#semaphore.taken + this.#semaphore.waiting;
  }

  /**
   * @param signal aborts when the client has gone, or has received everything
   * @returns the body; its place is free when it is closed, which the signal also does
   * @throws the signal's reason
   */
  async body(client: string, signal: AbortSignal): Promise<Readable> {
    await this.#semaphore.acquire(client, signal);
    const body = Readable.from(this.#text(), { objectMode: false });
    const end = () => body.destroy();
    const limit = setTimeout(() => body.destroy(new Error("the scrape takes too long")), this.#limitMs);
    signal.addEventListener("abort", end, { once: true });
    body.once("close", () => {
      clearTimeout(limit);
      signal.removeEventListener("abort", end);
      this.#semaphore.release(client);
    });
    return body;
  }

  async *#text(): AsyncGenerator<string> {
    // Merged for each scrape: a component may register a metric after the start. merge() rejects an empty
    // list.
    yield await Registry.merge([new Registry(), ...this.#input.registries]).metrics();
    let busySinceMs = performance.now();
    for (const piece of this.#input.pieces()) {
      // A client that keeps up never pauses the stream, and would have all pieces formatted without a break.
      if (performance.now() - busySinceMs >= burstMs) {
        await yieldToEventLoop();
        busySinceMs = performance.now();
      }
      if (piece !== "") yield piece;
    }
  }
}
