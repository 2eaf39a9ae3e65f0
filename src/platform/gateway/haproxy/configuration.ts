import { line, notFound, organizationTable, projectTable, respondWith } from "./backend-section.ts";
import type { GatewayFiles } from "./gateway-files.ts";
import { innerFrontend } from "./inner-hop.ts";
import { misdirected, sniLines } from "./misdirected-lines.ts";
import { entryLines, plainLines, slotDefaultsName } from "./plain-section.ts";
import { word } from "./quote.ts";
import { maxCopies, maxHeaders } from "./request-script.ts";

export interface GatewayLimits {
  /** Connections of clients at once. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly requestsPerProxy: number;
}

export interface GatewaySettings {
  /** `host:port`, IPv6 in brackets. */
  readonly listen: string;
  readonly tlsListen: string;
  /** Address ranges whose `X-Forwarded-*` are kept. */
  readonly trustedProxies: readonly string[];
  readonly accessLog: boolean;
  readonly limits: GatewayLimits;
}

/** Longest path of a request, and largest head, in bytes. */
const maxPath = 8 * 1024;
const maxHead = 16 * 1024;
/** With those that a program adds: a request of a rule with retries is read once more with them. */
const maxHeadersInside = 256;

/** Of all workers that may still serve their last requests, each of which holds the whole configuration. */
const earlierWorkersBytes = 1.5 * 2 ** 30;

/** HAProxy's to itself: one of each request, and copies, which leave room for these. */
function innerConnections({ connections }: GatewayLimits): number {
  return connections + maxCopies(connections);
}

function maxEarlierWorkers(bytes: number): number {
  return Math.min(50, Math.max(5, Math.floor(earlierWorkersBytes / Math.max(bytes, 1))));
}

/**
 * What all programs share: everything before their sections.
 *
 * @param bytes memory that HAProxy needs for the sections, about; absent: for a check, without the programs'
 *   certificates
 */
export function sharedConfiguration(settings: GatewaySettings, files: GatewayFiles, bytes?: number): string {
  const { limits } = settings;
  return [
    "# Written by telemetryd; changes are lost.",
    section("global", [
      `stats socket ${word(files.workerSocket)} mode 600 level admin expose-fd listeners`,
      `maxconn ${limits.connections + innerConnections(limits)}`,
      // With fewer open files than the connections need, HAProxy lowers the number of connections itself.
      "no strict-limits",
      // How long requests that are open at a reload may still take, and how many workers may wait for them.
      "hard-stop-after 10m",
      `mworker-max-reloads ${maxEarlierWorkers(bytes ?? 0)}`,
      `crt-base ${word(files.certificates)}`,
      "expose-experimental-directives",
      `tune.http.maxhdr ${maxHeadersInside}`,
      "tune.bufsize 32768",
      "tune.maxrewrite 12288",
      "ssl-default-bind-options ssl-min-ver TLSv1.2",
      // Authenticated encryption (AEAD) only. HAProxy refuses renegotiation by itself.
      "ssl-default-bind-ciphers ECDHE+AESGCM:ECDHE+CHACHA20",
      "ssl-default-server-options ssl-min-ver TLSv1.2",
      "log stdout format raw local0 info",
      ...where("feature(LUA)", [`lua-load ${word(files.script)}`]),
    ]),
    section("defaults", defaultLines()),
    section("frontend gateway", frontendLines(settings, files, bytes !== undefined)),
    section("backend unknown", [respondWith(404, notFound, "")]),
    section("frontend inner", innerFrontend(files.innerSocket, innerConnections(limits), "unknown-inner")),
    section("backend unknown-inner", [respondWith(503, "the rule has changed", "")]),
    ...[projectTable, organizationTable].map((table) =>
      section(`backend ${table}`, ["stick-table type string len 256 size 100k expire 1m store conn_cur"]),
    ),
  ].join("\n");
}

