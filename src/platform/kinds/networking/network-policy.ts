import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import { objectField } from "../../../kube-server/api/schema.ts";
import { alphaNames, declaredInProjects } from "../declared-in-projects.ts";

/** Reserved for rules that many workloads share; the rules of one workload are in its interfaces. */
export function networkPolicyKind(groupDomain: string): KindDefinition {
  const description =
    "NetworkPolicy has no fields yet: the rules of a workload are in its network interfaces.";
  return {
    ...alphaNames(`networking.${groupDomain}`, "NetworkPolicy", "networkpolicies"),
    ...declaredInProjects,
    schema: objectField(description, [], {
      spec: objectField("Empty.", [], {}),
      status: objectField("Empty.", [], {}),
    }),
    columns: [],
  };
}
