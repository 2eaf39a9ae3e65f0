/** Readiness for traffic, and the reasons against it, as `/readyz` reports them. */
export interface Readiness {
  readonly ready: boolean;
  /** One sentence each; empty when ready. */
  readonly reasons: readonly string[];
}