function defaultLines(): string[] {
  return [
    "mode http",
    "timeout connect 5s",
    "timeout client 60s",
    "timeout server 60s",
    "timeout http-request 10s",
    "timeout http-keep-alive 15s",
    "timeout tunnel 1h",
    // At a reload, a connection that waits for a request is closed after that one, not just before it.
    "option idle-close-on-response",
    // Else parts of a response wait up to 200 ms for more: events have to arrive as they are sent.
    "option http-no-delay",
    // A client that disconnects before the response ends its request: else it holds a place of its proxy's.
    "option abortonclose",
    // Between two attempts HAProxy waits a second: three would delay the response for a dead backend by 3 s.
    "retries 1",
    // Earlier ones forward trailers, and have nothing that drops or refuses them.
    ...where("version_atleast(3.2)", ["option http-drop-request-trailers"]),
    ...errorTexts(),
  ];
}

/** What all slots share, after everything else: whatever follows would have these lines too. */
export function slotDefaults({ limits }: GatewaySettings): string {
  return section(`defaults ${slotDefaultsName}`, [...defaultLines(), ...plainLines(limits.connections)]);
}

/** Lines that only some builds of HAProxy read (configuration manual, section 2.4, "Conditional blocks"). */
function where(condition: string, lines: readonly string[], otherwise: readonly string[] = []): string[] {
  const others = otherwise.length === 0 ? [] : [".else", ...otherwise];
  return [`.if ${condition}`, ...lines, ...others, ".endif"];
}

function section(head: string, lines: readonly string[]): string {
  return `${[head, ...lines.filter((line) => line !== "")].join("\n  ")}\n`;
}

function frontendLines(settings: GatewaySettings, files: GatewayFiles, isServed: boolean): string[] {
  const { listen, tlsListen, limits, accessLog } = settings;
  // The first one is for names that have none.
  const certificates = [
    `crt ${word(files.certificate)}`,
    ...(isServed ? [`crt-list ${word(files.certificateList)}`] : []),
  ].join(" ");
  return [
    `bind ${word(listen)}`,
    `bind ${word(tlsListen)} ssl ${certificates} alpn h2,http/1.1`,
    `maxconn ${limits.connections}`,
    "stick-table type ipv6 size 100k expire 60s store conn_cur",
    "tcp-request connection track-sc0 src,ipmask(32,64)",
    `tcp-request connection reject if { sc0_conn_cur gt ${limits.connectionsPerAddress} }`,
    ...(accessLog ? ["log global", `log-format ${word(logFormat)}`] : []),
    ...framingLines,
    webSocketLine,
    ...namedLines,
    ...pathLines,
    ...hostLines(files),
    // Of a host that a leaving worker does not have, or no longer, the next connection's worker knows more.
    "http-request reject if { stopping } !{ var(txn.section) -m found }",
    ...headerLines(settings),
    "http-response del-header Keep-Alive",
    "use_backend %[var(txn.slot)] if { var(txn.slot) -m found }",
    "use_backend %[var(txn.section)] if { var(txn.section) -m found }",
    "default_backend unknown",
  ];
}

const isHttp2 = "{ fc_http_major 2 }";
/** What no header may have (RFC 9110, section 5.5); HAProxy lets control characters in values pass. */
const controlCharacter = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]";

/** RFC 9110, section 8.6, within 18 digits: HAProxy 2.6 drops what exceeds 64 bits, and forwards it as written. */
const contentLength = "^(0|[1-9][0-9]{0,17})$";

/** Where such a request ends is uncertain: nothing else is read from its connection. */
function malformed(status: number, text: string, condition: string): string {
  return respondWith(status, text, condition, "hdr Connection close");
}

