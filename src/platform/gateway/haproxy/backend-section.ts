import { programLimits } from "../../routing/program-limits.ts";
import type { HeaderChanges, ProgramRule, RouteProgram } from "../../routing/route-program.ts";
import { corsLines } from "./cors-lines.ts";
import { matchingLines } from "./match-lines.ts";
import { mirrorLines, mirrorNeeds, mirrorSection } from "./mirror-section.ts";
import { isForeign, isOtherListener, listenerLines, misdirected } from "./misdirected-lines.ts";
import { pathCases, redirectLines } from "./path-lines.ts";
import { fetchOf, format, word } from "./quote.ts";
import { retryHopLines, retrySection, retryServer, totalTimeoutMs } from "./retry-section.ts";
import { serverAddress, serverCheck, serverTimeoutMs, standIn } from "./server-lines.ts";

/** Where the requests of a rule are forwarded to, decided when the section is made. */
export type BackendAddress =
  | { readonly kind: "address"; readonly addresses: readonly string[] }
  /** Connections to it are not allowed. */
  | { readonly kind: "blocked" }
  /** Its name has no address, or none yet. */
  | { readonly kind: "unresolved" }
  /** It has no name to verify its certificate by. */
  | { readonly kind: "nameless" };

export interface SectionSettings {
  /** Requests of one program at once. */
  readonly requestsPerProxy: number;
  /** Connections of clients at once, to all programs. */
  readonly connections: number;
  /** PEM file of the authorities that backends' certificates are verified by. */
  readonly authoritiesFile: string;
  /** Unix socket on which HAProxy takes requests for sections of its own. */
  readonly innerSocket: string;
  addressOf(rule: number): BackendAddress;
}

/** Name of a program's section. */
export function sectionName(gateway: string): string {
  return `gateway-${gateway}`;
}

/** Name of a server of a rule. @param place among the rule's servers */
export function serverName(rule: number, place: number): string {
  return place === 0 ? `rule-${rule}` : `rule-${rule}-${place}`;
}

/** Whether all requests that are forwarded go to the same backend: its servers stand in for each other. */
export function isOneBackend({ rules }: RouteProgram): boolean {
  // The servers of this section that lead to sections of retries stand in for no other.
  if (rules.some(({ retry }) => retry !== undefined)) return false;
  const backends = rules.flatMap(({ action, isMirror }) =>
    action.type === "forward" && isMirror !== true ? [action.backend] : [],
  );
  return new Set(backends.map((backend) => JSON.stringify(backend))).size === 1;
}

/** @returns why the program cannot be carried out, or undefined */
export function programFault(program: RouteProgram): string | undefined {
  const { matches, rules, gateway, hostnames = [], certificates = [] } = program;
  if (!/^[0-9a-f-]{36}$/.test(gateway)) return "its uid is none";
  // Controllers attach no routes beyond these limits: only one that is older or newer would send more.
  if (matches.length > programLimits.matches)
    return `its routes have more than ${programLimits.matches} matches`;
  if (rules.length > programLimits.rules) return `its routes have more than ${programLimits.rules} rules`;
  // In a map's file, a line break would be another entry.
  if (!hostnames.every((name) => hostnameForm.test(name))) return "one of its hostnames is none";
  const named = certificates.flatMap((each) => each.hostnames);
  if (new Set(named).size < named.length || !named.every((name) => hostnames.includes(name))) {
    return "one of its certificates is for a hostname that it does not have";
  }
  // HAProxy reads them as a command's payload, which an empty line ends.
  if (!certificates.every(({ pem }) => pemForm.test(pem))) return "one of its certificates is none";
  return undefined;
}

