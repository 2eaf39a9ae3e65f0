import type { Clock } from "../../base/core/clock.ts";
import { logErrors, runLoop, Wakeup } from "../../base/core/loop.ts";
import { isObject } from "../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../base/log/log.ts";
import { basicAuthType, checkSecret } from "../../exporter/policy/spec/secret.ts";
import type { Secret } from "../../exporter/policy/spec/types.ts";
import type { PlaneClient } from "./api/plane-client.ts";

/** A Secret that a policy names. */
export interface NamedSecret {
  readonly namespace: string;
  readonly name: string;
  /** The keys that are read of it; none: it must have the type basic-auth. */
  readonly keys: readonly string[];
}

export interface OtherSecretsOptions {
  readonly client: PlaneClient;
  readonly plane: string;
  /** Secrets that policies name but that are not followed: they do not exist, or have another type. */
  missing(): readonly NamedSecret[];
  /** Called with the Secrets of another type, and the values of their keys, whenever these change. */
  onChange(others: readonly Secret[]): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Results are rechecked after this long, because no event announces a change. Bounds a rotation, too. */
const repeatMs = 30_000;
const onlyMetadata =
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.1";

/**
 * Reads the Secrets of other types that policies name. Only basic-authentication Secrets are followed: of any
 * other, nothing is read but the keys that a policy names, and where it names none, only the existence is
 * checked, for the policy's condition.
 */
export class OtherSecrets {
  readonly #options: OtherSecretsOptions;
  /** By `namespace/name`, with the keys. */
  #known = new Map<string, { readonly secret: Secret | undefined; readonly askedMs: number }>();
  #reported = "[]";
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
    for (const named of missing) {
      const nowMs = this.#options.clock.monotonicMs();
      const key = JSON.stringify(named);
      const known = before.get(key);
      if (known !== undefined && nowMs - known.askedMs < repeatMs) this.#known.set(key, known);
      else {
        const found = await this.#read(named, signal);
        this.#known.set(key, { secret: found === "unknown" ? known?.secret : found, askedMs: nowMs });
      }
    }
    const others = [...this.#known.values()].flatMap(({ secret }) => secret ?? []);
    const report = JSON.stringify(
      others.map(({ data, unreadable = [], ...secret }) => ({
        ...secret,
        data: [...data],
        unreadable: [...unreadable],
      })),
    );
    if (report !== this.#reported) this.#options.onChange(others);
    this.#reported = report;
    return missing.length;
  }

  async #read(
    { namespace, name, keys }: NamedSecret,
    signal: AbortSignal,
  ): Promise<Secret | undefined | "unknown"> {
    const { client, plane, log } = this.#options;
    const query = { fieldSelector: `metadata.name=${name},type!=${basicAuthType}`, limit: "1" };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
    const options = keys.length === 0 ? { query, accept: onlyMetadata } : { query };
    const response = await client.send("GET", path, options, signal);
    if (response.outcome !== "ok") {
      log.debug({ namespace, secret: name, error: response.message }, "a Secret cannot be read");
      return "unknown";
    }
    const { items } = response.json;
    const [item] = Array.isArray(items) ? (items as unknown[]) : [];
    if (!isObject(item)) return undefined;
    const identity = { plane, namespace, name };
    if (keys.length === 0) return { ...identity, type: "", data: new Map() };
    // A list's items have neither apiVersion nor kind.
    const { secret } = checkSecret({ ...item, apiVersion: "v1", kind: "Secret" }, plane);
    const chosen = ([key]: readonly [string, string]) => keys.includes(key);
    return {
      ...identity,
      type: secret?.type ?? "",
      data: new Map([...(secret?.data ?? [])].filter(chosen)),
      unreadable: new Map([...(secret?.unreadable ?? [])].filter(chosen)),
    };
  }
}