/** What HAProxy would forward, and two programs could read differently. */
const framingLines = [
  malformed(
    400,
    "Content-Length is not a number of at most 18 digits",
    `if { req.hdr(content-length) -m found } !{ req.fhdr(content-length) -m reg ${word(contentLength)} }`,
  ),
  // HAProxy takes any `HTTP/<digit>.<digit>` for HTTP/1.
  malformed(505, "the version of HTTP is not supported", `unless { req.ver 1.0 1.1 } || ${isHttp2}`),
  respondWith(405, "the method is not allowed", "if { method CONNECT TRACE }"),
  malformed(400, "Transfer-Encoding needs HTTP/1.1", "if HTTP_1.0 { req.hdr(transfer-encoding) -m found }"),
  // With an empty element or line beside it, a backend could find no coding, and a request in the body.
  ...["!{ req.fhdr(transfer-encoding) -m str -i chunked }", "{ req.fhdr_cnt(transfer-encoding) gt 1 }"].map(
    (odd) =>
      malformed(
        400,
        "Transfer-Encoding is not chunked",
        `if { req.fhdr_cnt(transfer-encoding) gt 0 } ${odd}`,
      ),
  ),
  // In HTTP/2 every request has its scheme and host in the same place (RFC 9113, section 8.3.1); HAProxy
  // leaves out those of the web only, where it writes the target for a backend.
  respondWith(400, "the target must be a path", `unless { url -m beg / } || ${isHttp2}`),
  respondWith(400, "the scheme is not http or https", "unless { url -m beg / http:// https:// }"),
  respondWith(400, "the target must be a path", "unless { path -m beg / }"),
  respondWith(400, "the target has characters that it may not have", `if { url -m sub -- '#' '\\' }`),
  malformed(400, "a header has control characters", `if { req.hdrs -m reg ${word(controlCharacter)} }`),
  malformed(400, `the request has more than ${maxHeaders} headers`, `if { req.fhdr_cnt gt ${maxHeaders} }`),
  respondWith(414, "the path is too long", `if { path -m len gt ${maxPath} }`),
  respondWith(431, "the head is too large", `if { req.hdrs -m len gt ${maxHead} }`),
];

/** Headers for this connection only (RFC 9110, section 7.6.1). */
const hopHeaders = ["connection", "upgrade", "http2-settings", "keep-alive", "proxy-connection", "te"];

/** Whether Connection has more than one of the usual words. */
const namesHeaders =
  "{ req.hdr_cnt(connection) gt 1 } ||" +
  " { req.hdr(connection) -m found } !{ req.hdr(connection) -m str -i close keep-alive upgrade te }";

const namedLines = where(
  "feature(LUA)",
  [
    `http-request lua.drop-named if ${namesHeaders}`,
    malformed(400, "Connection names too many headers", "if { var(txn.overnamed) -m found }"),
  ],
  [respondWith(400, "Connection names headers", `if ${namesHeaders}`)],
);

/**
 * Paths are matched and forwarded in one form (RFC 3986, section 6.2.2); most have it already, and are not
 * touched. Queries stay as they are: clients sign them, and write `%` in them where it means nothing.
 */
const pathLines = [
  "http-request set-var-fmt(txn.query) ?%[query] if { query -m found }",
  "http-request set-var(txn.odd) bool(true) if { path -m sub % /. }",
  ...[
    "set-query %[str()]",
    "normalize-uri percent-decode-unreserved strict",
    "normalize-uri percent-to-uppercase strict",
    "normalize-uri path-strip-dot",
  ].map((action) => `http-request ${action} if { var(txn.odd) -m found }`),
  // With a condition, HAProxy 2.6 does something else.
  "http-request normalize-uri path-strip-dotdot",
  respondWith(
    400,
    "the path leads above the root",
    "if { var(txn.odd) -m found } { path,concat(/) -m beg /../ }",
  ),
  "http-request set-query %[var(txn.query),bytes(1)] if { var(txn.odd) -m found } { var(txn.query) -m found }",
];

/** A name, perhaps with the root's dot, and a port. */
const hostForm = "^[0-9A-Za-z_-]+(\\.[0-9A-Za-z_-]+)*\\.?(:[0-9]{0,5})?$";

/** Labels that `*.` of a hostname stands for, at most. */
const wildcardLabels = 8;

/** What a hostname has in the map of hosts: `*.example.com` is `.example.com`, which no request can ask for. */
export function hostKey(hostname: string): string {
  return hostname.startsWith("*.") ? hostname.slice(1) : hostname;
}

/** Sets a variable that was not found by a whole name to what the longest wildcard has. */
function wildcardLines(variable: string, name: string, lookup: string): string[] {
  const unless = `if !{ var(${variable}) -m found }`;
  return Array.from({ length: wildcardLabels }, (_, index) => {
    // Of its own: what another name has left there is not found for one that there is not.
    const rest = `${variable}_rest`;
    const shorter = index === 0 ? `${name},regsub(^[^.]+,)` : `var(${rest}),regsub(^[.][^.]+,)`;
    return [
      `http-request set-var(${rest}) ${word(shorter)} ${unless}`,
      `http-request set-var(${variable}) ${word(`var(${rest}),${lookup}`)} ${unless}`,
    ];
  }).flat();
}

