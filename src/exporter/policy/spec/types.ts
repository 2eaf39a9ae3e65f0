/**
 * ExportPolicy as the rest of the program sees it: read, checked, with every default filled in. Times in ms.
 * The wire form is in `schema.ts`; the contract is the platform API's "ExportPolicy (telemetry export)".
 */
export interface ExportPolicy {
  readonly ref: PolicyRef;
  /** Bumped by the source whenever the spec changes; 1 at first. A directory counts changes of the spec itself. */
  readonly generation: number;
  readonly sources: readonly PolicySource[];
  readonly sinks: readonly PolicySink[];
  /** From the annotation `telemetry.<groupDomain>/paused`: all sinks, or those named. */
  readonly paused: "all" | ReadonlySet<string>;
}

/** Where a policy lives. Two policies are the same one exactly when all four agree. */
export interface PolicyRef {
  /** The control plane: "directory", or the project whose control plane it came from. */
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
  /** Names of sources, each once, each existing. */
  readonly sources: readonly string[];
  readonly endpoint: string;
  /** Name of a Secret of type kubernetes.io/basic-auth in the policy's namespace. */
  readonly basicAuthSecret?: string;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
}

export interface BatchSettings {
  readonly timeoutMs: number;
  /** Samples in a request, at most. */
  readonly maxSize: number;
}

export interface RetrySettings {
  /** Requests in all, the first included. */
  readonly maxAttempts: number;
  readonly backoffMs: number;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** The part of a Secret that is of use here: username and password, decoded, of one of type kubernetes.io/basic-auth. */
export interface Secret {
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly data: ReadonlyMap<string, string>;
}

/** What one sink of one policy should do: everything the exporter needs, nothing to look up. */
export interface SinkPlan {
  readonly policy: PolicyRef;
  readonly generation: number;
  readonly name: string;
  readonly sources: readonly PolicySource[];
  readonly endpoint: string;
  readonly basicAuth?: BasicAuth;
  readonly batch: BatchSettings;
  readonly retry: RetrySettings;
  readonly paused: boolean;
}

/** The stable name of a sink: plane/namespace/policy/uid/sink. Parts cannot hold a slash. */
export function sinkKey(policy: PolicyRef, sinkName: string): string {
  return `${policy.plane}/${policy.namespace}/${policy.name}/${policy.uid}/${sinkName}`;
}

/** The key of a checkpoint: {@link sinkKey}/source. */
export function checkpointKey(policy: PolicyRef, sinkName: string, sourceName: string): string {
  return `${sinkKey(policy, sinkName)}/${sourceName}`;
}
