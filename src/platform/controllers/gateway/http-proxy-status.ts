import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { isTrue, type NewCondition } from "../../../kube-server/controllers/conditions.ts";
import { quotaExceeded } from "../../../kube-server/controllers/quota.ts";
import type { ProgramState } from "../../routing/program-store.ts";

/** What of its children the status of an HTTPProxy depends on. */
export type ChildrenState =
  /** The object of this kind and name is not the proxy's. */
  | { readonly state: "conflict"; readonly kind: string; readonly name: string }
  /** Some children are not yet there. `isGoing`: one of them is being deleted, and made again afterwards. */
  | {
      readonly state: "incomplete";
      readonly gateway: KubeObject | undefined;
      readonly isGoing: boolean;
      /** Why a quota keeps one from being made. */
      readonly quotaRefusal?: string | undefined;
    }
  | {
      readonly state: "complete";
      readonly gateway: KubeObject;
      /** Why the gateway does not take the proxy's route; undefined if it does. */
      readonly refusal: NewCondition | undefined;
      /** Of the program that the children make; undefined if no gateway has been given it yet. */
      readonly program: ProgramState | undefined;
    };

/** Conditions Accepted and Programmed of an HTTPProxy. */
export function proxyConditions(children: ChildrenState): NewCondition[] {
  if (children.state === "conflict") {
    const { kind, name } = children;
    const what = `Underlying ${kind} with the name "${name}" already exists`;
    const message = `${what} and is owned by a different resource.`;
    return [notScheduled, { ...notProgrammed, reason: "Conflict", message }];
  }
  const { gateway } = children;
  const accepted = gateway !== undefined && isTrue(gateway, "Accepted") ? scheduled : notScheduled;
  const refusal = children.state === "complete" ? children.refusal : undefined;
  return [refusal ?? accepted, programmedCondition(children)];
}

function programmedCondition(children: Exclude<ChildrenState, { state: "conflict" }>): NewCondition {
  if (children.state === "incomplete") {
    const { quotaRefusal: message } = children;
    return message === undefined ? notProgrammed : { ...notProgrammed, reason: quotaExceeded, message };
  }
  const { gateway, program } = children;
  const found = findCondition(gateway, "Programmed");
  if (found === undefined || found["observedGeneration"] !== gateway.metadata.generation)
    return notProgrammed;
  const [status, reason] = [found["status"], String(found["reason"])];
  const message = String(found["message"]).replace(/^The Gateway /, "The HTTPProxy ");
  // Before the gateways have been given the program, the condition may be of an earlier one. But what the
  // Gateway waits for (its turn, a gateway that runs), the program waits for too.
  if (status === "True" && program?.isLoaded === true) return { type: "Programmed", status, reason, message };
  const isTold = status === "False" && (program !== undefined || reason === "Pending");
  return isTold ? { type: "Programmed", status, reason, message } : notProgrammed;
}

const notScheduled: NewCondition = {
  type: "Accepted",
  status: "False",
  reason: "Pending",
  message: "The HTTPProxy has not been scheduled",
};
const scheduled: NewCondition = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "The HTTPProxy has been scheduled",
};
const notProgrammed: NewCondition = {
  type: "Programmed",
  status: "False",
  reason: "Pending",
  message: "The HTTPProxy has not been programmed",
};

/** The fields of the status that say where the proxy is reached; none without a gateway of its own. */
export function proxyAddresses(children: ChildrenState): JsonObject {
  const gateway = children.state === "conflict" ? undefined : children.gateway;
  const addresses = objectsIn(fieldAt(gateway, ["status", "addresses"]));
  if (addresses.length === 0) return {};
  const hostnames = addresses.flatMap(({ type, value }) => (type === "Hostname" ? [value ?? ""] : []));
  const [hostname] = hostnames;
  return { addresses, hostnames, ...(hostname === undefined ? {} : { hostname }) };
}
