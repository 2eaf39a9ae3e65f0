import type { EgressScope } from "../../../base/net/egress.ts";
import type { TlsSettings } from "../../../base/net/tls-material.ts";
import type { Compression } from "../../policy/spec/types.ts";
import type { RelabelRule } from "../../relabel/rule.ts";
import type { Names } from "../encoding/label-names.ts";
import type { ProtocolSetting } from "./endpoint-state.ts";

/** One item of `delivery.endpoints`: the operator's settings for the endpoints below its prefix. */
export interface EndpointSettings {
  /** Without query and fragment. */
  readonly urlPrefix: string;
  /**
   * Whether all of the entry also applies to control planes' policies; otherwise see {@link settingsOfScope}.
   */
  readonly tenants: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerTokenFile?: string | undefined;
  /** Policies may use the credentials of the daemon's environment. */
  readonly environmentCredentials: boolean;
  readonly tls: TlsSettings;
  readonly proxyUrl?: string | undefined;
  readonly externalLabels: Readonly<Record<string, string>>;
  readonly dropLabels: readonly string[];
  /** Applied to all policies' series, after the two above. */
  readonly relabel?: readonly RelabelRule[] | undefined;
  /** 0: no limit. */
  readonly maxSamplesPerSecond: number;
  readonly protocol?: ProtocolSetting | undefined;
  /** Of sinks that say nothing. Absent: snappy. */
  readonly compression?: Compression | undefined;
  /** Absent: `utf8`. */
  readonly names?: Names | undefined;
}

/**
 * The settings for an endpoint: those with the longest matching prefix. Scheme, host and port must be equal,
 * so that `https://a.example` is not a prefix of `https://a.example.evil.example/`. The path is compared by
 * whole segments, so that `/tenants/web` is not a prefix of `/tenants/web-evil`.
 */
export function settingsFor(
  endpoint: string,
  list: readonly EndpointSettings[],
): EndpointSettings | undefined {
  const url = new URL(endpoint);
  if (isAmbiguous(url.pathname)) return undefined;
  let best: EndpointSettings | undefined;
  let bestLength = -1;
  for (const settings of list) {
    const prefix = new URL(settings.urlPrefix);
    if (prefix.origin !== url.origin || !isBelow(url.pathname, prefix.pathname)) continue;
    if (prefix.pathname.length > bestLength) {
      best = settings;
      bestLength = prefix.pathname.length;
    }
  }
  return best;
}

/**
 * The part of an entry that applies to policies of this scope. The operator's trust (credentials, headers,
 * certificates, the proxy) is limited to the operator's own policies unless the entry says `tenants: true`:
 * the author of a control plane's policy chooses its endpoint, and could otherwise use that trust. Limits and
 * labels apply to all.
 */
export function settingsOfScope(settings: EndpointSettings, scope: EgressScope): EndpointSettings {
  if (scope === "operator" || settings.tenants) return settings;
  return {
    ...settings,
    headers: {},
    bearerTokenFile: undefined,
    environmentCredentials: false,
    tls: {},
    proxyUrl: undefined,
  };
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}

/**
 * Whether a server may resolve a path to another one, outside of a prefix: `/a/..%2fb`, the same encoded
 * twice, and `/a/..;x/b`, from which some servers strip the parameter.
 */
function isAmbiguous(path: string): boolean {
  return /%(?:25)*(?:2e|2f|5c)|\/\.{1,2};/i.test(path);
}
