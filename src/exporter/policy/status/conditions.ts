/** A condition as Kubernetes defines it (meta/v1 Condition). */
export interface Condition {
  readonly type: "Ready" | "Accepted" | "Delivering";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339; when `status` last changed. */
  readonly lastTransitionTime: string;
}

/** `status` of an ExportPolicy: what is written back, and what the ops address shows. */
export interface PolicyStatus {
  readonly conditions: readonly Condition[];
  readonly sinks: readonly SinkStatus[];
}

export interface SinkStatus {
  readonly name: string;
  readonly conditions: readonly Condition[];
  /** RFC 3339: the sink has everything up to here; absent until it has started. */
  readonly checkpoint?: string;
}
