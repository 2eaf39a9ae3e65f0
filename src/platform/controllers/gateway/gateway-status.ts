import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { type NewCondition, withCondition } from "../../../kube-server/controllers/conditions.ts";
import { listenerFault, routeKindsOf } from "../../kinds/gateway/gateway.ts";
import type { ProgramReport, ProgramState } from "../../routing/program-store.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";
import {
  certificateRemark,
  type ListenerCertificate,
  type ListenerCertificates,
} from "./listener-certificates.ts";
import { attachedCount, type RouteOfGateway } from "./route-parents.ts";

/** Condition Programmed of a Gateway. @param isOverdue the gateways have had time enough to load the program */
export function programmedCondition(state: ProgramState, isOverdue: boolean): NewCondition {
  const { running, isLoaded, reports } = state;
  if (running === 0) return notProgrammed("Pending", noneRunning);
  const { refused, reason = "Invalid" } = reports.find((report) => report.refused !== undefined) ?? {};
  // What is reported before the program is loaded may be about an earlier one.
  if (refused !== undefined && (isLoaded || isOverdue)) return notProgrammed(reason, refused);
  if (!isLoaded) return notProgrammed("Pending", "The Gateway has not been programmed");
  const pending = reports.flatMap((report) => report.pending ?? [])[0];
  if (pending !== undefined) return notProgrammed("Pending", pending);
  const blocked = blockedText(reports);
  const message = blocked === undefined ? programmed : `${programmed}; ${blocked}`;
  return { type: "Programmed", status: "True", reason: "Programmed", message };
}

/** Condition Programmed of a Gateway whose change has to wait for its turn. */
export const tooManyChanges: NewCondition = {
  type: "Programmed",
  status: "False",
  reason: "Pending",
  message: "the project changes its proxies too often: the newest change is loaded within 10 s",
};

const noneRunning = "no gateway is running";
const programmed = "The Gateway has been programmed";

/** Of a message: the server refuses longer ones than 32 KiB. */
const maxLength = 4_096;

function notProgrammed(reason: string, message: string): NewCondition {
  return { type: "Programmed", status: "False", reason, message: message.slice(0, maxLength) };
}

const maxNamed = 16;

/** The backends that are not forwarded to, each with the reason; undefined if there are none. */
export function blockedText(reports: readonly ProgramReport[]): string | undefined {
  const blocked = new Map(reports.flatMap((report) => Object.entries(report.blocked ?? {})));
  if (blocked.size === 0) return undefined;
  const named = [...blocked].sort().map(([host, why]) => `${host} (${why})`);
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return `requests are not forwarded to ${named.slice(0, maxNamed).join(", ")}${more}`.slice(0, maxLength);
}

/** Addresses that names were resolved to, by name. */
export function resolvedAddresses(reports: readonly ProgramReport[]): Map<string, string> {
  return new Map(reports.flatMap((report) => Object.entries(report.resolved ?? {})));
}

/** Condition Programmed of a Gateway without a listener that can be served. */
export const noListener = notProgrammed("Invalid", "None of the Gateway's listeners can be served");

/** `status.addresses`. @param domain `gateway.domain`; undefined if no gateway runs */
export function addressesOf(gateway: KubeObject, domain: string | undefined): JsonObject[] {
  if (domain === undefined) return [];
  return [{ type: "Hostname", value: `${gateway.metadata.uid ?? ""}.${domain}` }];
}

/**
 * `status.listeners`.
 *
 * @param programmed condition of the gateway
 * @param hostnames what is known of those of its listeners
 * @param certificates those of its listeners
 * @param now RFC 3339
 */
