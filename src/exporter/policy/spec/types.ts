import type { RelabelRule } from "../../relabel/rule.ts";

/**
 * A checked ExportPolicy with every default filled in. Times in ms. The wire form is in `schema.ts`; the
 * contract is the platform API's "ExportPolicy (telemetry export)".
 */
export interface ExportPolicy {
  readonly ref: PolicyRef;
  /** Starts at 1; the origin increments it when the spec changes. A directory counts changes of the spec. */
  readonly generation: number;
  readonly sources: readonly PolicySource[];
  readonly sinks: readonly PolicySink[];
  /** From the annotation `telemetry.<groupDomain>/paused`: all sinks, or the named ones. */
  readonly paused: "all" | ReadonlySet<string>;
}

/** Identity of a policy. Two policies are the same exactly when all four fields agree. */
export interface PolicyRef {
  /** Control plane of origin: "directory", or a project. */
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  /** `metadata.uid`, or "-" for a policy from a directory. */
  readonly uid: string;
}

export interface PolicySource {
  readonly name: string;
  /** MetricsQL, as written. */
  readonly metricsql: string;
  /**
   * The samples' times are multiples of this: an expression is evaluated there, a selector thinned as by
   * `last_over_time`. Absent: an expression as configured, every sample of a selector.
   */
  readonly intervalMs?: number | undefined;
}

export interface PolicySink {
  readonly name: string;
  /** Names of existing sources, without duplicates. */
  readonly sources: readonly string[];
  readonly endpoint: string;
  readonly authentication?: AuthenticationSpec | undefined;
  /** Further request headers, by their names in lower case. */
  readonly headers?: ReadonlyMap<string, HeaderValue> | undefined;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
  /** Absent: as configured. */
  readonly compression?: Compression | undefined;
  readonly relabel?: readonly RelabelRule[];
}

/** How a sink's requests are authenticated, with the places of its secrets. */
export type AuthenticationSpec =
  /** The name of a Secret of type kubernetes.io/basic-auth. */
  | { readonly kind: "basicAuth"; readonly secret: string }
  | { readonly kind: "bearer"; readonly token: SecretKey }
  | ({ readonly kind: "oauth2"; readonly clientSecret: SecretKey } & OAuth2Client)
  /** The name of a Secret with `accessKey` and `secretKey`; absent: the environment's credentials. */
  | ({ readonly kind: "sigv4"; readonly secret?: string | undefined } & SigningScope)
  | ({ readonly kind: "azureAd"; readonly clientSecret?: SecretKey | undefined } & AzureApplication)
  /** A service account's key, JSON. */
  | { readonly kind: "google"; readonly key?: SecretKey | undefined };

/** A value of a Secret in the policy's namespace. */
export interface SecretKey {
  readonly secret: string;
  readonly key: string;
}

/** Written in the policy, or in a Secret. */
export type HeaderValue = string | SecretKey;

/** RFC 6749, section 4.4: the client credentials grant. */
export interface OAuth2Client {
  readonly clientId: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  /** Further parameters of the token request. */
  readonly endpointParams: Readonly<Record<string, string>>;
}

/** AWS Signature Version 4. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** The role that is assumed first. */
  readonly roleArn?: string | undefined;
}

export const azureClouds = ["AzurePublic", "AzureChina", "AzureGovernment"] as const;

/** An application in Microsoft Entra ID. Absent IDs are the environment's. */
export interface AzureApplication {
  readonly cloud: (typeof azureClouds)[number];
  readonly tenantId?: string | undefined;
  readonly clientId?: string | undefined;
}

/** {@link AuthenticationSpec} with the secrets themselves. */
export type Credentials =
  | ({ readonly kind: "basicAuth" } & BasicAuth)
  | { readonly kind: "bearer"; readonly token: string }
  | ({ readonly kind: "oauth2"; readonly clientSecret: string } & OAuth2Client)
  | ({ readonly kind: "sigv4"; readonly keys?: AwsKeys | undefined } & SigningScope)
  | ({ readonly kind: "azureAd"; readonly clientSecret?: string | undefined } & AzureApplication)
  | { readonly kind: "google"; readonly account?: GoogleAccount | undefined };

export interface AwsKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string | undefined;
}

/** The parts of a Google service account's key that a token request needs. */
export interface GoogleAccount {
  readonly clientEmail: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly privateKeyId?: string | undefined;
  readonly tokenUri: string;
}

export const compressions = ["snappy", "zstd", "auto"] as const;

/** `zstd`: VictoriaMetrics' form of remote write; `auto`: where the receiver responds that it takes it. */
export type Compression = (typeof compressions)[number];

interface BatchSettings {
  readonly timeoutMs: number;
  /** Maximum number of samples in a request. */
  readonly maxSize: number;
  /** Maximum number of bytes in a request, uncompressed. */
  readonly maxBytes: number;
}

export interface RetrySettings {
  /** Total number of requests, including the first. */
  readonly maxAttempts: number;
  readonly backoffMs: number;
  /** Older samples are skipped. Absent: as configured. */
  readonly maxBackfillMs?: number | undefined;
  /** What is done with samples that keep failing while others are accepted. Absent: as configured. */
  readonly onExhausted?: "replay" | "drop" | undefined;
  /** The order after an outage. Absent: oldestFirst. */
  readonly order?: "oldestFirst" | "newestFirst" | undefined;
  /** False: samples of a request that has the response 429 are dropped. Absent: true. */
  readonly retryOn429?: boolean | undefined;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** A Secret's values, decoded: of type kubernetes.io/basic-auth only username and password. */
export interface Secret {
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly data: ReadonlyMap<string, string>;
  /** Faults of the credentials that were left out, by key, such as "must be UTF-8 text in base64". */
  readonly unreadable?: ReadonlyMap<string, string>;
}

/** The work of one sink of one policy: everything the exporter needs, with no further lookups. */
export interface SinkPlan {
  readonly policy: PolicyRef;
  readonly generation: number;
  readonly name: string;
  readonly sources: readonly PolicySource[];
  readonly endpoint: string;
  readonly credentials?: Credentials | undefined;
  /** Further request headers, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
  readonly compression?: Compression | undefined;
  readonly relabel?: readonly RelabelRule[];
  readonly paused: boolean;
  /** Set where the metrics store has tenants of its own: `metrics.tenancy: header | path`. */
  readonly tenant?: ReadTenant | undefined;
}

/** The metrics store's tenant that a sink is read from; without one, nothing is read, for the stated reason. */
export type ReadTenant =
  | { readonly kind: "tenant"; readonly id: string }
  | { readonly kind: "none"; readonly message: string };

/** The stable name of a sink: plane/namespace/policy/uid/sink. The parts contain no slash. */
export function sinkKey(policy: PolicyRef, sinkName: string): string {
  return `${policy.plane}/${policy.namespace}/${policy.name}/${policy.uid}/${sinkName}`;
}

/** namespace/policy/sink from a sink's key; behind its control plane, unless that is the directory. */
export function sinkName(key: string): string {
  const [plane = "", namespace = "", policy = "", , sink = ""] = key.split("/");
  return [...(plane === "directory" ? [] : [plane]), namespace, policy, sink].join("/");
}
