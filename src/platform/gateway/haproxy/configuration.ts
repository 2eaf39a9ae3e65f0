import { answer, line, notFound } from "./backend-section.ts";
import { word } from "./quote.ts";

/** Paths of the files that HAProxy reads and of the sockets that it is asked on. */
export interface GatewayFiles {
  /** The configuration itself. */
  readonly configuration: string;
  /** Hostnames and the sections that their requests are for. */
  readonly hosts: string;
  /** Certificate and key of the hostnames (PEM). */
  readonly certificate: string;
  /** Authorities of backends (PEM). */
  readonly authorities: string;
  readonly masterSocket: string;
  readonly workerSocket: string;
}

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
const maxHeaders = 100;

/**
 * How many earlier workers may still serve their last requests: each holds the configuration of all programs
 * (10,000 take 500 MB).
 */
function maxEarlierWorkers(programs: number): number {
  return Math.min(50, Math.max(5, Math.floor(30_000 / Math.max(programs, 1))));
}

/**
 * What all programs share: everything before their sections.
 *
 * @param programs number of programs
 */
export function sharedConfiguration(
  settings: GatewaySettings,
  files: GatewayFiles,
  programs: number,
): string {
  const { limits } = settings;
  return [
    "# Written by telemetryd; changes are lost.",
    section("global", [
      `stats socket ${word(files.workerSocket)} mode 600 level admin expose-fd listeners`,
      `maxconn ${limits.connections}`,
      // With fewer open files than the connections need, HAProxy lowers the number of connections itself.
      "no strict-limits",
      // How long requests that are open at a reload may still take, and how many workers may wait for them.
      "hard-stop-after 10m",
      `mworker-max-reloads ${maxEarlierWorkers(programs)}`,
      "expose-experimental-directives",
      `tune.http.maxhdr ${maxHeaders + 1}`,
      "tune.bufsize 32768",
      "tune.maxrewrite 12288",
      "ssl-default-bind-options ssl-min-ver TLSv1.2",
      "ssl-default-server-options ssl-min-ver TLSv1.2",
      "log stdout format raw local0 info",
    ]),
    section("defaults", [
      "mode http",
      "timeout connect 5s",
      "timeout client 60s",
      "timeout server 60s",
      "timeout http-request 10s",
      "timeout http-keep-alive 15s",
      "timeout tunnel 1h",
      // At a reload, a connection that waits for a request is closed after that one, not just before it.
      "option idle-close-on-response",
      // Else parts of an answer wait up to 200 ms for more: events have to arrive as they are sent.
      "option http-no-delay",
      // A client that goes away before the answer ends its request: else it holds a place of its proxy's.
      "option abortonclose",
      // Between two attempts HAProxy waits a second: three would have a dead backend answered for after 3 s.
      "retries 1",
      ...errorTexts(),
    ]),
    section("frontend gateway", frontendLines(settings, files)),
    section("backend unknown", [answer(404, notFound, "")]),
  ].join("\n");
}

function section(head: string, lines: readonly string[]): string {
  return `${[head, ...lines.filter((line) => line !== "")].join("\n  ")}\n`;
}

function frontendLines(settings: GatewaySettings, files: GatewayFiles): string[] {
  const { listen, tlsListen, limits, accessLog } = settings;
  return [
    `bind ${word(listen)}`,
    `bind ${word(tlsListen)} ssl crt ${word(files.certificate)} alpn h2,http/1.1`,
    `maxconn ${limits.connections}`,
    "stick-table type ipv6 size 100k expire 60s store conn_cur",
    "tcp-request connection track-sc0 src,ipmask(32,64)",
    `tcp-request connection reject if { sc0_conn_cur gt ${limits.connectionsPerAddress} }`,
    ...(accessLog ? ["log global", `log-format ${word(logFormat)}`] : []),
    ...framingLines,
    webSocketLine,
    ...pathLines,
    ...hostLines(files),
    ...headerLines(settings),
    "http-response del-header Keep-Alive",
    "use_backend %[var(txn.section)] if { var(txn.section) -m found }",
    "default_backend unknown",
  ];
}

const isHttp2 = "{ fc_http_major 2 }";
/** What no header may have (RFC 9110, section 5.5); HAProxy lets control characters in values pass. */
const controlCharacter = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]";

