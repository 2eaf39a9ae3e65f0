/** Whether traffic may come, and if not, why: what `/readyz` reports. */
export interface Readiness {
  readonly ready: boolean;
  /** One sentence each; empty when ready. */
  readonly reasons: readonly string[];
}
