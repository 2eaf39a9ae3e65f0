import { onAbort } from "../../base/core/on-abort.ts";
import { turnWorkMs } from "../../base/core/turn-work.ts";
import type { Exemplar } from "../series/exemplar.ts";
import type { SampleBuffer, Series } from "../series/series.ts";
import type { ReadConsumer, ReadOutcome } from "./ports/sample-reader.ts";

/** Time that the consumers of one read may work in a turn of the event loop. */
const turnMs = 5;
/** The first encoding of a series takes a few us, longer only with costly rules. */
const longStepMs = 0.03;

interface Attachment {
  readonly consumer: ReadConsumer;
  readonly settle: (outcome: ReadOutcome) => void;
  readonly reject: (reason: unknown) => void;
  attached: boolean;
}

/**
 * One read shared by its consumers, which attach and detach independently. When the last one has left,
 * `signal` aborts, and the read with it.
 */
export class SharedRead {
  readonly #abandoned = new AbortController();
  /** In order of attachment; replaced, never changed, so that one may leave while the others are called. */
  #attachments: readonly Attachment[] = [];
  readonly #pause: (longMs: number) => Promise<void>;
  /** Since the last pause: all, and in long steps. */
  #workMs = 0;
  #longMs = 0;

  /** @param pause see `ReadPlace.pause` */
  constructor(pause: (longMs: number) => Promise<void>) {
    this.#pause = pause;
  }

  /** Aborts when the last consumer has left. */
  get signal(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** @throws the signal's reason, and the consumer's errors */
  async attach(consumer: ReadConsumer, signal: AbortSignal): Promise<ReadOutcome> {
    let stopWaiting = () => {};
    try {
      return await new Promise<ReadOutcome>((settle, reject) => {
        const attachment: Attachment = { consumer, settle, reject, attached: true };
        const aborted = () => {
          this.#leave(attachment);
          reject(signal.reason);
        };
        stopWaiting = onAbort(signal, aborted);
        this.#attachments = [...this.#attachments, attachment];
        consumer.onAttached?.({
          detach: () => {
            this.#leave(attachment);
            settle({ kind: "detached" });
          },
        });
      });
    } finally {
      stopWaiting();
    }
  }

  /**
   * Passes a series to all attached consumers. One that throws leaves with its error; the others stay.
   *
   * @returns see `SampleReceiver`
   */
  onSeries(series: Series, samples: SampleBuffer): Promise<void> | undefined {
    return this.#serve(this.#attachments, series, samples);
  }

  /** Many consumers, each with rules of its own, can take much longer than a turn may. */
  #serve(all: readonly Attachment[], series: Series, samples: SampleBuffer): Promise<void> | undefined {
    let served = 0;
    for (const attachment of all) {
      served++;
      if (!attachment.attached) continue;
      const beforeMs = turnWorkMs();
      try {
        attachment.consumer.onSeries(series, samples);
      } catch (error) {
        this.#failOne(attachment, error);
      }
      const stepMs = turnWorkMs() - beforeMs;
      this.#workMs += stepMs;
      if (stepMs > longStepMs) this.#longMs += stepMs;
      if (this.#workMs < turnMs) continue;
      const rest = all.slice(served);
      const paused = this.#pause(this.#longMs);
      [this.#workMs, this.#longMs] = [0, 0];
      return paused.then(() => this.#serve(rest, series, samples));
    }
    return undefined;
  }

  /** The same for exemplars, to the consumers that want them. */
  onExemplars(series: Series, exemplars: readonly Exemplar[]): void {
    for (const attachment of this.#attachments) {
      if (!attachment.attached) continue;
      try {
        attachment.consumer.onExemplars?.(series, exemplars);
      } catch (error) {
        this.#failOne(attachment, error);
      }
    }
  }

  end(outcome: ReadOutcome): void {
    for (const { settle } of this.#takeAll()) settle(outcome);
  }

  /** A fault of the program: every consumer fails with it. */
  fail(error: unknown): void {
    for (const { reject } of this.#takeAll()) reject(error);
  }

  #takeAll(): readonly Attachment[] {
    const all = this.#attachments;
    this.#attachments = [];
    for (const attachment of all) attachment.attached = false;
    return all;
  }

  #failOne(attachment: Attachment, error: unknown): void {
    this.#leave(attachment);
    attachment.reject(error);
  }

  #leave(attachment: Attachment): void {
    if (!attachment.attached) return;
    attachment.attached = false;
    this.#attachments = this.#attachments.filter((other) => other !== attachment);
    if (this.#attachments.length === 0) this.#abandoned.abort();
  }
}
