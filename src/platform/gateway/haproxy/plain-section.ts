import {
  noBackend,
  notFound,
  reply,
  requestLimit,
  respondWith,
  sectionName,
  serverName,
  shareLines,
} from "./backend-section.ts";
import { word } from "./quote.ts";
import { serverAddress, serverCheck, serverTimeoutMs, standIn } from "./server-lines.ts";

/**
 * Plain programs are no text of the configuration: a host's entry in the map of hosts, and for a program with
 * several paths those of its path table, say all there is to know of one, and name a slot. Slots are sections
 * that have the same lines, and servers without an address until they are given one.
 */
export interface Slot {
  /** Name of its section, which no slot of another load has: no command reaches a slot of the same place. */
  readonly name: string;
  readonly shape: SlotShape;
}

export interface SlotShape {
  /** What the names of its slots have for it. */
  readonly name: string;
  /** How many servers they have. */
  readonly width: number;
  /** The servers may be of several backends: an entry names its own. Otherwise all stand in for each other. */
  readonly isMixed: boolean;
}

/** Of each kind, narrowest first. */
export const slotShapes: readonly SlotShape[] = [
  ...[1, 4, 8].map((width) => ({ name: `${width}`, width, isMixed: false })),
  ...[4, 16, 64].map((width) => ({ name: `mixed-${width}`, width, isMixed: true })),
];

/** Servers of one backend, at most. */
const maxServers = Math.max(...slotShapes.flatMap(({ isMixed, width }) => (isMixed ? [] : [width])));

/** @param load names the load, in letters and digits */
export function slotName(load: string, shape: SlotShape, index: number): string {
  return `plain-${load}-${shape.name}-${index}`;
}

/** The load of which a section is a slot; undefined if it is none. */
export function loadOfSlot(section: string): string | undefined {
  return /^plain-([0-9a-z]+)-/.exec(section)?.[1];
}

export const slotDefaultsName = "plain";

