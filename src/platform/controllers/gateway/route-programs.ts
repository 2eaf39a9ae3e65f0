import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type JsonObject, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { endpointSliceNames } from "../../kinds/discovery/endpoint-slice.ts";
import { listenerFault } from "../../kinds/gateway/gateway.ts";
import {
  isEndpointSlice,
  isPermitted,
  mirrorFilters,
  weightedBackends,
} from "../../kinds/gateway/http-route.ts";
import type { Granted } from "../../kinds/gateway/reference-grant.ts";
import type {
  BackendTarget,
  HostCertificate,
  Listener,
  Mirror,
  ProgramMatch,
  ProgramRule,
  RouteProgram,
  RuleAction,
  Share,
} from "../../routing/route-program.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";
import type { ListenerCertificates } from "./listener-certificates.ts";
import { ListenerScopes, protocolOf, type RouteHost } from "./listener-scopes.ts";
import { orderedMatches } from "./match-order.ts";
import {
  crossOriginOf,
  filterOf,
  headerChanges,
  pathChange,
  redirectOf,
  retryOf,
  timeoutOf,
} from "./rule-parts.ts";

/** A route whose requests a gateway takes for some hosts. */
export interface RoutedHosts {
  readonly route: KubeObject;
  readonly hosts: readonly RouteHost[];
}

/** What routes forward to. */
export interface Backends {
  /** By key; see `objectKey`. */
  readonly slices: ReadonlyMap<string, KubeObject>;
  /** For slices of other namespaces. */
  readonly granted: Granted;
}

/** Objects that a gateway's program is made of. */
export interface ProgramParts {
  readonly plane: Plane;
  readonly gateway: KubeObject;
  readonly routes: readonly RoutedHosts[];
  /** What is known of the hostnames that the gateway needs. */
  readonly hostnames?: HostnameStates;
  readonly certificates?: ListenerCertificates;
  readonly backends: Backends;
  /** CIDR ranges of the project's own subnets. */
  readonly ownRanges: readonly string[];
}

/** The program of a gateway. Equal parts make programs with an equal JSON. */
export function routeProgram(parts: ProgramParts): RouteProgram {
  const { plane, gateway, routes, backends, ownRanges } = parts;
  const { hostnames = new Map(), certificates = new Map() } = parts;
  const { namespace = "", name = "", uid = "", creationTimestamp } = gateway.metadata;
  const held = [...hostnames].flatMap(([hostname, { kind }]) => (kind === "held" ? [hostname] : [])).sort();
  const listeners = listenersOf(gateway, certificates);
  const scopes = new ListenerScopes(gateway, hostnames);
  const own = hostCertificates(held, scopes, certificates);
  const objects = routes.map(({ route }) => route);
  const rules = objects.map(({ spec, metadata }) =>
    objectsIn(fieldAt(spec, ["rules"])).map((rule) => ({ rule, namespace: metadata.namespace ?? "" })),
  );
  let before = 0;
  const firstOf = rules.map(({ length }) => {
    before += length;
    return before - length;
  });
  const all = programRules(rules.flat(), backends);
  const isForwarding = all.some(({ action }) => action.type === "forward");
  const matches = orderedMatches(
    routes.map(({ route, hosts }) => ({ route, hosts: hosts.map(({ host }) => host) })),
  );
  // Listeners that all take the same requests need not be distinguished.
  const isByHost = matches.some(
    ({ host, route, place }) => host !== undefined || routes[route]?.hosts[place]?.except.length !== 0,
  );
  const tlsListeners = isByHost && listeners.includes("https") ? scopes.hostnamesOn("https") : [];
  return {
    gateway: uid,
    plane: { type: "project", name: plane.name, uid: plane.uid, organization: plane.organization },
    namespace,
    name,
    ...(creationTimestamp === undefined ? {} : { created: creationTimestamp }),
    ...(held.length === 0 ? {} : { hostnames: held }),
    ...(own.length === 0 ? {} : { certificates: own }),
    listeners,
    ...(tlsListeners.length === 0 ? {} : { tlsListeners }),
    matches: matches.map(({ match, route, rule, host, place }): ProgramMatch => {
      const { listeners: taking = [], except = [] } = routes[route]?.hosts[place] ?? {};
      const isEverywhere = listeners.every((each) => taking.includes(each));
      return {
        ...match,
        rule: (firstOf[route] ?? 0) + rule,
        ...(host === undefined ? {} : { host }),
        ...(except.length === 0 ? {} : { exceptHosts: except }),
        ...(isEverywhere ? {} : { listeners: listeners.filter((each) => taking.includes(each)) }),
      };
    }),
    rules: all,
    ownRanges: isForwarding ? [...ownRanges] : [],
  };
}

