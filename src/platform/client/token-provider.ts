import { nextDelay } from "../../base/core/backoff.ts";
import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/core/log.ts";
import { liveSecrets } from "../../base/core/secrets/live-secrets.ts";
import type { SecretFile } from "../../base/core/secrets/secret-file.ts";
import type { Bearer, ExchangeOutcome } from "./exchange.ts";

/** Gives the bearer token for a request, and takes back one that was refused. */
export interface TokenProvider {
  /** @throws the signal's reason; otherwise it waits, through failures, until there is a token */
  token(signal: AbortSignal): Promise<string>;
  /** A request with this token got 401 or 403: the next one gets a new token. */
  refused(token: string): void;
  snapshot(): BearerSnapshot;
}

export interface BearerSnapshot {
  readonly state: "none" | "valid" | "failing";
  /** RFC 3339; when the present token will be renewed. */
  readonly renewAt?: string;
  readonly lastError?: string;
}

export interface ExchangingOptions {
  readonly accessToken: Pick<SecretFile, "value">;
  exchange(accessToken: string, signal: AbortSignal): Promise<ExchangeOutcome>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** What a token lives where it does not say so itself (platform API, "Authentication"). */
const usualLifetimeMs = 3_600_000;
const retry = { baseMs: 1_000, maxMs: 60_000, jitter: 0.3 };
/** Refusals come in bursts, from every watch: one new token within this time is enough to tell. */
const refusalPauseMs = 10_000;

/**
 * When to renew a token that was got at `nowMs`: after 75 to 90 % of its life, so that many daemons do not come together.
 *
 * @param random in [0, 1)
 */
export function renewalTime(bearer: Bearer, nowMs: number, random: number): number {
  const lifetimeMs = Math.max(0, (bearer.expiresMs ?? nowMs + usualLifetimeMs) - nowMs);
  return nowMs + lifetimeMs * (0.75 + 0.15 * random);
}

/**
 * Exchanges the Personal Access Token for bearer tokens, one exchange at a time: whoever needs a token meanwhile waits for
 * the same one. A token is replaced whole, so that a request goes with the old or with the new one.
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
      // A token that is over when it comes must not be asked for in a storm.
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
        // A token that is due but still good goes on being used while the exchange is in trouble.
        if (failures > 0 && isUsable()) {
          shared.catch(() => undefined);
          break;
        }
        await shared.catch(() => signal.throwIfAborted());
      }
      return current?.text ?? "";
    },
    refused(token) {
      if (current?.text !== token || clock.nowMs() - current.gotMs < refusalPauseMs) return;
      current = undefined;
    },
    snapshot() {
      const state = lastError !== undefined ? "failing" : current === undefined ? "none" : "valid";
      return {
        state,
        ...(current === undefined ? {} : { renewAt: new Date(current.renewMs).toISOString() }),
        ...(lastError === undefined ? {} : { lastError }),
      };
    },
  };
}

/** For a server that knows its clients by other means, such as certificates: requests go without a token. */
export const noBearer: TokenProvider = {
  token: async () => "",
  refused: () => undefined,
  snapshot: () => ({ state: "valid" }),
};
