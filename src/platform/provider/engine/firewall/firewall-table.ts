import { createHash } from "node:crypto";
import { neverReachable } from "../../../../base/net/egress.ts";

/** A network of the provider. */
export interface FirewallNetwork {
  /** Name of its bridge on the machine. */
  readonly bridge: string;
  /** The machine's own addresses in it, one for each subnet. */
  readonly gateways: readonly string[];
}

/** A port of an instance that callers outside of its network may reach. */
export interface FirewallPort {
  /** Of the instance. */
  readonly address: string;
  readonly protocol: "tcp" | "udp" | "sctp";
  /** `80`, or `80-90`; those of an address do not overlap. */
  readonly port: string;
  /**
   * Callers, of either family, as ranges which do not overlap; also those of the instance's own network.
   * Absent: everybody.
   */
  readonly from?: readonly string[] | undefined;
  /** Of a rule for all ports: among them are those where the instance gets responses. */
  readonly isUnnamed?: boolean | undefined;
}

export interface FirewallRules {
  /** See {@link tableName}. */
  readonly table: string;
  readonly networks: readonly FirewallNetwork[];
  readonly ports: readonly FirewallPort[];
  readonly isPodman: boolean;
  /** Ranges that no instance reaches, beside those that none ever does. */
  readonly deny: readonly string[];
  /** Ranges that are not public and that instances reach nevertheless. */
  readonly allow: readonly string[];
}

/** Set on what the rules name and the table passes on: Docker's chains, which come later, need it. */
export const passedMark = "0x10000000";

/** What an instance reaches only if `allow` says so: everything that is not public. */
const notPublic = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"],
  // All but 2000::/3, and what is special in it (IANA IPv6 Special-Purpose Address Registry).
  ...["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48"],
  "3fff::/20",
];
/** From here on are the ports from which Linux calls others (`ip_local_port_range`). */
const firstOwnPort = 32_768;
const loopback = ["127.0.0.0/8", "::1/128", "::ffff:0:0/96"];

/** Name of a platform's table: several providers may share a machine. */
export function tableName(platform: string): string {
  return `telemetryd_${createHash("sha256").update(platform).digest("hex").slice(0, 12)}`;
}

/** Script that removes a table, whether or not it is there; needs the rights of {@link firewallTable}. */
export function withoutTable(table: string): string {
  return ["inet", "bridge"]
    .map((family) => `table ${family} ${table}\ndelete table ${family} ${table}\n`)
    .join("");
}

/**
 * Script for `nft -f` that replaces the whole table in one transaction.
 *
 * It only ever drops: what it accepts, other tables of the machine may still refuse (for Docker's, see
 * `createDockerChains`). It runs before them (filter - 10), after addresses were translated: published ports
 * are seen with the instance's own address. Each packet in the direction in which a connection was opened is
 * judged again: a rule that closes something also ends the connections that it was open for.
 *
 * Frames between instances of one network do not pass it, but a table of the family bridge. Not every kernel
 * tracks connections there: to a limited port, nothing passes that is not from its callers. Nor does every
 * kernel name the bridge there; the instances' addresses are those of the provider's networks.
 *
 * Where all ports of an instance are limited, its neighbours' responses have to pass: to a guarded port goes
 * all of TCP but the opening of a connection, and what may be a response over UDP or SCTP, by its port.
 */