/** The protocols of a gateway's listeners that can be served. */
export function listenersOf(gateway: KubeObject, certificates: ListenerCertificates = new Map()): Listener[] {
  const all = objectsIn(fieldAt(gateway, ["spec", "listeners"]));
  const found = all
    .filter((each) => listenerFault(each) === undefined)
    .filter(({ name }) => certificates.get(String(name))?.kind !== "refused")
    .map(protocolOf);
  return (["http", "https"] as const).filter((each) => found.includes(each));
}

/** The certificate of each hostname: its most specific listener's. */
function hostCertificates(
  hostnames: readonly string[],
  scopes: ListenerScopes,
  certificates: ListenerCertificates,
): HostCertificate[] {
  const found = new Map<string, string[]>();
  for (const hostname of hostnames) {
    const listener = scopes.ownerOf("https", hostname);
    const certificate = listener && certificates.get(String(listener["name"]));
    if (certificate?.kind !== "served") continue;
    const { pem } = certificate.keyPair;
    found.set(pem, [...(found.get(pem) ?? []), hostname]);
  }
  return [...found].map(([pem, names]) => ({ hostnames: names, pem }));
}

/** Why a backend cannot be forwarded to. */
export type BackendFault =
  | {
      readonly fault: "missing";
      readonly reason: "BackendNotFound" | "InvalidKind" | "RefNotPermitted";
      readonly message: string;
    }
  /** None of its endpoints takes requests. */
  | { readonly fault: "unready" };

/** Addresses of a backend besides the first; the gateway uses some of them. */
const maxOthers = 15;

/** Where the requests for a backend go. @param namespace of the route */
export function targetOf(
  backendRef: JsonObject,
  namespace: string,
  { slices, granted }: Backends,
): BackendTarget | BackendFault {
  if (!isEndpointSlice(backendRef)) {
    const kind = [backendRef["kind"], backendRef["group"]].filter(Boolean).join(".");
    const message = `backends of the kind ${kind} are not supported; use an EndpointSlice`;
    return { fault: "missing", reason: "InvalidKind", message };
  }
  const named = { namespace: String(backendRef["namespace"] ?? namespace), name: String(backendRef["name"]) };
  const { name } = named;
  if (!isPermitted(namespace, named, granted)) {
    const message = `no ReferenceGrant of the namespace ${named.namespace} permits the EndpointSlice "${name}"`;
    return { fault: "missing", reason: "RefNotPermitted", message };
  }
  const missing = (message: string) => ({ fault: "missing", reason: "BackendNotFound", message }) as const;
  const slice = slices.get(objectKey(endpointSliceNames, named.namespace, name));
  if (slice === undefined) return missing(`EndpointSlice "${name}" not found`);
  const { port } = backendRef;
  const found = objectsIn(slice["ports"]).find((each) => each["port"] === port && isTcp(each));
  if (found === undefined || typeof port !== "number") {
    return missing(`EndpointSlice "${name}" has no TCP port ${String(port)}`);
  }
  const [host, ...others] = readyAddresses(slice);
  if (host === undefined) return { fault: "unready" };
  const scheme = found["appProtocol"] === "https" ? "https" : "http";
  // Each of several names would need a certificate and a Host of its own.
  if (others.length === 0 || slice["addressType"] === "FQDN") return { scheme, host, port };
  return { scheme, host, others: others.slice(0, maxOthers), port };
}

function isTcp({ protocol = "TCP" }: JsonObject): boolean {
  return protocol === "TCP";
}

/** Addresses of the endpoints that take requests; unknown readiness counts as ready (discovery.k8s.io/v1). */
export function readyAddresses(slice: KubeObject): string[] {
  const ready = objectsIn(slice["endpoints"]).filter(
    (endpoint) => (fieldAt(endpoint, ["conditions", "ready"]) ?? true) === true,
  );
  return ready.flatMap(({ addresses = [] }) => stringList(addresses));
}