/** What HAProxy would forward, and two programs could read differently. */
const framingLines = [
  // HAProxy takes any `HTTP/<digit>.<digit>` for HTTP/1.
  answer(505, "the version of HTTP is not supported", `unless { req.ver 1.0 1.1 } || ${isHttp2}`),
  answer(405, "the method is not allowed", "if { method CONNECT TRACE }"),
  answer(400, "Transfer-Encoding needs HTTP/1.1", "if HTTP_1.0 { req.hdr(transfer-encoding) -m found }"),
  // In HTTP/2 every request has its scheme and host in the same place (RFC 9113, section 8.3.1).
  answer(400, "the target must be a path", `unless { url -m beg / } || ${isHttp2}`),
  answer(400, "the target must be a path", "unless { path -m beg / }"),
  answer(400, "the target has characters that it may not have", `if { url -m sub -- '#' '\\' }`),
  answer(400, "a header has control characters", `if { req.hdrs -m reg ${word(controlCharacter)} }`),
  answer(414, "the path is too long", `if { path -m len gt ${maxPath} }`),
  answer(431, "the head is too large", `if { req.hdrs -m len gt ${maxHead} }`),
];

/** Headers for this connection only (RFC 9110, section 7.6.1). */
const hopHeaders = ["connection", "upgrade", "http2-settings", "keep-alive", "proxy-connection"];

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
  answer(400, "the path leads above the root", "if { var(txn.odd) -m found } { path,concat(/) -m beg /../ }"),
  "http-request set-query %[var(txn.query),bytes(1)] if { var(txn.odd) -m found } { var(txn.query) -m found }",
];

/** A name, perhaps with the root's dot, and a port. */
const hostForm = "^[0-9A-Za-z_-]+(\\.[0-9A-Za-z_-]+)*\\.?(:[0-9]{0,5})?$";

function hostLines(files: GatewayFiles): string[] {
  const lookup = `map_str(${files.hosts})`;
  const isHost = `{ req.hdr(host) -m reg ${word(hostForm)} }`;
  return [
    `http-request set-var(txn.host) req.hdr(host),field(1,:),lower,rtrim(.) if ${isHost}`,
    `http-request set-var(txn.section) ${word(`var(txn.host),${lookup}`)}`,
    `http-request set-var(txn.sni) ${word(`ssl_fc_sni,lower,rtrim(.),${lookup}`)} if { ssl_fc }`,
    answer(
      421,
      "the connection is for another host",
      "if { var(txn.sni) -m found } !{ var(txn.sni),strcmp(txn.section) eq 0 }",
    ),
  ];
}

const webSocketLine =
  "http-request set-var(txn.websocket) bool(true)" +
  " if { req.hdr(upgrade) -m str -i websocket } { req.hdr(connection) -m str -i upgrade }";

/**
 * What is for this connection only is not forwarded: a backend would drop what the client's Connection names,
 * such as X-Forwarded-For. Only WebSocket is an upgrade that the gateway knows, and the only one offered:
 * after another one, requests would pass unseen.
 *
 * Who a request comes from is said by the gateway, or by a proxy that the operator trusts. To many programs a
 * name with underscores is the same (RFC 3875, section 4.1.18).
 */
function headerLines({ trustedProxies }: GatewaySettings): string[] {
  const fromProxies = "x[-_]forwarded[-_](for|proto|host|port)";
  const never = [...hopHeaders, "forwarded", "x[-_]real[-_]ip"].join("|");
  const removal = (names: string): string => `http-request del-header ${word(`^(${names})$`)} -m reg`;
  const trusted = trustedProxies.length > 0;
  const values = [
    ["X-Forwarded-Proto", "%[ssl_fc,iif(https,http)]"],
    ["X-Forwarded-Host", "%[req.hdr(host)]"],
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

/** What HAProxy itself answers with when a request cannot be served. */
function errorTexts(): string[] {
  const texts: Readonly<Record<number, string>> = {
    400: "the request is malformed",
    403: "forbidden",
    408: "the request took too long to arrive",
    413: "the request is too large",
    429: "too many requests",
    500: "the gateway failed",
    502: "the backend's response is malformed, or ended early",
    503: "the backend does not answer",
    504: "the backend took too long to answer",
  };
  return Object.entries(texts).map(
    ([status, text]) => `http-error status ${status} content-type text/plain string ${line(text)}`,
  );
}
