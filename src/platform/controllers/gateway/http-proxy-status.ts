import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type JsonObject, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
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

export const hostnamesVerified = "HostnamesVerified";

interface ListenerHostname {
  readonly hostname: string;
  /** The listener's condition; undefined: nothing is known yet. */
  readonly accepted: JsonObject | undefined;
}

/** Those of HTTP: the ones of HTTPS have the same hostnames. */
function listenersWithHostname(gateway: KubeObject | undefined): ListenerHostname[] {
  const known = new Map(
    objectsIn(fieldAt(gateway, ["status", "listeners"])).map((each) => [each["name"], each]),
  );
  return objectsIn(fieldAt(gateway, ["spec", "listeners"])).flatMap(({ name, hostname, protocol }) => {
    if (typeof hostname !== "string" || protocol !== "HTTP") return [];
    const conditions = objectsIn(known.get(name ?? "")?.["conditions"]);
    const accepted = conditions.find(
      ({ type, observedGeneration }) =>
        type === "Accepted" && observedGeneration === gateway?.metadata.generation,
    );
    return [{ hostname, accepted }];
  });
}

/** Condition HostnamesVerified of an HTTPProxy; undefined if it names none. */
export function hostnamesCondition(proxy: KubeObject, children: ChildrenState): NewCondition | undefined {
  const named = stringList(fieldAt(proxy, ["spec", "hostnames"]));
  if (named.length === 0) return undefined;
  const condition = { type: hostnamesVerified, status: "False" } as const;
  const known = new Map(
    listenersWithHostname(children.state === "conflict" ? undefined : children.gateway).map((each) => [
      each.hostname,
      each.accepted,
    ]),
  );
  const states = named.map((hostname) => known.get(hostname));
  const refused = states.filter((each) => each !== undefined && each["status"] !== "True");
  const [first] = refused;
  if (first !== undefined) {
    const message = refused.map((each) => String(each?.["message"])).join("; ");
    return { ...condition, reason: String(first["reason"]), message: message.slice(0, maxMessage) };
  }
  if (states.includes(undefined)) {
    return { ...condition, reason: "Pending", message: "The hostnames have not been verified yet" };
  }
  const message = "All hostnames are the project's";
  return { type: hostnamesVerified, status: "True", reason: hostnamesVerified, message };
}

/** The server refuses longer ones than 32 KiB. */
const maxMessage = 8_192;

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
  const own = addresses.flatMap(({ type, value }) => (type === "Hostname" ? [value ?? ""] : []));
  const [hostname] = own;
  const held = listenersWithHostname(gateway).flatMap((each) =>
    each.accepted?.["status"] === "True" ? [each.hostname] : [],
  );
  const hostnames = [...own, ...held];
  return { addresses, hostnames, ...(hostname === undefined ? {} : { hostname }) };
}
