import { createHash } from "node:crypto";
import { systemClock } from "../clock.ts";
import { type SecretValue, secretForms } from "./secret-forms.ts";
import { type KnownText, SecretTexts } from "./secret-texts.ts";

/** A secret that was replaced is looked for this long: messages of before, and requests that are under way, hold it. */
const graceMs = 600_000;
/** About 60 MB. */
const maxTexts = 500_000;
/** What was replaced must not take the place of what is in use, however often it is replaced. */
const maxRetiredTexts = 50_000;

interface Held {
  /** Tells whether the secrets have changed, without a copy of them. */
  readonly digest: string;
  readonly texts: readonly KnownText[];
}

interface Retired {
  readonly texts: readonly KnownText[];
  readonly untilMs: number;
}

/**
 * The secrets that this process uses, so that `redact` can take them out of whatever it prints. Whoever reads one
 * announces it here under a name of its own, and again when it has changed.
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
   * From now on these are the secrets of this owner; those that it had before stay known for ten minutes.
   *
   * @param owner what the secrets are of, such as `file /run/token`
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

  /** @returns the text without any of the secrets */
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

/** Those of this process: a text from anywhere may hold any of them. */
export const liveSecrets = new LiveSecrets(() => systemClock.monotonicMs());
