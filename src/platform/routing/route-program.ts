/**
 * What the gateway does with the requests for one Gateway's hostnames: plain data, made from a Gateway and
 * its HTTPRoutes, and carried out by every running gateway.
 */
export interface RouteProgram {
  /** uid of the Gateway; its own hostname is `<uid>.<gateway.domain>`. */
  readonly gateway: string;
  /** Others that it holds, in lower case; `*.` at the beginning stands for one label or more. */
  readonly hostnames?: readonly string[];
  /** Certificates of its own for some of these; for the others, clients get the gateway's. */
  readonly certificates?: readonly HostCertificate[];
  /** Where the Gateway is. */
  readonly plane: ProgramPlane;
  readonly namespace: string;
  readonly name: string;
  /** When the Gateway was created (RFC 3339, UTC); absent in programs of earlier versions of telemetryd. */
  readonly created?: string;
  /** The protocols that the Gateway listens for. */
  readonly listeners: readonly Listener[];
  /**
   * Hostnames of listeners for HTTPS, the most specific first, if they take different requests: a connection
   * is for one of them.
   */
  readonly tlsListeners?: readonly string[];
  /** In the order in which they are tried: the first that a request has decides. */
  readonly matches: readonly ProgramMatch[];
  readonly rules: readonly ProgramRule[];
  /** CIDR ranges of the project's own subnets, whose addresses backends may have although they are private. */
  readonly ownRanges: readonly string[];
}

/** The control plane of a project, as `Plane` of the server. */
export interface ProgramPlane {
  readonly type: "project";
  readonly name: string;
  readonly uid: string;
  readonly organization: string;
}

export type Listener = "http" | "https";

export interface ProgramMatch extends RouteMatch {
  /** The rule that it leads to: its place in {@link RouteProgram.rules}. */
  readonly rule: number;
  /** Of {@link RouteProgram.hostnames}, or one that these cover; absent: requests for every hostname. */
  readonly host?: string;
  /** Hostnames among these whose requests it does not have. */
  readonly exceptHosts?: readonly string[];
  /** Absent: requests of every listener. */
  readonly listeners?: readonly Listener[];
}

/** A certificate that clients get for some hostnames (SNI). */
export interface HostCertificate {
  /** Of {@link RouteProgram.hostnames}; each has one certificate at most. */
  readonly hostnames: readonly string[];
  /** The certificates and the key (PEM): for no log, no message, and no file that others may read. */
  readonly pem: string;
}

/** What a request must have; all of it. */
export interface RouteMatch {
  /** A prefix matches whole elements of the path; it ends in `/` only if it is `/`. */
  readonly path: { readonly type: "Exact" | "PathPrefix"; readonly value: string };
  readonly method?: string;
  /** Names in lower case, each once. */
  readonly headers: readonly NameAndValue[];
  /** Each name once. */
  readonly queryParams: readonly NameAndValue[];
}

export interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

export interface ProgramRule {
  readonly requestHeaders: readonly HeaderChanges[];
  readonly responseHeaders: readonly HeaderChanges[];
  /** Host that the backend gets. */
  readonly rewriteHostname?: string;
  readonly rewritePath?: PathChange;
  /** Limit of the backend's response in ms; absent: the gateway's own; 0: the longest. */
  readonly timeoutMs?: number;
  /** With it, `timeoutMs` is the limit of all attempts together. */
  readonly retry?: Retry;
  readonly cors?: CrossOrigin;
  /** Where copies of the requests that are forwarded go. */
  readonly mirrors?: readonly Mirror[];
  /** Requests for it are copies only. No match leads to it, and it forwards. */
  readonly isMirror?: true;
  readonly action: RuleAction;
}

/** When a backend is asked again; also, and whatever the codes, after a connection that fails. */
export interface Retry {
  /** After the first one, at least 1. */
  readonly attempts: number;
  /** Statuses that HAProxy's `retry-on` has. */
  readonly codes: readonly number[];
  /** Limit of one attempt in ms; absent: the gateway's own; 0: the longest. */
  readonly timeoutMs?: number;
}

/** Which share of the requests is copied, each by chance. */
export interface Mirror {
  /** Place in {@link RouteProgram.rules} of one that is a mirror. */
  readonly rule: number;
  readonly numerator: number;
  /** At least 1. */
  readonly denominator: number;
}

/** Which pages of other origins may read the responses (Fetch standard, section 3.3, "CORS protocol"). */
export interface CrossOrigin {
  /** Such as `https://a.example:8443`, `https://*.example` or `*`. */
  readonly origins: readonly string[];
  /** Each may be `*`. */
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
  readonly hasCredentials: boolean;
  readonly maxAgeSeconds: number;
}

export interface HeaderChanges {
  readonly set: readonly NameAndValue[];
  readonly add: readonly NameAndValue[];
  readonly remove: readonly string[];
}

/** `prefix`: what matched, `replacement` may be empty. */
export type PathChange =
  | { readonly type: "full"; readonly path: string }
  | { readonly type: "prefix"; readonly prefix: string; readonly replacement: string };

export type RuleAction =
  | { readonly type: "forward"; readonly backend: BackendTarget }
  | { readonly type: "redirect"; readonly redirect: Redirect }
  /** Each request goes to one of several rules, by chance; there are two at least. */
  | { readonly type: "split"; readonly shares: readonly Share[] }
  /** There is nothing to forward to: no backend (500) or one that does not exist. */
  | { readonly type: "respond"; readonly status: number };

/** A part of a rule's requests. No match leads to its rule, which is not split itself. */
export interface Share {
  /** Above 0, beside those of the other shares. */
  readonly weight: number;
  /** Place in {@link RouteProgram.rules}. */
  readonly rule: number;
}

export interface BackendTarget {
  readonly scheme: "http" | "https";
  /** A DNS name, or an address without brackets. */
  readonly host: string;
  /** Other addresses that the same requests may go to; only beside an address. */
  readonly others?: readonly string[];
  readonly port: number;
}

/** Absent parts are the request's. */
export interface Redirect {
  readonly scheme?: "http" | "https";
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: PathChange;
  readonly statusCode: number;
}
