import { defined } from "../../base/core/defined.ts";
import { printPath } from "../../base/documents/yaml/document-path.ts";
import type { CheckedPolicy, CheckedSink } from "./spec/check-policy.ts";
import { credentialsOf, headersOf } from "./spec/credentials.ts";
import type { DocumentFault } from "./spec/document-fault.ts";
import type {
  Credentials,
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
  /** Every sink of the spec, in spec order; then those of an earlier generation that run on. */
  readonly accepted: readonly { readonly name: string; readonly condition: ConditionState }[];
}

type SecretLookup = (plane: string, namespace: string, name: string) => Secret | undefined;

/** Kubernetes allows 32768 characters in a condition's message, more than anyone reads. */
const maxMessageLength = 1_024;

/**
 * Plans a policy: everything the exporter needs, with credentials, and the conditions Ready and Accepted.
 *
 * @param tenant set where the metrics store has tenants of its own
 * @param last an earlier generation without a fault: its sinks run on where the present one has faults
 */
export function planPolicy(
  checked: CheckedPolicy,
  secretOf: SecretLookup,
  tenant?: ReadTenant | undefined,
  last?: CheckedPolicy | undefined,
): PolicyPlan {
  const { ref, generation, paused } = checked;
  const plans: SinkPlan[] = [];
  const planSink = (from: CheckedPolicy, sink: CheckedSink): ConditionState => {
    const { policy } = from;
    const good = policy && sink.sink;
    const { condition, credentials, headers } = judgeSink(sink, good, ref, secretOf);
    if (condition.status !== "True" || policy === undefined || good === undefined) return condition;
    plans.push({
      policy: ref,
      generation: from.generation,
      name: good.name,
      sources: sourcesOf(good, policy.sources),
      endpoint: good.endpoint,
      ...defined({ credentials, headers, compression: good.compression }),
      batch: good.batch,
      retry: good.retry,
      ...(good.relabel !== undefined && { relabel: good.relabel }),
      paused: paused === "all" || paused.has(good.name),
      ...(tenant !== undefined && { tenant }),
    });
    return condition;
  };
  const lastSinks = new Map(last?.sinks.map((sink) => [sink.name, sink]));
  const accepted = checked.sinks.map((sink) => {
    const { name } = sink;
    const condition = planSink(checked, sink);
    const before = lastSinks.get(name);
    lastSinks.delete(name);
    const hasFaults = checked.policy === undefined || sink.sink === undefined;
    if (!hasFaults || last === undefined || before === undefined) return { name, condition };
    return { name, condition: runsOn(condition, last, planSink(last, before)) };
  });
  // Of a policy that is invalid as a whole it is unknown which sinks were removed.
  const left = checked.policy === undefined && last !== undefined ? lastSinks.values() : [];
  for (const sink of left) {
    const condition = notAccepted("InvalidTarget", "The policy is invalid.").condition;
    if (last === undefined) continue;
    accepted.push({ name: sink.name, condition: runsOn(condition, last, planSink(last, sink)) });
  }
  const ready = readyCondition(checked, accepted);
  const isRunning = last !== undefined && plans.some((plan) => plan.generation === last.generation);
  return { ref, generation, sinks: plans, ready: isRunning ? runsOn(ready, last) : ready, accepted };
}

/** @param accepted of the sink of the last generation; absent: of the whole policy */
function runsOn(
  condition: ConditionState,
  { generation }: CheckedPolicy,
  accepted?: ConditionState,
): ConditionState {
  if (accepted !== undefined && accepted.status !== "True") return condition;
  const fault = condition.message.replace(/\.$/, "");
  return { ...condition, message: `${fault}; generation ${generation} runs on` };
}

/** In the policy's order. Returns the policy's own list when the sink uses all sources, since most do. */
function sourcesOf(sink: PolicySink, all: readonly PolicySource[]): readonly PolicySource[] {
  const named = all.filter((source) => sink.sources.includes(source.name));
  return named.length === all.length ? all : named;
}

function notAccepted(reason: ReasonOf<"Accepted">, message: string): { readonly condition: ConditionState } {
  return { condition: { type: "Accepted", status: "False", reason, message } };
}

function judgeSink(
  sink: CheckedSink,
  good: PolicySink | undefined,
  ref: PolicyRef,
  secretOf: SecretLookup,
): {
  readonly condition: ConditionState;
  readonly credentials?: Credentials | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
} {
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
  const ofNamespace = (name: string) => secretOf(ref.plane, ref.namespace, name);
  const credentials = good.authentication && credentialsOf(good.authentication, ofNamespace);
  if (credentials && "problem" in credentials) {
    return notAccepted("InvalidAuthentication", credentials.problem);
  }
  const headers = good.headers && headersOf(good.headers, ofNamespace);
  if (headers && "problem" in headers) return notAccepted("InvalidAuthentication", headers.problem);
  return { condition, credentials, headers: headers?.values };
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
