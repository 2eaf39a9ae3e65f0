import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Clock } from "../../../base/core/clock.ts";
import { liveSecrets } from "../../../base/log/live-secrets.ts";
import { SecretFile } from "../../../base/log/secret-file.ts";
import { secretsByName } from "../../../base/log/secret-values.ts";
import { withoutBrackets } from "../../../base/net/host.ts";
import type { TlsSettings } from "../../../base/net/tls-material.ts";

/**
 * The settings of the configuration's `metrics` for reading. Files are read at each use; "" means no file.
 */
export interface MetricsStoreSettings {
  /** With the path prefix, such as `/select/0/prometheus`. */
  readonly url: string;
  readonly flavor: "auto" | StoreFlavor;
  /** Maximum number of open reads. */
  readonly concurrency: number;
  /** The store keeps one sample of each such interval; 0: it is asked. */
  readonly dedupIntervalMs?: number | undefined;
  readonly basicAuth?: { readonly username: string; readonly passwordFile: string } | undefined;
  readonly bearerTokenFile?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A header of every request that names the store's tenant. */
  readonly tenant?: { readonly header: string; readonly id: string } | undefined;
  readonly tls?: TlsSettings | undefined;
}

export type StoreFlavor = "victoriametrics" | "prometheus";

/** The store's time limits, in ms. */
export interface StoreTimeouts {
  readonly connectMs: number;
  /** Until the response's headers arrive: the store may queue a read before it starts. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number;
  /** For one whole read; the limit is sent to the store, so that it aborts too. */
  readonly readMs: number;
}

export const defaultStoreTimeouts: StoreTimeouts = {
  connectMs: 5_000,
  headersMs: 60_000,
  bodyIdleMs: 30_000,
  readMs: 120_000,
};

/** The request headers from the settings; secrets are read again when their file changes. */
export class StoreHeaders {
  readonly #settings: MetricsStoreSettings;
  readonly #secret: SecretFile | undefined;
  readonly #isThisHost: boolean;

  constructor(settings: MetricsStoreSettings, clock: Clock) {
    this.#settings = settings;
    const file = settings.basicAuth?.passwordFile ?? settings.bearerTokenFile;
    this.#secret = file ? new SecretFile(file, clock) : undefined;
    this.#isThisHost = isThisHost(new URL(settings.url).hostname);
  }

  /** @throws FILE_UNREADABLE */
  async value(signal: AbortSignal): Promise<Record<string, string>> {
    const headers: Record<string, string> = { ...this.#settings.headers };
    const { basicAuth } = this.#settings;
    const secret = await this.#secret?.value(signal);
    liveSecrets.hold("metrics", [
      ...(basicAuth && secret !== undefined ? [{ username: basicAuth.username, password: secret }] : []),
      ...secretsByName(headers),
    ]);
    if (secret !== undefined) {
      headers["authorization"] =
        basicAuth === undefined
          ? `Bearer ${secret}`
          : `Basic ${Buffer.from(`${basicAuth.username}:${secret}`).toString("base64")}`;
    }
    const { tenant } = this.#settings;
    if (tenant !== undefined) headers[tenant.header] = tenant.id;
    // On one host, compressing costs more than the bytes it saves.
    if (!this.#isThisHost) headers["accept-encoding"] = "gzip";
    return headers;
  }
}

/** Whether the host is a name or address of this machine, as far as it can be determined without DNS. */
export function isThisHost(host: string): boolean {
  const name = withoutBrackets(host).toLowerCase();
  if (isIP(name) === 0)
    return name === "localhost" || name.endsWith(".localhost") || name === hostname().toLowerCase();
  if (name === "::1" || name.startsWith("127.")) return true;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === name),
  );
}