export function firewallTable(rules: FirewallRules): string {
  const bridges = rules.networks.map(({ bridge }) => quoted(bridge));
  const within = bridges.map((bridge) => `${bridge} . ${bridge}`);
  const families = [
    { suffix: "4", type: "ipv4_addr", match: "ip", isOwn: (range: string) => !range.includes(":") },
    { suffix: "6", type: "ipv6_addr", match: "ip6", isOwn: (range: string) => range.includes(":") },
  ];
  const bridged: string[] = [];
  const sets = families.flatMap(({ suffix, type, isOwn }) => {
    const ranges = (name: string, all: readonly string[]) =>
      set(`${name}${suffix}`, type, all.filter(isOwn), "flags interval; auto-merge;");
    const gateways = rules.networks.flatMap(({ bridge, gateways }) =>
      gateways.filter(isOwn).map((gateway) => `${quoted(bridge)} . ${gateway}`),
    );
    const everybody = suffix === "4" ? "0.0.0.0/0" : "::/0";
    const own = rules.ports.filter(({ address }) => isOwn(address));
    const targetOf = ({ address, protocol, port }: FirewallPort) => `${address} . ${protocol} . ${port}`;
    const open = own.flatMap((each) =>
      (each.from ?? [everybody]).filter(isOwn).map((range) => `${range} . ${targetOf(each)}`),
    );
    const limited = own.filter(({ from }) => from !== undefined);
    const [guarded, others] = [true, false].map((isUnnamed) =>
      limited.filter((each) => (each.isUnnamed === true) === isUnnamed).map(targetOf),
    );
    const target = `${type} . inet_proto . inet_service`;
    const policies = [
      set(`limited${suffix}`, target, others ?? [], "flags interval;"),
      set(`guarded${suffix}`, target, guarded ?? [], "flags interval;"),
      set(`open${suffix}`, `${type} . ${type} . inet_proto . inet_service`, open, "flags interval;"),
    ];
    bridged.push(...policies);
    return [
      ranges("never", [...neverReachable, ...loopback, ...rules.deny]),
      ranges("allowed", rules.allow),
      ranges("not_public", notPublic),
      set(`gateways${suffix}`, `ifname . ${type}`, gateways),
      ...policies,
    ];
  });
  const refuse = "reject with icmpx type admin-prohibited";
  const replies = (verdict: string): string[] => [
    `ct direction reply ct state established ${verdict}`,
    `meta l4proto { icmp, ipv6-icmp } ct state related ${verdict}`,
  ];
  const openOnes = families.map(
    ({ suffix, match }) => `${match} saddr . ${match} daddr . meta l4proto . th dport @open${suffix} accept`,
  );
  const limitedOnes = ["limited", "guarded"].flatMap((name) =>
    families.map(
      ({ suffix, match }) => `${match} daddr . meta l4proto . th dport @${name}${suffix} goto to_${name}`,
    ),
  );
  const responses = [
    "tcp flags & (syn | ack) != syn accept",
    `meta l4proto { udp, sctp } th dport ${firstOwnPort}-65535 accept`,
  ];
  const toLimited = [
    chain("to_limited", [...openOnes, "drop"]),
    chain("to_guarded", [...openOnes, ...responses, "drop"]),
  ];
  const marked = rules.isPodman ? "" : `meta mark set meta mark | ${passedMark} `;
  const chains = [
    ...toLimited,
    chain("within_network", [...limitedOnes, "accept"]),
    chain("forward", [
      "type filter hook forward priority filter - 10; policy accept;",
      "iifname . oifname @within goto within_network",
      "iifname @bridges goto from_instance",
      `oifname @bridges ${marked}goto to_instance`,
    ]),
    chain("from_instance", [
      `oifname @bridges ${refuse}`,
      ...replies(`${marked}accept`),
      // A port of the machine that leads to something else, such as a container that is not the provider's.
      `ct status dnat ${refuse}`,
      ...families.flatMap(({ suffix, match }) => [
        `${match} daddr @never${suffix} ${refuse}`,
        `${match} daddr @allowed${suffix} ${marked}accept`,
        `${match} daddr @not_public${suffix} ${refuse}`,
      ]),
    ]),
    chain("to_instance", [...replies("accept"), ...openOnes, "drop"]),
    chain("input", [
      "type filter hook input priority filter - 10; policy accept;",
      "iifname @bridges goto to_machine",
    ]),
    chain("to_machine", [
      ...replies("accept"),
      "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept",
      // Docker resolves names in the container.
      ...(rules.isPodman
        ? families.map(
            ({ suffix, match }) =>
              `iifname . ${match} daddr @gateways${suffix} meta l4proto { tcp, udp } th dport 53 accept`,
          )
        : []),
      refuse,
    ]),
  ];
  const parts = [set("bridges", "ifname", bridges), set("within", "ifname . ifname", within), ...sets];
  const bridgeChains = [
    ...toLimited,
    chain("forward", ["type filter hook forward priority filter - 10; policy accept;", ...limitedOnes]),
  ];
  const tables = [
    `table inet ${rules.table} {\n${[...parts, ...chains].join("")}}\n`,
    `table bridge ${rules.table} {\n${[...bridged, ...bridgeChains].join("")}}\n`,
  ];
  return `${withoutTable(rules.table)}${tables.join("")}`;
}

function set(name: string, type: string, elements: readonly string[], flags = ""): string {
  const unique = [...new Set(elements)].sort();
  const listed = unique.length === 0 ? [] : [`elements = { ${unique.join(", ")} }`];
  return block(`set ${name}`, [`type ${type};`, ...(flags === "" ? [] : [flags]), ...listed]);
}

function chain(name: string, lines: readonly string[]): string {
  return block(`chain ${name}`, lines);
}

function block(head: string, lines: readonly string[]): string {
  return `  ${head} {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n`;
}

function quoted(bridge: string): string {
  return `"${bridge}"`;
}
