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
}

export interface PolicySink {
  readonly name: string;
  /** Names of existing sources, without duplicates. */
  readonly sources: readonly string[];
  readonly endpoint: string;
  /** Name of a Secret of type kubernetes.io/basic-auth in the policy's namespace. */
  readonly basicAuthSecret?: string | undefined;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
}

interface BatchSettings {
  readonly timeoutMs: number;
  /** Maximum number of samples in a request. */
  readonly maxSize: number;
}

export interface RetrySettings {
  /** Total number of requests, including the first. */
  readonly maxAttempts: number;
  readonly backoffMs: number;
  /** What is done with samples that keep failing while others are accepted. Absent: as configured. */
  readonly onExhausted?: "replay" | "drop" | undefined;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** The credentials of a Secret of type kubernetes.io/basic-auth: username and password, decoded. */
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
  readonly basicAuth?: BasicAuth | undefined;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
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
