import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type JsonObject, type KubeObject, sameJson } from "../../../kube-server/api/object.ts";
import { type NewCondition, withCondition } from "../../../kube-server/controllers/conditions.ts";
import { AllowedNamespaces } from "../../kinds/gateway/allowed-namespaces.ts";
import { listenerFault, routeKindsOf } from "../../kinds/gateway/gateway.ts";
import { mirrorBackends, parentsOf, type RouteParent } from "../../kinds/gateway/http-route.ts";
import type { NamespacedName } from "../../kinds/references.ts";
import { type HostnameStates, hostnamesOfRoute, wantedHostnames } from "./gateway-hostnames.ts";
import type { ListenerCertificates } from "./listener-certificates.ts";
import { type HostOfListener, ListenerScopes, type RouteHost } from "./listener-scopes.ts";
import { RouteBudget } from "./route-budget.ts";
import { type Backends, targetOf } from "./route-programs.ts";

/** One of a route's references to a gateway, and what the gateway makes of it. */
export interface Attachment {
  /** As the route has it. */
  readonly ref: JsonObject;
  readonly accepted: NewCondition;
  /** The listeners that it is attached to; none unless it is accepted. */
  readonly listeners: readonly JsonObject[];
  /** For which hostnames; undefined among them: for every one of the gateway. */
  readonly hosts: readonly HostOfListener[];
}

/** A route that names a gateway as its parent. */
export interface RouteOfGateway {
  readonly route: KubeObject;
  readonly attachments: readonly Attachment[];
  /** For which hosts the gateway takes its requests; none unless it is attached to a listener that is served. */
  readonly hosts: readonly RouteHost[];
}

/** The hostnames that a gateway needs for its listeners and routes. */
export function hostnamesOfGateway(
  gateway: KubeObject,
  routes: readonly KubeObject[],
  namespaces = new AllowedNamespaces(gateway),
): string[] {
  const attached = [...routes].sort(byAge).flatMap((route) =>
    parentsIn(gateway, route).flatMap(({ ref }) => {
      const listeners = matchingListeners(gateway, ref)
        .filter(takesRoutes)
        .filter((listener) => namespaces.has(listener, route.metadata.namespace ?? ""));
      return listeners.map((listener) => [listener, route] as const);
    }),
  );
  return wantedHostnames(gateway, attached);
}

function parentsIn(gateway: KubeObject, route: KubeObject): RouteParent[] {
  const { namespace = "", name = "" } = gateway.metadata;
  return parentsOf(route).filter(({ gateway: each }) => each.namespace === namespace && each.name === name);
}

/**
 * What a gateway makes of the routes that name it, oldest first.
 *
 * @param hostnames those that it needs
 * @param certificates of its listeners; one without the certificate that it names takes no requests
 * @param namespaces of which its listeners take routes
 */
export function routesOfGateway(
  gateway: KubeObject,
  routes: readonly KubeObject[],
  hostnames: HostnameStates = new Map(),
  budget = new RouteBudget(),
  certificates: ListenerCertificates = new Map(),
  namespaces = new AllowedNamespaces(gateway),
): RouteOfGateway[] {
  const scopes = new ListenerScopes(gateway, hostnames);
  const isServed = ({ listener }: HostOfListener): boolean =>
    certificates.get(String(listener["name"]))?.kind !== "refused";
  return [...routes].sort(byAge).map((route): RouteOfGateway => {
    const own = parentsIn(gateway, route);
    const attachments = own.map(({ ref }) => attachmentOf(gateway, route, ref, hostnames, namespaces));
    const hosts = scopes.hostsOf(attachments.flatMap((each) => each.hosts).filter(isServed));
    const tooMuch = hosts.length === 0 ? undefined : budget.take(route, hosts);
    if (tooMuch === undefined) return { route, attachments, hosts };
    const refused = (attachment: Attachment): Attachment =>
      attachment.listeners.length === 0
        ? attachment
        : { ref: attachment.ref, accepted: tooMuch, listeners: [], hosts: [] };
    return { route, attachments: attachments.map(refused), hosts: [] };
  });
}

function attachmentOf(
  gateway: KubeObject,
  route: KubeObject,
  ref: JsonObject,
  hostnames: HostnameStates,
  namespaces: AllowedNamespaces,
): Attachment {
  const refused = (why: NewCondition): Attachment => ({ ref, accepted: why, listeners: [], hosts: [] });
  const matching = matchingListeners(gateway, ref);
  if (matching.length === 0) return refused(noMatchingParent);
  const allowed = matching.filter((each) => namespaces.has(each, route.metadata.namespace ?? ""));
  if (allowed.length === 0) return refused(notAllowed);
  const taking = allowed.filter(takesRoutes);
  if (taking.length === 0) return refused(kindNotAllowed);
  const named = taking.flatMap((listener) =>
    hostnamesOfRoute(listener, route).map((host): HostOfListener => ({ host, listener })),
  );
  if (named.length === 0) return refused(noMatchingHostname);
  const faults = new Map(
    named.flatMap(({ host }) => {
      const state = host === undefined ? undefined : hostnames.get(host);
      return host !== undefined && state?.kind === "refused" ? [[host, state] as const] : [];
    }),
  );
  const hosts = named.filter(({ host }) => host === undefined || hostnames.get(host)?.kind === "held");
  const why = [...faults].map(([host, { message }]) => `${host}: ${message}`).join("; ");
  if (hosts.length === 0) {
    const [{ reason } = noMatchingHostname] = faults.values();
    return refused({ ...noMatchingHostname, reason, message: why.slice(0, maxMessage) });
  }
  const listeners = taking.filter((each) => hosts.some(({ listener }) => listener === each));
  const message = why === "" ? accepted.message : `${accepted.message}, but not for ${why}`;
  return { ref, accepted: { ...accepted, message: message.slice(0, maxMessage) }, listeners, hosts };
}