export function listenerStatus(
  gateway: KubeObject,
  routes: readonly RouteOfGateway[],
  programmed: NewCondition,
  hostnames: HostnameStates,
  certificates: ListenerCertificates,
  now: string,
): JsonObject[] {
  const known = objectsIn(fieldAt(gateway, ["status", "listeners"]));
  const generation = gateway.metadata.generation ?? 1;
  return objectsIn(fieldAt(gateway, ["spec", "listeners"])).map((listener): JsonObject => {
    const name = String(listener["name"]);
    let conditions = objectsIn(known.find((each) => each["name"] === name)?.["conditions"]);
    const refusal = refusalOf(listener, hostnames);
    const resolved = resolvedListenerRefs(listener, certificates.get(name), now);
    const fault = refusal ?? (certificates.get(name)?.kind === "refused" ? resolved : undefined);
    const state: NewCondition =
      fault !== undefined
        ? notProgrammed("Invalid", fault.message)
        : programmed.status === "True"
          ? { ...programmed, message: "The listener has been programmed" }
          : programmed;
    for (const condition of [refusal ?? listenerAccepted, state, resolved, noConflict]) {
      conditions = withCondition(conditions, condition, generation, now);
    }
    return {
      name,
      supportedKinds: [...routeKindsOf(listener).supported],
      attachedRoutes: attachedCount(listener, routes),
      conditions,
    };
  });
}

/** Condition ResolvedRefs of a listener. */
function resolvedListenerRefs(
  listener: JsonObject,
  certificate: ListenerCertificate | undefined,
  now: string,
): NewCondition {
  const { unsupported } = routeKindsOf(listener);
  if (unsupported.length > 0) return invalidRouteKinds(unsupported);
  if (certificate === undefined) return listenerResolved;
  if (certificate.kind === "refused") {
    const { reason, message } = certificate;
    return { type: "ResolvedRefs", status: "False", reason, message };
  }
  const { hostname } = listener;
  const remark = certificateRemark(
    certificate,
    typeof hostname === "string" ? hostname : undefined,
    Date.parse(now),
  );
  return remark === undefined ? listenerResolved : { ...listenerResolved, message: remark };
}

/** Condition Accepted of a listener that cannot be served, or whose hostname the gateway does not hold. */
function refusalOf(listener: JsonObject, hostnames: HostnameStates): NewCondition | undefined {
  const { hostname } = listener;
  const refused = { type: "Accepted", status: "False" } as const;
  const fault = listenerFault(listener);
  if (fault !== undefined) return { ...refused, ...fault };
  const state = typeof hostname === "string" ? hostnames.get(hostname) : undefined;
  if (state?.kind !== "refused") return undefined;
  return { ...refused, reason: state.reason, message: `${String(hostname)}: ${state.message}` };
}

/** Condition Accepted of a Gateway: it is not if none of its listeners is (Gateway API, `ListenersNotValid`). */
export function gatewayAccepted(gateway: KubeObject, hostnames: HostnameStates): NewCondition {
  const listeners = objectsIn(fieldAt(gateway, ["spec", "listeners"]));
  const refused = listeners
    .filter((each) => refusalOf(each, hostnames) !== undefined)
    .map(({ name }) => name);
  const accepted = { type: "Accepted", status: "True", message: "The Gateway has been scheduled" } as const;
  if (refused.length === 0) return { ...accepted, reason: "Accepted" };
  const status = refused.length === listeners.length ? "False" : "True";
  const message = `Listeners that are not served, as their conditions say: ${refused.join(", ")}`;
  return { ...accepted, status, reason: "ListenersNotValid", message: message.slice(0, maxLength) };
}

function invalidRouteKinds(kinds: readonly string[]): NewCondition {
  const message = `Routes of the kind ${kinds.join(", ")} are not supported; only HTTPRoutes are`;
  return { type: "ResolvedRefs", status: "False", reason: "InvalidRouteKinds", message };
}

/** Listeners of one port, protocol and hostname are refused when they are written. */
const noConflict: NewCondition = {
  type: "Conflicted",
  status: "False",
  reason: "NoConflicts",
  message: "The listener is in conflict with no other",
};
const listenerAccepted: NewCondition = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "The listener is accepted",
};
const listenerResolved: NewCondition = {
  type: "ResolvedRefs",
  status: "True",
  reason: "ResolvedRefs",
  message: "The listener has no unresolved references",
};