/** The rules of routes, in their order, then those of their mirrors, and of the backends of rules that have several. */
function programRules(
  rules: readonly { readonly rule: JsonObject; readonly namespace: string }[],
  backends: Backends,
): ProgramRule[] {
  const further: ProgramRule[] = [];
  const add = (rule: ProgramRule): number => rules.length + further.push(rule) - 1;
  const own = rules.map(({ rule, namespace }): ProgramRule => {
    const weighted = weightedBackends(rule);
    const mirrors = mirrorFilters(rule["filters"]).flatMap((mirror): Mirror[] => {
      const action = forwardTo(objectsIn([mirror["backendRef"] ?? null])[0], namespace, backends);
      // It is left out; the route's status says why.
      if (action.type !== "forward") return [];
      const place = add({ requestHeaders: [], responseHeaders: [], isMirror: true, action });
      return [{ rule: place, ...shareOf(mirror) }];
    });
    const ruleFor = (backendRef: JsonObject | undefined): ProgramRule => {
      const made = ruleOf(rule, backendRef, namespace, backends);
      return mirrors.length === 0 ? made : { ...made, mirrors };
    };
    if (weighted.length < 2) return ruleFor(weighted[0]);
    const shares = weighted.map((backendRef): Share => {
      return { weight: Number(backendRef["weight"] ?? 1), rule: add(ruleFor(backendRef)) };
    });
    return { requestHeaders: [], responseHeaders: [], action: { type: "split", shares } };
  });
  return [...own, ...further];
}

/** Of how many requests how many are copied. */
function shareOf({ percent, fraction }: JsonObject): Pick<Mirror, "numerator" | "denominator"> {
  if (fraction === undefined) return { numerator: Number(percent ?? 100), denominator: 100 };
  const denominator = Number(fieldAt(fraction, ["denominator"]) ?? 100);
  return { numerator: Number(fieldAt(fraction, ["numerator"])), denominator };
}

function ruleOf(
  rule: JsonObject,
  backendRef: JsonObject | undefined,
  namespace: string,
  backends: Backends,
): ProgramRule {
  const filters = objectsIn(rule["filters"]);
  const backendFilters = objectsIn(backendRef?.["filters"]);
  const rewrite = fieldAt(filterOf(filters, "URLRewrite"), ["urlRewrite"]);
  const hostname = fieldAt(rewrite, ["hostname"]);
  const path = pathChange(fieldAt(rewrite, ["path"]), rule);
  const retry = retryOf(rule);
  const timeoutMs = timeoutOf(
    rule["timeouts"],
    retry === undefined ? ["request", "backendRequest"] : ["request"],
  );
  const cors = fieldAt(filterOf(filters, "CORS"), ["cors"]);
  return {
    // A backend's filters are next to it: the last to see a request, and the first to see a response.
    requestHeaders: headerChanges([...filters, ...backendFilters], "requestHeaderModifier"),
    responseHeaders: headerChanges([...backendFilters, ...filters], "responseHeaderModifier"),
    ...(typeof hostname === "string" ? { rewriteHostname: hostname } : {}),
    ...(path === undefined ? {} : { rewritePath: path }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(cors === undefined ? {} : { cors: crossOriginOf(cors) }),
    action: actionOf(rule, filters, backendRef, namespace, backends),
  };
}

function actionOf(
  rule: JsonObject,
  filters: readonly JsonObject[],
  backendRef: JsonObject | undefined,
  namespace: string,
  backends: Backends,
): RuleAction {
  const redirect = fieldAt(filterOf(filters, "RequestRedirect"), ["requestRedirect"]);
  if (redirect !== undefined) return { type: "redirect", redirect: redirectOf(redirect, rule) };
  return forwardTo(backendRef, namespace, backends);
}

function forwardTo(backendRef: JsonObject | undefined, namespace: string, backends: Backends): RuleAction {
  if (backendRef === undefined) return { type: "respond", status: 500 };
  const target = targetOf(backendRef, namespace, backends);
  if (!("fault" in target)) return { type: "forward", backend: target };
  return { type: "respond", status: target.fault === "missing" ? 500 : 503 };
}
