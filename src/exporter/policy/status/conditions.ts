/** A condition as Kubernetes defines it (meta/v1 Condition). */
export interface Condition {
  readonly type: "Ready" | "Accepted" | "Delivering";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339 time of the last change of `status`. */
  readonly lastTransitionTime: string;
}

/** `status` of an ExportPolicy, as written back and as shown at the ops address. */
export interface PolicyStatus {
  readonly conditions: readonly Condition[];
  readonly sinks: readonly SinkStatus[];
}

interface SinkStatus {
  readonly name: string;
  readonly conditions: readonly Condition[];
  /** RFC 3339: the sink has received everything up to this time; absent until it has started. */
  readonly checkpoint?: string;
}
