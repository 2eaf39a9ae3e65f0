import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type Json, type JsonObject, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { endpointSliceNames } from "../../kinds/discovery/endpoint-slice.ts";
import { listenerFault } from "../../kinds/gateway/gateway.ts";
import {
  durationMs,
  isEndpointSlice,
  isPermitted,
  weightedBackends,
} from "../../kinds/gateway/http-route.ts";
import type { Granted } from "../../kinds/gateway/reference-grant.ts";
import type {
  BackendTarget,
  CrossOrigin,
  HeaderChanges,
  HostCertificate,
  Listener,
  NameAndValue,
  PathChange,
  ProgramMatch,
  ProgramRule,
  Redirect,
  Retry,
  RouteProgram,
  RuleAction,
  Share,
} from "../../routing/route-program.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";
import type { ListenerCertificates } from "./listener-certificates.ts";
import { ListenerScopes, protocolOf, type RouteHost } from "./listener-scopes.ts";
import { orderedMatches } from "./match-order.ts";

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
  return {
    gateway: uid,
    plane: { type: "project", name: plane.name, uid: plane.uid, organization: plane.organization },
    namespace,
    name,
    ...(creationTimestamp === undefined ? {} : { created: creationTimestamp }),
    ...(held.length === 0 ? {} : { hostnames: held }),
    ...(own.length === 0 ? {} : { certificates: own }),
    listeners,
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

/** The rules of routes, in their order, then those of the backends of rules that have several. */
function programRules(
  rules: readonly { readonly rule: JsonObject; readonly namespace: string }[],
  backends: Backends,
): ProgramRule[] {
  const shared: ProgramRule[] = [];
  const own = rules.map(({ rule, namespace }): ProgramRule => {
    const weighted = weightedBackends(rule);
    if (weighted.length < 2) return ruleOf(rule, weighted[0], namespace, backends);
    const shares = weighted.map((backendRef): Share => {
      shared.push(ruleOf(rule, backendRef, namespace, backends));
      return { weight: Number(backendRef["weight"] ?? 1), rule: rules.length + shared.length - 1 };
    });
    return { requestHeaders: [], responseHeaders: [], action: { type: "split", shares } };
  });
  return [...own, ...shared];
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
  if (backendRef === undefined) return { type: "respond", status: 500 };
  const target = targetOf(backendRef, namespace, backends);
  if (!("fault" in target)) return { type: "forward", backend: target };
  return { type: "respond", status: target.fault === "missing" ? 500 : 503 };
}

function filterOf(filters: readonly JsonObject[], type: string): JsonObject | undefined {
  return filters.find((filter) => filter["type"] === type);
}

function headerChanges(filters: readonly JsonObject[], field: string): HeaderChanges[] {
  return filters.flatMap((filter): HeaderChanges[] => {
    const changes = filter[field];
    if (changes === undefined) return [];
    return [
      {
        set: firstOfEach(fieldAt(changes, ["set"])),
        add: firstOfEach(fieldAt(changes, ["add"])),
        remove: stringList(fieldAt(changes, ["remove"])),
      },
    ];
  });
}

/** Of entries with an equal name, only the first counts (Gateway API, HTTPHeader.name). */
function firstOfEach(list: Json | undefined): NameAndValue[] {
  const found = new Map<string, NameAndValue>();
  for (const { name, value } of objectsIn(list)) {
    const key = String(name).toLowerCase();
    if (!found.has(key)) found.set(key, { name: String(name), value: String(value) });
  }
  return [...found.values()];
}

function crossOriginOf(cors: Json): CrossOrigin {
  const listOf = (field: string): string[] => stringList(fieldAt(cors, [field]));
  return {
    origins: listOf("allowOrigins"),
    methods: listOf("allowMethods"),
    headers: listOf("allowHeaders"),
    exposed: listOf("exposeHeaders"),
    hasCredentials: fieldAt(cors, ["allowCredentials"]) === true,
    maxAgeSeconds: Number(fieldAt(cors, ["maxAge"]) ?? 5),
  };
}

function pathChange(modifier: Json | undefined, rule: JsonObject): PathChange | undefined {
  switch (fieldAt(modifier, ["type"])) {
    case "ReplaceFullPath":
      return { type: "full", path: String(fieldAt(modifier, ["replaceFullPath"])) };
    case "ReplacePrefixMatch": {
      const matched = fieldAt(rule, ["matches", 0, "path", "value"]) ?? "/";
      const prefix = String(matched).replace(/(?<=.)\/$/, "");
      return { type: "prefix", prefix, replacement: String(fieldAt(modifier, ["replacePrefixMatch"])) };
    }
    default:
      return undefined;
  }
}

function redirectOf(redirect: Json, rule: JsonObject): Redirect {
  const [scheme, hostname] = [fieldAt(redirect, ["scheme"]), fieldAt(redirect, ["hostname"])];
  const port = fieldAt(redirect, ["port"]);
  const path = pathChange(fieldAt(redirect, ["path"]), rule);
  return {
    ...(scheme === "http" || scheme === "https" ? { scheme } : {}),
    ...(typeof hostname === "string" ? { hostname } : {}),
    ...(typeof port === "number" ? { port } : {}),
    ...(path === undefined ? {} : { path }),
    statusCode: Number(fieldAt(redirect, ["statusCode"]) ?? 302),
  };
}

/** The shortest of some limits; 0 if there is none on purpose (Gateway API, HTTPRouteTimeouts). */
function timeoutOf(timeouts: Json | undefined, names: readonly string[]): number | undefined {
  const given = names.flatMap((name) => durationMs(fieldAt(timeouts, [name])) ?? []);
  if (given.length === 0) return undefined;
  const limits = given.filter((ms) => ms > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/** Without `attempts`, there is one (Gateway API, HTTPRouteRetry). */
function retryOf({ retry, timeouts }: JsonObject): Retry | undefined {
  if (retry === undefined) return undefined;
  const timeoutMs = timeoutOf(timeouts, ["request", "backendRequest"]);
  const codes = fieldAt(retry, ["codes"]);
  return {
    attempts: Number(fieldAt(retry, ["attempts"]) ?? 1),
    codes: Array.isArray(codes) ? codes.map(Number) : [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