function hostLines(files: GatewayFiles): string[] {
  const lookup = `map_str(${files.hosts})`;
  const sni = "ssl_fc_sni,lower,rtrim(.)";
  const isHost = `{ req.fhdr(host) -m reg ${word(hostForm)} }`;
  return [
    `http-request set-var(txn.host) req.fhdr(host),field(1,:),lower,rtrim(.) if ${isHost}`,
    `http-request set-var(txn.entry) ${word(`var(txn.host),${lookup}`)}`,
    ...wildcardLines("txn.entry", "var(txn.host)", lookup),
    ...entryLines(files.paths),
    `http-request set-var(txn.sni_entry) ${word(`${sni},${lookup}`)} if { ssl_fc }`,
    ...wildcardLines("txn.sni_entry", sni, lookup),
    ...sniLines("txn.sni_entry"),
    respondWith(...misdirected, "if { var(txn.sni) -m found } !{ var(txn.sni),strcmp(txn.section) eq 0 }"),
  ];
}

const webSocketLine =
  "http-request set-var(txn.websocket) bool(true)" +
  " if { req.hdr(upgrade) -m str -i websocket } { req.hdr(connection) -m str -i upgrade }";

/**
 * What is for this connection only is not forwarded: a backend would drop what the client's Connection names,
 * such as X-Forwarded-For, and sees none of it. Only WebSocket is an upgrade that the gateway knows, and the
 * only one offered: after another one, requests would pass unseen.
 *
 * Who a request comes from is said by the gateway, or by a proxy that the operator trusts. To many programs a
 * name with underscores is the same (RFC 3875, section 4.1.18).
 */
function headerLines({ trustedProxies }: GatewaySettings): string[] {
  const fromProxies = "x[-_]forwarded[-_](for|proto|host|port)";
  // A backend that reads trailers is not to wait for those that are dropped.
  const never = [...hopHeaders, "trailer", "forwarded", "x[-_]real[-_]ip"].join("|");
  const removal = (names: string): string => `http-request del-header ${word(`^(${names})$`)} -m reg`;
  const trusted = trustedProxies.length > 0;
  const values = [
    ["X-Forwarded-Proto", "%[ssl_fc,iif(https,http)]"],
    ["X-Forwarded-Host", "%[req.fhdr(host)]"],
    ["X-Forwarded-Port", "%[dst_port]"],
  ] as const;
  return [
    ...(trusted
      ? [
          `acl from-trusted src ${trustedProxies.map((range) => word(range)).join(" ")}`,
          `${removal(fromProxies)} unless from-trusted`,
          removal(never),
        ]
      : [removal(`${never}|${fromProxies}`)]),
    "http-request set-header Connection Upgrade if { var(txn.websocket) -m found }",
    "http-request set-header Upgrade websocket if { var(txn.websocket) -m found }",
    "http-request add-header X-Forwarded-For %[src]",
    ...values.map(([name, value]) => {
      const unlessKept = trusted ? ` unless { req.hdr(${name}) -m found }` : "";
      return `http-request add-header ${name} ${value}${unlessKept}`;
    }),
    "http-request set-header X-Request-Id %[uuid()] unless { req.hdr(x-request-id) -m found }",
  ];
}

/** One JSON object a line. */
const logFormat =
  `{"time":"%[date,utime(%Y-%m-%dT%H:%M:%SZ)]","client":"%ci","host":"%[var(txn.host),json(utf8s)]",` +
  `"section":"%[var(txn.section)]","method":"%[capture.req.method,json(utf8s)]",` +
  `"path":"%[capture.req.uri,json(utf8s)]","status":%ST,"bytes":%B,"ms":%Ta,"rule":"%s"}`;

/** What HAProxy itself responds with when a request cannot be served. */
function errorTexts(): string[] {
  const texts: Readonly<Record<number, string>> = {
    400: "the request is malformed",
    403: "forbidden",
    408: "the request took too long to arrive",
    413: "the request is too large",
    429: "too many requests",
    500: "the gateway failed",
    502: "the backend's response is malformed, or ended early",
    503: "the backend does not respond",
    504: "the backend took too long to respond",
  };
  return Object.entries(texts).map(
    ([status, text]) => `http-error status ${status} content-type text/plain string ${line(text)}`,
  );
}