/** The server refuses longer ones than 32 KiB. */
const maxMessage = 4_096;

function takesRoutes(listener: JsonObject): boolean {
  return listenerFault(listener) === undefined && routeKindsOf(listener).supported.length > 0;
}

/** The routes whose requests the gateway takes. */
export function attachedRoutes(routes: readonly RouteOfGateway[]): RouteOfGateway[] {
  return routes.filter(({ hosts }) => hosts.length > 0);
}

/** How many routes are attached to a listener. */
export function attachedCount(listener: JsonObject, routes: readonly RouteOfGateway[]): number {
  const isAttached = ({ listeners }: Attachment) => listeners.some(({ name }) => name === listener["name"]);
  return routes.filter(({ attachments }) => attachments.some(isAttached)).length;
}

/** Whether all backends of a route are there. */
export function resolvedRefs(route: KubeObject, backends: Backends): NewCondition {
  const { namespace = "" } = route.metadata;
  for (const rule of objectsIn(fieldAt(route, ["spec", "rules"]))) {
    for (const ref of [...objectsIn(rule["backendRefs"]), ...mirrorBackends(rule)]) {
      const target = targetOf(ref, namespace, backends);
      if (!("fault" in target) || target.fault !== "missing") continue;
      const { reason, message } = target;
      return { type: "ResolvedRefs", status: "False", reason, message };
    }
  }
  const message = "Resolved all the Object references for the Route";
  return { type: "ResolvedRefs", status: "True", reason: "ResolvedRefs", message };
}

export interface ParentReport {
  readonly gateway: NamespacedName;
  /** See `gatewayControllerName`. */
  readonly controllerName: string;
  /** None: the gateway leaves the route's status. */
  readonly attachments: readonly Attachment[];
  readonly resolvedRefs: NewCondition;
}

/**
 * `status.parents` of a route with the entries of one gateway, in the order of its references. Those of other
 * gateways and controllers stay.
 *
 * @param now RFC 3339
 */
export function withParents(
  route: KubeObject,
  { gateway, controllerName, attachments, resolvedRefs: resolved }: ParentReport,
  now: string,
): JsonObject[] {
  const generation = route.metadata.generation ?? 1;
  const known = objectsIn(fieldAt(route, ["status", "parents"]));
  const refs = parentsOf(route);
  const isOwn = (entry: JsonObject): boolean =>
    entry["controllerName"] === controllerName &&
    refs.some(
      ({ ref, gateway: { namespace, name } }) =>
        namespace === gateway.namespace && name === gateway.name && sameJson(ref, entry["parentRef"]),
    );
  const before = known.filter(isOwn);
  const own = attachments.map(({ ref, accepted: condition }): JsonObject => {
    const entry = before.find(({ parentRef }) => sameJson(parentRef, ref));
    const conditions = [condition, resolved].reduce(
      (list, each) => withCondition(list, each, generation, now),
      objectsIn(entry?.["conditions"]),
    );
    return { parentRef: ref, controllerName, conditions };
  });
  const place = ({ parentRef }: JsonObject): number => {
    const found = refs.findIndex(({ ref }) => sameJson(ref, parentRef));
    return found === -1 ? refs.length : found;
  };
  const others = known.filter((entry) => !isOwn(entry));
  return [...others, ...own].sort((a, b) => place(a) - place(b));
}

/** `status.parents` without the entries of a controller for references that the route no longer has. */
export function withoutFormerParents(route: KubeObject, controllerName: string): JsonObject[] {
  const refs = parentsOf(route);
  return objectsIn(fieldAt(route, ["status", "parents"])).filter(
    (entry) =>
      entry["controllerName"] !== controllerName || refs.some(({ ref }) => sameJson(ref, entry["parentRef"])),
  );
}

function matchingListeners(gateway: KubeObject, { sectionName, port }: JsonObject): JsonObject[] {
  return objectsIn(fieldAt(gateway, ["spec", "listeners"])).filter(
    (listener) =>
      (sectionName === undefined || listener["name"] === sectionName) &&
      (port === undefined || listener["port"] === port),
  );
}

function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const text = ({ creationTimestamp = "", namespace = "", name = "" }: KubeObject["metadata"]) =>
    `${creationTimestamp} ${namespace}/${name}`;
  return text(a) < text(b) ? -1 : 1;
}

const accepted: NewCondition = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "Route is accepted",
};
const noMatchingParent: NewCondition = {
  type: "Accepted",
  status: "False",
  reason: "NoMatchingParent",
  message: "No listener of the Gateway has this sectionName and port",
};
const noMatchingHostname: NewCondition = {
  type: "Accepted",
  status: "False",
  reason: "NoMatchingListenerHostname",
  message: "No listener of the Gateway has a hostname of the route",
};
const kindNotAllowed: NewCondition = {
  type: "Accepted",
  status: "False",
  reason: "NotAllowedByListeners",
  message: "The listener takes no HTTPRoutes, or is not served: see its conditions",
};
const notAllowed: NewCondition = {
  type: "Accepted",
  status: "False",
  reason: "NotAllowedByListeners",
  message: "The listener takes no routes of this namespace: see its allowedRoutes",
};
