import { createHash } from "node:crypto";
import { systemClock } from "../core/clock.ts";
import { type SecretValue, secretForms } from "./secret-forms.ts";
import { type KnownText, SecretTexts } from "./secret-texts.ts";

/** How long a replaced secret is still masked: earlier messages and in-flight requests contain it. */
const graceMs = 600_000;
/** Bounds the memory. */
const maxTexts = 500_000;
/** Replaced secrets must not displace those in use, however often they change. */
const maxRetiredTexts = 50_000;

interface Held {
  /** Identifies the secrets without storing them. */
  readonly digest: string;
  readonly texts: readonly KnownText[];
}

interface Retired {
  readonly texts: readonly KnownText[];
  readonly untilMs: number;
}

/**
 * The secrets that this process uses, which `redact` masks in all output. Every reader of a secret registers
 * it here under a name of its own, and again when it has changed.
 */
export class LiveSecrets {
  readonly #monotonicMs: () => number;
  readonly #texts = new SecretTexts(maxTexts);
  readonly #held = new Map<string, Held>();
  /** Oldest first. */
  readonly #retired = new Set<Retired>();
  #retiredTexts = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Sets the secrets of this owner; its previous ones stay known for ten minutes.
   *
   * @param owner the secrets' origin, such as `file /run/token`
   */
  hold(owner: string, values: readonly SecretValue[]): void {
    const before = this.#held.get(owner);
    const digest = createHash("sha256").update(JSON.stringify(values)).digest("base64");
    if (before?.digest === digest) return;
    if (values.length === 0) this.#held.delete(owner);
    else {
      const forms = new Set(values.flatMap((value) => [...secretForms(value)]));
      this.#held.set(owner, { digest, texts: [...forms].flatMap((form) => this.#texts.add(form)) });
    }
    if (before !== undefined) this.#retire(before.texts);
  }

  /** @returns the text with all secrets masked */
  mask(text: string): string {
    if (this.#retired.size > 0) this.#forget();
    return this.#texts.mask(text);
  }

  #retire(texts: readonly KnownText[]): void {
    this.#retired.add({ texts, untilMs: this.#monotonicMs() + graceMs });
    this.#retiredTexts += texts.length;
    this.#forget();
  }

  #forget(): void {
    const nowMs = this.#monotonicMs();
    for (const retired of this.#retired) {
      if (retired.untilMs > nowMs && this.#retiredTexts <= maxRetiredTexts) break;
      this.#retired.delete(retired);
      this.#retiredTexts -= retired.texts.length;
      this.#texts.remove(retired.texts);
    }
  }
}

/** One per process: any text may contain any of the secrets. */
export const liveSecrets = new LiveSecrets(() => systemClock.monotonicMs());
