import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { liveSecrets } from "../../../base/log/live-secrets.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { SecretFile } from "../../../base/log/secret-file.ts";
import type { Bearer, ExchangeOutcome } from "./exchange.ts";

/** Provides the bearer token for requests, and learns when one is rejected. */
export interface TokenProvider {
  /** Waits, through failures, until a token is available. @throws the signal's reason */
  token(signal: AbortSignal): Promise<string>;
  /** Reports 401 or 403 for this token: the next request gets a new one. */
  rejected(token: string): void;
  snapshot(): BearerSnapshot;
}

export interface BearerSnapshot {
  readonly state: "none" | "valid" | "failing";
  /** RFC 3339; renewal time of the current token. */
  readonly renewAt?: string | undefined;
  readonly lastError?: string | undefined;
}

export interface ExchangingOptions {
  readonly accessToken: Pick<SecretFile, "value">;
  exchange(accessToken: string, signal: AbortSignal): Promise<ExchangeOutcome>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** Assumed lifetime of a token that does not state it (platform API, "Authentication"). */
const usualLifetimeMs = 3_600_000;
const retry = { baseMs: 1_000, maxMs: 60_000, jitter: 0.3 };
/** Rejections come in bursts, from every watch: one renewal within this time covers them all. */
const rejectionPauseMs = 10_000;

/**
 * Renewal time of a token obtained at `nowMs`: after 75 to 90 % of its lifetime, so that many daemons do not
 * renew at once.
 *
 * @param random in [0, 1)
 */
export function renewalTime(bearer: Bearer, nowMs: number, random: number): number {
  const lifetimeMs = Math.max(0, (bearer.expiresMs ?? nowMs + usualLifetimeMs) - nowMs);
  return nowMs + lifetimeMs * (0.75 + 0.15 * random);
}

/**
 * Exchanges the Personal Access Token for bearer tokens, one exchange at a time; concurrent callers share it.
 * Each request uses either the old token or the new one.
 */
export function createExchangingSource(options: ExchangingOptions): TokenProvider {
  const { clock, log } = options;
  let current: (Bearer & { readonly renewMs: number; readonly gotMs: number }) | undefined;
  let exchanging: Promise<void> | undefined;
  let failures = 0;
  let lastError: string | undefined;

  const exchangeOnce = async (signal: AbortSignal): Promise<void> => {
    let outcome: ExchangeOutcome;
    try {
      outcome = await options.exchange(await options.accessToken.value(signal), signal);
    } catch (error) {
      signal.throwIfAborted();
      outcome = { outcome: "failed", message: error instanceof Error ? error.message : "unknown error" };
    }
    if (outcome.outcome === "exchanged") {
      liveSecrets.hold("controlPlane token", [outcome.bearer.text]);
      const nowMs = clock.nowMs();
      // A token that has already expired on arrival must not cause an exchange storm.
      const renewMs = Math.max(nowMs + 1_000, renewalTime(outcome.bearer, nowMs, options.random()));
      current = { ...outcome.bearer, renewMs, gotMs: nowMs };
      if (failures > 0) log.info("the access token is exchanged again");
      failures = 0;
      lastError = undefined;
      return;
    }
    if (failures++ === 0) log.warn({ error: outcome.message }, "the access token cannot be exchanged");
    lastError = outcome.message;
    await clock.sleep(nextDelay(failures, retry, options.random()), signal);
  };

  const isUsable = (): boolean =>
    current !== undefined && clock.nowMs() < (current.expiresMs ?? Number.POSITIVE_INFINITY);

  return {
    async token(signal) {
      while (current === undefined || clock.nowMs() >= current.renewMs) {
        const shared =
          exchanging ??
          exchangeOnce(signal).finally(() => {
            exchanging = undefined;
          });
        exchanging = shared;
        // A token due for renewal but still valid stays in use while the exchange fails.
        if (failures > 0 && isUsable()) {
          shared.catch(() => undefined);
          break;
        }
        await shared.catch(() => signal.throwIfAborted());
      }
      return current?.text ?? "";
    },
    rejected(token) {
      if (current?.text !== token || clock.nowMs() - current.gotMs < rejectionPauseMs) return;
      current = undefined;
    },
    snapshot() {
      const state = lastError !== undefined ? "failing" : current === undefined ? "none" : "valid";
      return {
        state,
        renewAt: current && new Date(current.renewMs).toISOString(),
        lastError,
      };
    },
  };
}

/** For a server with other authentication, such as client certificates: requests carry no token. */
export const noBearer: TokenProvider = {
  token: async () => "",
  rejected: () => undefined,
  snapshot: () => ({ state: "valid" }),
};
