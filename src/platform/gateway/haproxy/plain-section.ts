import {
  answer,
  noBackend,
  notFound,
  reply,
  requestLimit,
  sectionName,
  serverAddress,
  serverCheck,
  serverName,
  serverTimeoutMs,
  shareLines,
  standIn,
} from "./backend-section.ts";
import { word } from "./quote.ts";

/**
 * Plain programs are no text of the configuration: a host's entry in the map of hosts says all there is to
 * know of one, and names a slot. Slots are sections that have the same lines, and servers without an address
 * until they are given one.
 */
export interface Slot {
  /** Name of its section, which no slot of another load has: no command reaches a slot of the same place. */
  readonly name: string;
  /** How many servers it has. */
  readonly width: number;
}

/** How many servers slots have, ascending. */
export const slotWidths = [1, 4, 8] as const;

/** @param load names the load, in letters and digits */
export function slotName(load: string, width: number, index: number): string {
  return `plain-${load}-${width}-${index}`;
}

/** The load of which a section is a slot; undefined if it is none. */
export function loadOfSlot(section: string): string | undefined {
  return /^plain-([0-9a-z]+)-/.exec(section)?.[1];
}

export const slotDefaultsName = "plain";

/** The addresses that the servers of a slot have, and their port; the other servers are not used. */
export interface SlotServers {
  readonly addresses: readonly string[];
  readonly port: number;
}

export const unusedSlot: SlotServers = { addresses: [], port: 0 };

/** For documents (RFC 5737): an address has to be given, and none is connected to. */
const noAddress = serverAddress("192.0.2.1", 80);

/** The section of a slot, ending in a line break. It follows the defaults of all slots. */
export function slotSection(
  { name, width }: Slot,
  { addresses, port }: SlotServers,
  requestsPerProxy: number,
): string {
  const check = width > 1 ? ` ${serverCheck}` : "";
  const lines = [
    `backend ${name} from ${slotDefaultsName}`,
    ...(width > 1 ? standIn : []),
    requestLimit(requestsPerProxy),
    ...Array.from({ length: width }, (_, place) => {
      const address = addresses[place];
      const server = `server ${serverName(0, place)}`;
      return address === undefined
        ? `${server} ${noAddress}${check} disabled`
        : `${server} ${serverAddress(address, port)}${check}`;
    }),
  ];
  return `${lines.join("\n  ")}\n`;
}

/** Commands that give a slot's servers their addresses, for places where they are not so `before`. */
export function serverCommands(
  { name }: Slot,
  { addresses, port }: SlotServers,
  before: readonly string[] = [],
): string[] {
  return addresses.flatMap((address, place) => {
    const server = `${name}/${serverName(0, place)}`;
    if (address === before[place]) return [];
    const isNew = before[place] === undefined;
    return [
      `set server ${server} addr ${address} port ${port}`,
      ...(isNew ? [`set server ${server} state ready`] : []),
    ];
  });
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

/** Fields of a host's entry; each is a text of {@link isPlainText}. */
export interface PlainEntry {
  /** uid of the Gateway. */
  readonly gateway: string;
  readonly project: string;
  readonly organization: string;
  readonly listeners: "http" | "https" | "both" | "none";
  readonly action: PlainAction;
  /** Host that the backend gets; absent: the request's. */
  readonly hostname?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** What HAProxy is given of a plain program as data. */
export interface PlainRoute {
  readonly entry: PlainEntry;
  /** Without addresses: nothing is forwarded. */
  readonly servers: SlotServers;
}

/** Nothing of it means anything to a map's file, to a command, or to an entry. */
export function isPlainText(text: string): boolean {
  return /^[0-9A-Za-z.-]{1,253}$/.test(text);
}

const field = (place: number): string => `var(txn.entry),field(${place},|)`;

/**
 * The entry's text. The first field is the same as a section's name: that is what the access log has. Most
 * requests need but the first six: the last of these says whether the others are there.
 */
export function entryText(entry: PlainEntry, slot: Slot): string {
  const { gateway, project, organization, listeners, action, hostname, timeoutMs } = entry;
  const parts = [listeners, action, ...(hostname === undefined ? [] : ["host"])];
  if (timeoutMs !== undefined) parts.push("limit");
  const kind = `${parts.join(".")}.`;
  const limit = timeoutMs === undefined ? "" : serverTimeoutMs(timeoutMs);
  const own = `telemetryd-${gateway}`;
  return [sectionName(gateway), slot.name, project, organization, own, kind, hostname ?? "", limit].join("|");
}

/** Sets `txn.section`, and `txn.slot` if the host's program is plain. */
export const entryLines = [
  "http-request set-var(txn.section) var(txn.entry),field(1,|)",
  "http-request set-var(txn.slot) var(txn.entry),field(2,|)",
];

/** Lines that all slots share; requests come with the variables of {@link entryLines}. */
export function plainLines(connections: number): string[] {
  const has = (part: PlainAction | "host" | "limit"): string => `if { var(txn.kind) -m sub .${part}. }`;
  return [
    `http-request set-var(txn.kind) ${field(6)}`,
    answer(404, notFound, "if { var(txn.kind) -m beg https. none. } !{ ssl_fc }"),
    answer(404, notFound, "if { var(txn.kind) -m beg http. none. } { ssl_fc }"),
    ...shareLines(field(3), field(4), connections),
    reply("noRule", has("404")),
    // `<protocol> <pseudonym>` (RFC 9110, section 7.6.3), as in other sections; here it is a variable.
    `http-request set-var(txn.own) ${field(5)} if { req.hdr(via) -m found }`,
    reply(
      "loop",
      `if { req.hdr(via) -m found } { ${word('req.hdr(via),word(2," "),strcmp(txn.own)')} eq 0 }`,
    ),
    `http-request add-header Via "%[req.ver] %[${field(5)}]"`,
    noBackend(500, has("500")),
    noBackend(503, has("503")),
    reply("blocked", has("blocked")),
    reply("unresolved", has("unresolved")),
    `http-request set-header Host %[${field(7)}] ${has("host")}`,
    `http-request set-timeout server ${field(8)} ${has("limit")}`,
  ];
}
