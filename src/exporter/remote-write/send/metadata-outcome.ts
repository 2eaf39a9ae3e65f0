import type { Verdict } from "../transport/classify-response.ts";

/**
 * What became of metadata: `refused` by a receiver that does not want it, `failed` when another request may
 * succeed.
 */
export type MetadataOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "refused" | "failed"; readonly message: string };

/** These are about the endpoint, its credentials or its load, and samples get them too. */
const notRefusals: ReadonlySet<number> = new Set([401, 403, 404, 407, 408, 425, 429]);

/** The outcome of a request of metadata alone. */
export function metadataOutcome(verdict: Verdict): MetadataOutcome {
  if (verdict.kind === "delivered") return { kind: "delivered" };
  if (verdict.kind === "aborted") return { kind: "failed", message: "it was broken off" };
  const message = "detail" in verdict ? (verdict.detail ?? verdict.message) : verdict.message;
  const status = "status" in verdict ? verdict.status : undefined;
  const isRefusal = status !== undefined && status >= 400 && status < 500 && !notRefusals.has(status);
  return { kind: isRefusal ? "refused" : "failed", message };
}
