import fc from "fast-check";
import { checkExportPolicy } from "../../src/exporter/policy/spec/check-policy.ts";
import type { Json } from "../../src/kube-server/api/object.ts";
import { borderlinePolicy } from "../support/policy/policy-arbitrary.ts";
import type { SendRequest } from "./replay.ts";
import { policies } from "./schema-cases.ts";

/**
 * Sends random ExportPolicies near the limits of the schema to both servers, as dry runs.
 *
 * @returns policies that only one of them accepts, with both responses
 */
export async function differentlyAccepted(
  platform: SendRequest,
  oracle: SendRequest,
  count: number,
  seed: number,
): Promise<string[]> {
  const path = `${policies}?dryRun=All&fieldValidation=Strict`;
  const different: string[] = [];
  for (const policy of fc.sample(borderlinePolicy, { numRuns: count, seed })) {
    if (hasBadQuery(policy)) continue;
    const body = policy as Json;
    const [ours, theirs] = await Promise.all(
      [platform, oracle].map((send) => send({ method: "POST", path, body })),
    );
    if (ours?.code === theirs?.code || (isRefused(ours?.code) && isRefused(theirs?.code))) continue;
    different.push(`${JSON.stringify(policy)}\n  platform: ${ours?.text}\n  API server: ${theirs?.text}`);
  }
  return different;
}

/** A Kubernetes API server does not check MetricsQL. */
function hasBadQuery(policy: Record<string, unknown>): boolean {
  const { faults } = checkExportPolicy(policy, { plane: "test", unknownFields: "error" });
  return faults.some(({ path, reason }) => path.at(-1) === "metricsql" && reason === "FieldValueInvalid");
}

function isRefused(code: number | undefined): boolean {
  return code === 400 || code === 422;
}
