import type { Clock } from "../../base/core/clock.ts";
import { logErrors, runLoop, Wakeup } from "../../base/core/loop.ts";
import type { Logger } from "../../base/log/log.ts";
import { basicAuthType } from "../../exporter/policy/spec/secret.ts";
import type { PlaneClient } from "./api/plane-client.ts";

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

export interface OtherSecretsOptions {
  readonly client: PlaneClient;
  /** Secrets that policies name but that are not followed: they do not exist, or have another type. */
  missing(): readonly SecretName[];
  /** Called with the Secrets of another type whenever that list changes. */
  onChange(others: readonly SecretName[]): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Results are rechecked after this long, because no event announces a change. */
const repeatMs = 30_000;
const onlyMetadata =
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.1";

/**
 * Distinguishes a missing Secret from one of an unsupported type, for a policy's condition. Only
 * basic-authentication Secrets are followed; for any other Secret that a policy names, only its existence is
 * checked.
 */
export class OtherSecrets {
  readonly #options: OtherSecretsOptions;
  /** By `namespace/name`. */
  #known = new Map<string, { readonly isThere: boolean; readonly askedMs: number }>();
  readonly #wakeup = new Wakeup();

  constructor(options: OtherSecretsOptions) {
    this.#options = options;
  }

  /** Call when policies or Secrets have changed: other Secrets may be missing. */
  notice(): void {
    this.#wakeup.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const tick = async (): Promise<number> =>
      (await this.tick(signal)) === 0 ? Number.POSITIVE_INFINITY : repeatMs;
    const onError = logErrors("other Secrets", log);
    await runLoop(tick, { clock, pauseAfterErrorMs: repeatMs, onError, wakeup: this.#wakeup }, signal);
  }

  /**
   * Checks each Secret that was not checked recently, one at a time. @returns the number of missing Secrets
   */
  async tick(signal: AbortSignal): Promise<number> {
    const missing = this.#options.missing();
    const before = this.#known;
    this.#known = new Map();
    for (const secret of missing) {
      const nowMs = this.#options.clock.monotonicMs();
      const known = before.get(keyOf(secret));
      if (known !== undefined && nowMs - known.askedMs < repeatMs) this.#known.set(keyOf(secret), known);
      else {
        const isThere = (await this.#ask(secret, signal)) ?? known?.isThere ?? false;
        this.#known.set(keyOf(secret), { isThere, askedMs: nowMs });
      }
    }
    const others = missing.filter((secret) => this.#known.get(keyOf(secret))?.isThere);
    const namesBefore = [...before].flatMap(([key, { isThere }]) => (isThere ? [key] : []));
    const isSame = namesBefore.toSorted().join() === others.map(keyOf).toSorted().join();
    if (!isSame) this.#options.onChange(others);
    return missing.length;
  }

  /** @returns undefined if unknown */
  async #ask({ namespace, name }: SecretName, signal: AbortSignal): Promise<boolean | undefined> {
    const query = { fieldSelector: `metadata.name=${name},type!=${basicAuthType}`, limit: "1" };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
    const options = { query, accept: onlyMetadata };
    const response = await this.#options.client.send("GET", path, options, signal);
    if (response.outcome === "ok")
      return Array.isArray(response.json["items"]) && response.json["items"].length > 0;
    const { log } = this.#options;
    log.debug({ namespace, secret: name, error: response.message }, "a Secret's type cannot be asked for");
    return undefined;
  }
}

function keyOf({ namespace, name }: SecretName): string {
  return `${namespace}/${name}`;
}