/** One backend of a program, with at least one address. */
export interface PlainBackend {
  /** The same in all versions of the program. */
  readonly key: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A backend in a slot. */
export interface PlacedBackend extends PlainBackend {
  /** The server that has its first address; the next ones have the others. */
  readonly first: number;
}

/** What the servers of a slot have been given. */
export interface SlotServers {
  /** Those of the version that is served come first; a key may be there again, for earlier ones. */
  readonly backends: readonly PlacedBackend[];
  /** Servers that have had a backend, from the first on; each has but one in its life. */
  readonly used: number;
}

export const unusedSlot: SlotServers = { backends: [], used: 0 };

/** For documents (RFC 5737): an address has to be given, and none is connected to. */
const noAddress = serverAddress("192.0.2.1", 80);

function slotServerName({ isMixed }: SlotShape, place: number): string {
  return isMixed ? `backend-${place}` : serverName(0, place);
}

/** The section of a slot, ending in a line break. It follows the defaults of all slots. */
export function slotSection({ name }: Slot, lines: string): string {
  return `backend ${name} from ${slotDefaultsName}\n${lines}`;
}

/** What a slot's section has besides its name. */
export function slotLines(shape: SlotShape, { backends }: SlotServers, requestsPerProxy: number): string {
  const { width, isMixed } = shape;
  const free = ` ${noAddress}${width > 1 ? ` ${serverCheck}` : ""} disabled`;
  const servers = Array.from({ length: width }, () => free);
  for (const { addresses, port, first } of backends) {
    // In a section, a backend's only server is not checked either.
    const check = addresses.length > 1 ? ` ${serverCheck}` : "";
    for (const [index, address] of addresses.entries())
      servers[first + index] = ` ${serverAddress(address, port)}${check}`;
  }
  const lines = [
    ...(isMixed ? useServerLines(width) : width > 1 ? standIn : []),
    requestLimit(requestsPerProxy),
    // Those without weight get only what names them.
    ...servers.map(
      (text, place) => `server ${slotServerName(shape, place)}${text}${isMixed ? " weight 0" : ""}`,
    ),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

/** Place of an entry's first server in its fields. */
const firstServerField = 10;

/** Of the servers that an entry names, the first that is up. */
function useServerLines(width: number): string[] {
  return Array.from(
    // There is another backend at least.
    { length: Math.min(maxServers, width - 1) },
    (_, index) => `use-server %[${field(firstServerField + index)}] if TRUE`,
  );
}

/** Commands that give a slot's servers their addresses, for those that are not so `before`. */
export function serverCommands(
  { name, shape }: Slot,
  { backends }: SlotServers,
  before: SlotServers = unusedSlot,
): string[] {
  const earlier = new Map(
    before.backends.flatMap(({ addresses, first }) =>
      addresses.map((address, index) => [first + index, address] as const),
    ),
  );
  return backends.flatMap(({ addresses, port, first }) =>
    addresses.flatMap((address, index) => {
      const server = `${name}/${slotServerName(shape, first + index)}`;
      const isNew = !earlier.has(first + index);
      if (address === earlier.get(first + index)) return [];
      return [
        ...(isNew && shape.isMixed && addresses.length === 1 ? [`disable health ${server}`] : []),
        `set server ${server} addr ${address} port ${port}`,
        ...(isNew ? [`set server ${server} state ready`] : []),
      ];
    }),
  );
}

/** What happens to the requests of a plain program, besides what holds for all of them. */
export type PlainAction =
  | "forward"
  /** Connections to the backend are not allowed. */
  | "blocked"
  /** The backend's name has no address, or none yet. */
  | "unresolved"
  /** There is no backend: a status. */
  | "500"
  | "503"
  /** There is no rule. */
  | "404";

/** Fields of an entry, of a host or of a path; each is a text of {@link isPlainText}. */
export interface PlainEntry {
  /** uid of the Gateway. */
  readonly gateway: string;
  readonly project: string;
  readonly organization: string;
  readonly listeners: "http" | "https" | "both" | "none";
  readonly action: PlainAction;
  /** Key of the backend that requests are forwarded to. */
  readonly backend?: string | undefined;
  /** Host that the backend gets; absent: the request's. */
  readonly hostname?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** What HAProxy is given of a plain program as data. */
export interface PlainRoute {
  /** Of all requests; with `paths`, of those that none of them has. */
  readonly entry: PlainEntry;
  readonly paths: readonly { readonly key: string; readonly entry: PlainEntry }[];
  /** Those that requests are forwarded to now. */
  readonly backends: readonly PlainBackend[];
  /** Whether the program has several backends. */
  readonly isMixed: boolean;
}

/** Nothing of it means anything to a map's file, to a command, or to an entry. */
export function isPlainText(text: string): boolean {
  return /^[0-9A-Za-z.-]{1,253}$/.test(text);
}

/**
 * What a path table has for a path: an exact one ends with a character that no request's path has, a prefix
 * with the slash that ends its last element.
 *
 * @param path as the gateway forwards paths
 */
export function pathKey(type: "Exact" | "PathPrefix", path: string): string {
  if (type === "Exact") return `=${path}#`;
  return path === "/" ? path : `${path}/`;
}

/** Whether the requests that have path `b` of a table all have path `a`. */
export function coversPath(a: string, b: string): boolean {
  if (a.startsWith("=")) return a === b;
  return (b.startsWith("=") ? `${b.slice(1, -1)}/` : b).startsWith(a);
}

/** Nothing of it means anything to a map's file or to a command, and no request has a `#` in its path. */
export function isPlainPath(path: string): boolean {
  return /^\/[0-9A-Za-z/._~%!$&()*+,:=@-]{0,1023}$/.test(path);
}

function field(place: number): string {
  return `var(txn.entry),field(${place},|)`;
}

/**
 * The entry's text. The first field is the same as a section's name: that is what the access log has. Most
 * requests need but the first seven: the last of these says whether the next two are there.
 *
 * @param table of a host whose paths have entries of their own: what the keys of these begin with
 */
export function entryText(entry: PlainEntry, slot: Slot, servers: SlotServers, table = ""): string {
  const { gateway, project, organization, listeners, action, hostname, timeoutMs } = entry;
  const parts = [listeners, action, ...(hostname === undefined ? [] : ["host"])];
  if (timeoutMs !== undefined) parts.push("limit");
  const kind = `${parts.join(".")}.`;
  const limit = timeoutMs === undefined ? "" : serverTimeoutMs(timeoutMs);
  const own = `telemetryd-${gateway}`;
  const placed = slot.shape.isMixed ? servers.backends.find(({ key }) => key === entry.backend) : undefined;
  const names = placed?.addresses.map((_, index) => slotServerName(slot.shape, placed.first + index)) ?? [];
  return [
    ...[sectionName(gateway), slot.name, table, project, organization, own, kind, hostname ?? "", limit],
    ...names,
  ].join("|");
}

/**
 * Sets `txn.section`, and `txn.slot` if the host's program is plain. One with a path table then has the entry
 * of the exact path or, failing that, of the longest prefix.
 *
 * @param paths file of the map of paths
 */
export function entryLines(paths: string): string[] {
  const lookUp = (start: string, end: string, condition: string): string => {
    const found = word(`var(txn.table),concat(${start},txn.path,${end}),map_beg(${paths})`);
    return `http-request set-var(txn.chosen) ${found} if { var(txn.path) -m found }${condition}`;
  };
  return [
    "http-request set-var(txn.section) var(txn.entry),field(1,|)",
    "http-request set-var(txn.slot) var(txn.entry),field(2,|)",
    "http-request set-var(txn.table) var(txn.entry),field(3,|)",
    "http-request set-var(txn.path) path if { var(txn.table) -m len gt 0 }",
    lookUp("=", "#", ""),
    lookUp("", "/", " !{ var(txn.chosen) -m found }"),
    "http-request set-var(txn.entry) var(txn.chosen) if { var(txn.chosen) -m found }",
  ];
}

/** Lines that all slots share; requests come with the variables of {@link entryLines}. */
export function plainLines(connections: number): string[] {
  const has = (part: PlainAction | "host" | "limit"): string => `if { var(txn.kind) -m sub .${part}. }`;
  return [
    `http-request set-var(txn.kind) ${field(7)}`,
    respondWith(404, notFound, "if { var(txn.kind) -m beg https. none. } !{ ssl_fc }"),
    respondWith(404, notFound, "if { var(txn.kind) -m beg http. none. } { ssl_fc }"),
    ...shareLines(field(4), field(5), connections),
    reply("noRule", has("404")),
    // `<protocol> <pseudonym>` (RFC 9110, section 7.6.3), as in other sections; here it is a variable.
    `http-request set-var(txn.own) ${field(6)} if { req.hdr(via) -m found }`,
    reply(
      "loop",
      `if { req.hdr(via) -m found } { ${word('req.hdr(via),word(2," "),strcmp(txn.own)')} eq 0 }`,
    ),
    `http-request add-header Via "%[req.ver] %[${field(6)}]"`,
    noBackend(500, has("500")),
    noBackend(503, has("503")),
    reply("blocked", has("blocked")),
    reply("unresolved", has("unresolved")),
    `http-request set-header Host %[${field(8)}] ${has("host")}`,
    `http-request set-timeout server ${field(9)} ${has("limit")}`,
  ];
}
