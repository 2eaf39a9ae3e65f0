import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/core/log.ts";
import { pause } from "../../base/core/signals.ts";
import { basicAuthType } from "../../exporter/policy/spec/secret.ts";
import type { PlaneClient } from "./plane-client.ts";

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

export interface OtherSecretsOptions {
  readonly client: PlaneClient;
  /** The Secrets that policies name and that are not followed: there are none of them, or they are of another type. */
  missing(): readonly SecretName[];
  /** Called with those of another type, whenever they are others than before. */
  onChange(others: readonly SecretName[]): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What was found out is asked again after this long: nobody tells of it. */
const repeatMs = 30_000;
const onlyMetadata =
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.1";

/**
 * Tells a Secret that is not there from one of a type that is of no use, which a policy's condition has to. Only Secrets of
 * basic authentication are followed; of one that a policy names beside them no more is asked than whether it is there.
 */
export class OtherSecrets {
  readonly #options: OtherSecretsOptions;
  /** By `namespace/name`. */
  #known = new Map<string, { readonly isThere: boolean; readonly askedMs: number }>();
  #wake = new AbortController();

  constructor(options: OtherSecretsOptions) {
    this.#options = options;
  }

  /** Policies or Secrets have changed: others may be missing. */
  notice(): void {
    this.#wake.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#wake = new AbortController();
        const waitMs = (await this.turn(signal)) === 0 ? Number.POSITIVE_INFINITY : repeatMs;
        await pause(this.#options.clock, waitMs, [signal, this.#wake.signal]);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Asks for each that was not asked for lately, one after another. @returns how many are missing */
  async turn(signal: AbortSignal): Promise<number> {
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

  /** @returns undefined where that is not known */
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
