import type { TlsSettings } from "../core/tls-material.ts";
import type { ProtocolSetting } from "./endpoint-state.ts";

/** One item of `delivery.endpoints`: the operator's word on the endpoints that begin with its prefix. */
export interface EndpointSettings {
  readonly urlPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerTokenFile?: string | undefined;
  readonly tls: TlsSettings;
  readonly proxyUrl?: string | undefined;
  readonly externalLabels: Readonly<Record<string, string>>;
  readonly dropLabels: readonly string[];
  /** 0: no limit. */
  readonly maxSamplesPerSecond: number;
  readonly protocol?: ProtocolSetting | undefined;
}

/**
 * The settings for an endpoint: those with the longest prefix that it begins with. Scheme, host and port must be equal, so that
 * `https://a.example` is no prefix of `https://a.example.evil.example/` and its token does not go there.
 */
export function settingsFor(
  endpoint: string,
  list: readonly EndpointSettings[],
): EndpointSettings | undefined {
  const url = new URL(endpoint);
  let best: EndpointSettings | undefined;
  let bestLength = -1;
  for (const settings of list) {
    const prefix = new URL(settings.urlPrefix);
    const path = prefix.pathname + prefix.search;
    if (prefix.origin !== url.origin || !(url.pathname + url.search).startsWith(path)) continue;
    if (path.length > bestLength) {
      best = settings;
      bestLength = path.length;
    }
  }
  return best;
}