const pemForm = /^(-----(BEGIN|END) (CERTIFICATE|PRIVATE KEY)-----\n|[A-Za-z0-9+/=]{1,64}\n){1,800}$/;
const hostnameForm = /^(\*\.)?[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

/** Lines of a program's `backend` sections, ending in a line break: its own, then those of some rules. */
export function backendSection(program: RouteProgram, settings: SectionSettings): string {
  const lines = [
    `backend ${sectionName(program.gateway)}`,
    ...refusals(program, settings),
    ...misdirectedLines(program),
    ...shareLines(
      fetchOf("str", program.plane.uid),
      fetchOf("str", program.plane.organization),
      settings.connections,
    ),
    ...matchingLines(program.matches),
    reply("noRule", "unless { var(txn.rule) -m found }"),
    ...program.rules.flatMap(splitLines),
    ...(program.rules.some(({ isMirror }) => isMirror === true) ? mirrorNeeds : []),
    ...loopGuard(program.gateway),
    ...program.rules.flatMap((rule, index) => ruleLines(program, rule, index, settings)),
    ...serverLines(program, settings),
  ];
  const inner = program.rules.flatMap((rule, index) => {
    const found = serversOf(rule, index, settings);
    const sectionOf = rule.isMirror === true ? mirrorSection : retrySection;
    return found.flatMap(({ lines }) => sectionOf(program.gateway, rule, index, lines));
  });
  return [lines, ...inner].map((each) => `${each.join("\n  ")}\n`).join("");
}

/** Requests of one program at once. */
export function requestLimit(requestsPerProxy: number): string {
  return reply("tooMany", `if { be_conn gt ${requestsPerProxy} }`);
}

function refusals({ listeners }: RouteProgram, { requestsPerProxy }: SectionSettings): string[] {
  return [
    requestLimit(requestsPerProxy),
    ...(listeners.includes("http") ? [] : [respondWith(404, notFound, "unless { ssl_fc }")]),
    ...(listeners.includes("https") ? [] : [respondWith(404, notFound, "if { ssl_fc }")]),
  ];
}

function misdirectedLines(program: RouteProgram): string[] {
  const lines = listenerLines(program);
  if (lines.length === 0) return [respondWith(...misdirected, `if ${isForeign}`)];
  return [
    ...lines,
    respondWith(...misdirected, `if ${isOtherListener}`),
    // Its listener would be the connection's.
    respondWith(404, notFound, `if ${isForeign}`),
  ];
}

/** Requests that are being worked on hold connections: by project (sc1), and by organization (sc2). */
export const projectTable = "projects";
export const organizationTable = "organizations";

/**
 * However many proxies and clients a project has, others find connections free.
 *
 * @param project @param organization sample expressions, as words
 */
export function shareLines(project: string, organization: string, connections: number): string[] {
  const line = (counter: number, key: string, table: string, share: number): string[] => [
    `http-request track-sc${counter} ${key} table ${table}`,
    reply(
      "overShare",
      `if { sc${counter}_conn_cur(${table}) gt ${Math.max(1, Math.floor(connections * share))} }`,
    ),
  ];
  return [...line(1, project, projectTable, 1 / 4), ...line(2, organization, organizationTable, 1 / 2)];
}

export const notFound = "no such host";

/** A text of our own, with a line break at its end. */
export function line(text: string): string {
  return `"${text}\\n"`;
}

export function respondWith(status: number, text: string, condition: string, headers = ""): string {
  const body = `content-type text/plain string ${line(text)}`;
  return ["http-request return status", status, body, headers, condition]
    .filter((part) => part !== "")
    .join(" ");
}

/** What the gateway itself responds to a proxy's requests: status, text and headers. */
const replies = {
  tooMany: [429, "too many requests to this proxy at once", "hdr Retry-After 1"],
  overShare: [
    429,
    "too many requests to this project's proxies at once",
    "hdr Retry-After 1 hdr Connection close",
  ],
  noRule: [404, "no rule of the proxy matches this request"],
  loop: [508, "the backend of this proxy leads back to it"],
  blocked: [502, "the gateway may not connect to the backend"],
  unresolved: [503, "the backend's name has no address", "hdr Retry-After 5"],
} as const;

export function reply(kind: keyof typeof replies, condition: string): string {
  const [status, text, headers] = replies[kind];
  return respondWith(status, text, condition, headers);
}

/** @param status for a rule that has nothing to forward to */
export function noBackend(status: number, condition: string): string {
  return respondWith(status, "the proxy has no backend for this request", condition);
}

/** RFC 9110, section 7.6.3: a request that comes back has this gateway in its Via (508, RFC 5842). */
function loopGuard(gateway: string): string[] {
  const own = `telemetryd-${gateway}`;
  return [
    reply("loop", `if { req.hdr(via) -m sub ${own} }`),
    `http-request add-header Via "%[req.ver] ${own}"`,
  ];
}

/** Has a rule's requests go to one of its shares' rules, by weight. */
function splitLines({ action }: ProgramRule, index: number): string[] {
  if (action.type !== "split") return [];
  const chosen = `{ var(txn.rule) -m int ${index} }`;
  const total = action.shares.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  return [
    `http-request set-var(txn.share) rand(${total}) if ${chosen}`,
    ...action.shares.map(({ weight, rule }) => {
      below += weight;
      return `http-request set-var(txn.rule) int(${rule}) if ${chosen} { var(txn.share) -m int lt ${below} }`;
    }),
  ];
}

const nameless = "the backend's certificate cannot be verified: its endpoint is an address, not a host name";

function ruleLines(
  program: RouteProgram,
  rule: ProgramRule,
  index: number,
  settings: SectionSettings,
): string[] {
  const chosen = `{ var(txn.rule) -m int ${index} }`;
  // Also of the gateway's own responses: redirects and its own errors.
  const response = rule.responseHeaders.flatMap((changes) =>
    headerLines("http-after-response", changes, chosen),
  );
  // Requests of a rule that is split have the rules of its shares; those for a mirror have a section.
  if (rule.action.type === "split" || rule.isMirror === true) return response;
  const cors = rule.cors === undefined ? [] : corsLines(rule.cors, index, chosen);
  return [...response, ...cors, ...actionLines(program, rule, index, chosen, settings)];
}

function actionLines(
  program: RouteProgram,
  rule: ProgramRule,
  index: number,
  chosen: string,
  settings: SectionSettings,
): string[] {
  const { action } = rule;
  if (action.type === "respond") {
    return [noBackend(action.status, `if ${chosen}`)];
  }
  if (action.type === "redirect") return redirectLines(action.redirect, chosen);
  const address = settings.addressOf(index);
  if (address.kind === "blocked" || address.kind === "unresolved") {
    return [reply(address.kind, `if ${chosen}`)];
  }
  if (address.kind === "nameless") return [respondWith(503, nameless, `if ${chosen}`)];
  const timeoutMs = totalTimeoutMs(rule);
  return [
    ...rule.requestHeaders.flatMap((changes) => headerLines("http-request", changes, chosen)),
    ...(rule.rewritePath === undefined
      ? []
      : pathCases(rule.rewritePath, chosen).map(
          ([path, condition]) => `http-request set-path ${word(path)} if ${condition}`,
        )),
    ...(rule.rewriteHostname === undefined
      ? []
      : [`http-request set-header Host ${format(rule.rewriteHostname)} if ${chosen}`]),
    ...(timeoutMs === undefined
      ? []
      : [`http-request set-timeout server ${serverTimeoutMs(timeoutMs)}ms if ${chosen}`]),
    ...mirrorLines(program, rule, chosen),
    ...retryHopLines(program.gateway, rule, index, chosen),
  ];
}

/** HAProxy reads these after all that is done to requests. */
function serverLines(program: RouteProgram, settings: SectionSettings): string[] {
  const hops = program.rules.flatMap((rule, index) =>
    rule.retry === undefined || serversOf(rule, index, settings).length === 0
      ? []
      : retryServer(index, settings.innerSocket),
  );
  return [...hops, ...directLines(program, settings)];
}

function directLines(program: RouteProgram, settings: SectionSettings): string[] {
  const all = program.rules.flatMap((rule, index) =>
    rule.isMirror === true ? [] : serversOf(rule, index, settings),
  );
  if (all.every(({ places }) => places === 1))
    return all.flatMap(({ choice, lines }) => [...choice, ...lines]);
  // A connection that fails is tried with any other server of the section: all must lead to one backend.
  if (isOneBackend(program)) {
    return [...standIn, ...(all[0]?.lines ?? [])];
  }
  // Servers without weight are used only by the rules that name them: of a rule's, one that is up.
  return all.flatMap(({ choice, lines }) => [...choice, ...lines.map((each) => `${each} weight 0`)]);
}

/** A connection that fails counts as a failed check: no other request waits for a dead server. */
const passiveCheck = "observe layer4 error-limit 1 on-error mark-down";
interface RuleServers {
  readonly places: number;
  readonly choice: readonly string[];
  readonly lines: readonly string[];
}

function serversOf({ action }: ProgramRule, index: number, settings: SectionSettings): RuleServers[] {
  const found = settings.addressOf(index);
  if (action.type !== "forward" || found.kind !== "address") return [];
  const { scheme, host, port } = action.backend;
  const tls =
    `ssl verify required ca-file ${word(settings.authoritiesFile)}` +
    ` verifyhost ${word(host)} sni ${fetchOf("str", host)} alpn http/1.1`;
  const { addresses } = found;
  const check = addresses.length > 1 ? ` ${serverCheck} ${passiveCheck}` : "";
  const more = `${scheme === "https" ? ` ${tls}` : ""}${check}`;
  const names = addresses.map((_, place) => serverName(index, place));
  const isChosen = `if { var(txn.rule) -m int ${index} }`;
  return [
    {
      places: addresses.length,
      choice: [
        // Each with the same chance; a server that is down is passed over.
        ...names.slice(0, -1).map((name, place) => {
          return `use-server ${name} ${isChosen} { rand(${names.length - place}) -m int 0 }`;
        }),
        ...names.toReversed().map((name) => `use-server ${name} ${isChosen}`),
      ],
      lines: addresses.map(
        (address, place) => `server ${names[place]} ${serverAddress(address, port)}${more}`,
      ),
    },
  ];
}

function headerLines(
  what: "http-request" | "http-after-response",
  { set, add, remove }: HeaderChanges,
  chosen: string,
): string[] {
  return [
    ...set.map(({ name, value }) => `${what} set-header ${word(name)} ${format(value)} if ${chosen}`),
    ...add.map(({ name, value }) => `${what} add-header ${word(name)} ${format(value)} if ${chosen}`),
    ...remove.map((name) => `${what} del-header ${word(name)} if ${chosen}`),
  ];
}
