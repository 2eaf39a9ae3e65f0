import { printPath } from "../../base/documents/document-path.ts";
import type { CheckedPolicy, CheckedSink } from "./spec/check-policy.ts";
import type { DocumentFault } from "./spec/document-fault.ts";
import { basicAuthOf } from "./spec/secret.ts";
import type {
  BasicAuth,
  PolicyRef,
  PolicySink,
  PolicySource,
  ReadTenant,
  Secret,
  SinkPlan,
} from "./spec/types.ts";
import type { ConditionState } from "./status/condition-changes.ts";
import type { ReasonOf } from "./status/condition-reasons.ts";

/** The plan of a policy: its runnable sinks, and the conditions of the policy and of each sink. */
export interface PolicyPlan {
  readonly ref: PolicyRef;
  readonly generation: number;
  readonly sinks: readonly SinkPlan[];
  readonly ready: ConditionState;
  /** Every sink of the spec, in spec order. */
  readonly accepted: readonly { readonly name: string; readonly condition: ConditionState }[];
}

export type SecretLookup = (plane: string, namespace: string, name: string) => Secret | undefined;

/** Kubernetes allows 32768 characters in a condition's message, more than anyone reads. */
const maxMessageLength = 1_024;

/**
 * Plans a policy: everything the exporter needs, with credentials, and the conditions Ready and Accepted.
 *
 * @param tenant set where the metrics store has tenants of its own
 */
export function planPolicy(
  checked: CheckedPolicy,
  secretOf: SecretLookup,
  tenant?: ReadTenant | undefined,
): PolicyPlan {
  const { ref, generation, policy } = checked;
  const plans: SinkPlan[] = [];
  const accepted = checked.sinks.map((each) => {
    const good = policy && each.sink;
    const outcome = judgeSink(each, good, ref, secretOf);
    if (outcome.condition.status === "True" && policy !== undefined && good !== undefined) {
      plans.push({
        policy: ref,
        generation,
        name: good.name,
        sources: sourcesOf(good, policy.sources),
        endpoint: good.endpoint,
        basicAuth: outcome.basicAuth,
        batch: good.batch,
        retry: good.retry,
        paused: policy.paused === "all" || policy.paused.has(good.name),
        ...(tenant !== undefined && { tenant }),
      });
    }
    return { name: each.name, condition: outcome.condition };
  });
  return { ref, generation, sinks: plans, ready: readyCondition(checked, accepted), accepted };
}

/** In the policy's order. Returns the policy's own list when the sink uses all sources, since most do. */
function sourcesOf(sink: PolicySink, all: readonly PolicySource[]): readonly PolicySource[] {
  const named = all.filter((source) => sink.sources.includes(source.name));
  return named.length === all.length ? all : named;
}

function judgeSink(
  sink: CheckedSink,
  good: PolicySink | undefined,
  ref: PolicyRef,
  secretOf: SecretLookup,
): { readonly condition: ConditionState; readonly basicAuth?: BasicAuth | undefined } {
  const notAccepted = (reason: ReasonOf<"Accepted">, message: string) => ({
    condition: { type: "Accepted", status: "False", reason, message } satisfies ConditionState,
  });
  if (sink.sourceFaults.length > 0) return notAccepted("InvalidSource", faultList(sink.sourceFaults));
  if (sink.faults.length > 0) return notAccepted("InvalidTarget", faultList(sink.faults));
  // The policy as a whole cannot run; its own condition says why.
  if (good === undefined) return notAccepted("InvalidTarget", "The policy is invalid.");
  const condition: ConditionState = {
    type: "Accepted",
    status: "True",
    reason: "SinkConfigured",
    message: "The sink is configured.",
  };
  if (good.basicAuthSecret === undefined) return { condition };
  const credentials = basicAuthOf(
    good.basicAuthSecret,
    secretOf(ref.plane, ref.namespace, good.basicAuthSecret),
  );
  if ("problem" in credentials) return notAccepted("InvalidAuthentication", credentials.problem);
  return { condition, basicAuth: credentials };
}

function readyCondition(
  checked: CheckedPolicy,
  accepted: readonly { readonly condition: ConditionState }[],
): ConditionState {
  const ofPolicy = checked.faults.filter((fault) => fault.severity === "error" && !isOfItem(fault));
  if (ofPolicy.length > 0) {
    return { type: "Ready", status: "False", reason: "Invalid", message: faultList(ofPolicy) };
  }
  const good = accepted.filter((sink) => sink.condition.status === "True").length;
  if (good === accepted.length) {
    return { type: "Ready", status: "True", reason: "SinksAccepted", message: "All sinks are configured." };
  }
  return sinksNotAccepted(good, accepted.length);
}

/** The condition Ready of a policy when only some of its sinks can run. */
export function sinksNotAccepted(accepted: number, sinks: number): ConditionState {
  return {
    type: "Ready",
    status: "False",
    reason: "SinksNotAccepted",
    message: `${accepted}/${sinks} sinks are accepted. Check the status of the sinks for more details.`,
  };
}

/**
 * Whether the fault is within one source or sink, so that its sinks' conditions report it. A wrong name
 * concerns the whole policy.
 */
function isOfItem({ path }: DocumentFault): boolean {
  const [root, list, index, field] = path;
  return (
    root === "spec" &&
    (list === "sources" || list === "sinks") &&
    typeof index === "number" &&
    field !== "name"
  );
}

/** `spec.sinks: must have at least 1 item; spec.sources: is required` */
function faultList(faults: readonly DocumentFault[]): string {
  const text = faults.map((fault) => `${printPath(fault.path)}: ${fault.message}`).join("; ");
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
