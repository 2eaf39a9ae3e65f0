import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import { directoryPlane } from "../../policy/plane.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";

/**
 * The owner of a sink's reads: the project where projects are distinguished, otherwise the policy. See
 * `ReadRequest`.
 *
 * @param sink its key
 */
export function readOwner(plan: SinkPlan, sink: string, tenant: Tenant | undefined): string {
  const { plane } = plan.policy;
  if (plan.tenant !== undefined && plane !== directoryPlane) return plane;
  return tenant?.value ?? sink.slice(0, -plan.name.length);
}
