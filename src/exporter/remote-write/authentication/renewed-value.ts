import type { Clock } from "../../../base/core/clock.ts";
import { onAbort } from "../../../base/core/on-abort.ts";
import type { Verdict } from "../transport/classify-response.ts";

/** A fetched value, or why there is none. */
export type Fetched<T> =
  | {
      readonly kind: "value";
      readonly value: T;
      /** Absent: until the receiver refuses it. */
      readonly lifetimeMs?: number | undefined;
    }
  | { readonly kind: "unavailable"; readonly verdict: Verdict };

/** A value is renewed after this share of its lifetime; the old one is used until the new one is there. */
const renewAfter = 0.8;
/** A failed fetch is not repeated sooner, whoever needs the value. */
const failureMs = 5_000;
/** A younger value is not replaced because it was refused: a new one would be refused as well. */
const leastAgeMs = 30_000;

/** A value that expires, such as an access token: fetched when it is needed, once for all who wait for it. */
export class RenewedValue<T> {
  readonly #fetch: () => Promise<Fetched<T>>;
  readonly #clock: Clock;
  #value: { readonly value: T; readonly fetchedMs: number; readonly lifetimeMs: number } | undefined;
  #failure: { readonly failed: Fetched<T>; readonly untilMs: number } | undefined;
  #fetching: Promise<Fetched<T>> | undefined;

  /** @param fetch never rejects */
  constructor(fetch: () => Promise<Fetched<T>>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** @returns undefined when the signal aborts first */
  async get(signal: AbortSignal): Promise<Fetched<T> | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const current = this.#value;
    const ageMs = current === undefined ? 0 : nowMs - current.fetchedMs;
    if (current !== undefined && ageMs < current.lifetimeMs) {
      if (ageMs >= current.lifetimeMs * renewAfter && !this.#hasFailed(nowMs)) void this.#renew();
      return { kind: "value", value: current.value };
    }
    if (this.#failure !== undefined && this.#hasFailed(nowMs)) return this.#failure.failed;
    return await new Promise((resolve) => {
      const forget = onAbort(signal, () => resolve(undefined));
      if (signal.aborted) resolve(undefined);
      void this.#renew().then((fetched) => {
        forget();
        resolve(fetched);
      });
    });
  }

  /** Call when the value was refused. @returns whether a new one may be accepted */
  refused(value: T): boolean {
    const current = this.#value;
    if (current === undefined || current.value !== value) return true;
    if (this.#clock.monotonicMs() - current.fetchedMs < leastAgeMs) return false;
    this.#value = undefined;
    return true;
  }

  #hasFailed(nowMs: number): boolean {
    return this.#failure !== undefined && nowMs < this.#failure.untilMs;
  }

  async #renew(): Promise<Fetched<T>> {
    this.#fetching ??= this.#fetchOnce();
    return await this.#fetching;
  }

  async #fetchOnce(): Promise<Fetched<T>> {
    const fetched = await this.#fetch();
    const nowMs = this.#clock.monotonicMs();
    this.#fetching = undefined;
    if (fetched.kind === "value") {
      const { value, lifetimeMs = Number.POSITIVE_INFINITY } = fetched;
      this.#value = { value, fetchedMs: nowMs, lifetimeMs };
      this.#failure = undefined;
    } else this.#failure = { failed: fetched, untilMs: nowMs + failureMs };
    return fetched;
  }
}
