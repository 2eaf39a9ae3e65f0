import { expect, test } from "vitest";
import {
  type FirewallPort,
  type FirewallRules,
  firewallTable,
  passedMark,
  tableName,
} from "./firewall-table.ts";

const nothing: FirewallRules = {
  ...{ table: "telemetryd_x", networks: [], ports: [], isPodman: true, deny: [], allow: [] },
};
const of = (changes: Partial<FirewallRules>): string => firewallTable({ ...nothing, ...changes });

function elements(script: string, set: string): string[] {
  const [, body = ""] = new RegExp(`set ${set} \\{([^]*?)\\n {2}\\}`).exec(script) ?? [];
  return /elements = \{ (.*) \}/.exec(body)?.[1]?.split(", ") ?? [];
}

function chain(script: string, name: string): string[] {
  const [, body = ""] = new RegExp(`chain ${name} \\{\\n([^]*?)\\n {2}\\}`).exec(script) ?? [];
  return body.split("\n").map((line) => line.trim());
}

const refuse = "reject with icmpx type admin-prohibited";
const open = { address: "10.128.0.5", protocol: "tcp", port: "80" } as const;

test("replaces the table in one transaction", () => {
  const families = ["inet", "bridge"].map((family) => `${family} telemetryd_x`);
  const head = families.map((table) => `table ${table}\ndelete table ${table}\n`).join("");
  expect(of({}).startsWith(`${head}table inet telemetryd_x {\n`)).toBe(true);
  expect(tableName("a")).toMatch(/^telemetryd_[0-9a-f]{12}$/);
  expect(tableName("a")).not.toBe(tableName("b"));
});

test("networks: within each, and nothing from one to another, whatever else is allowed", () => {
  const networks = ["td1", "td2"].map((bridge) => ({ bridge, gateways: [] }));
  const script = of({ networks, allow: ["10.0.0.0/8"] });
  expect(elements(script, "bridges")).toEqual(['"td1"', '"td2"']);
  expect(elements(script, "within")).toEqual(['"td1" . "td1"', '"td2" . "td2"']);
  expect(chain(script, "forward")).toEqual([
    "type filter hook forward priority filter - 10; policy accept;",
    "iifname . oifname @within goto within_network",
    "iifname @bridges goto from_instance",
    "oifname @bridges goto to_instance",
  ]);
  expect(chain(script, "from_instance")[0]).toBe(`oifname @bridges ${refuse}`);
});

test("with Docker: what a rule names is marked, and nothing that is only not refused", () => {
  const networks = [{ bridge: "td1", gateways: [] }];
  const marks = (script: string) => script.split("\n").filter((line) => line.includes(passedMark));
  const script = of({ networks, isPodman: false });
  const mark = `meta mark set meta mark | ${passedMark}`;
  expect(chain(script, "forward").at(-1)).toBe(`oifname @bridges ${mark} goto to_instance`);
  expect(chain(script, "to_instance").at(-1)).toBe("drop");
  for (const line of [
    `ct direction reply ct state established ${mark} accept`,
    `meta l4proto { icmp, ipv6-icmp } ct state related ${mark} accept`,
    `ip daddr @allowed4 ${mark} accept`,
    `ip6 daddr @allowed6 ${mark} accept`,
  ]) {
    expect(chain(script, "from_instance")).toContain(line);
  }
  expect(marks(script)).toHaveLength(5);
  expect(marks(of({ networks }))).toEqual([]);
});

test("out: never, allowed, not public, in this order", () => {
  const script = of({ deny: ["192.0.2.7"], allow: ["10.20.0.0/16", "fd77::/16"] });
  const never = elements(script, "never4");
  for (const each of ["169.254.0.0/16", "127.0.0.0/8", "192.0.2.7"]) expect(never).toContain(each);
  for (const each of ["fe80::/10", "::1/128"]) expect(elements(script, "never6")).toContain(each);
  expect(elements(script, "allowed4")).toEqual(["10.20.0.0/16"]);
  expect(elements(script, "allowed6")).toEqual(["fd77::/16"]);
  for (const each of ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]) {
    expect(elements(script, "not_public4")).toContain(each);
  }
  for (const [match, family] of [
    ["ip", "4"],
    ["ip6", "6"],
  ]) {
    const rules = chain(script, "from_instance").filter((line) => line.startsWith(`${match} `));
    expect(rules).toEqual([
      `${match} daddr @never${family} ${refuse}`,
      `${match} daddr @allowed${family} accept`,
      `${match} daddr @not_public${family} ${refuse}`,
    ]);
  }
});

test("into the machine: names at the network's own gateway, where the engine serves them", () => {
  const networks = [{ bridge: "td1", gateways: ["10.128.0.1", "fd20::1"] }];
  const script = of({ networks });
  expect(elements(script, "gateways4")).toEqual(['"td1" . 10.128.0.1']);
  expect(elements(script, "gateways6")).toEqual(['"td1" . fd20::1']);
  expect(chain(script, "to_machine").filter((line) => /dport/.test(line))).toHaveLength(2);
  expect(chain(script, "to_machine").at(-1)).toBe(refuse);
  expect(of({ networks, isPodman: false })).not.toMatch(/dport 53/);
});

test.each([
  ["from everybody", [open], ["0.0.0.0/0 . 10.128.0.5 . tcp . 80"]],
  [
    "from ranges",
    [{ ...open, port: "80-90", from: ["192.0.2.0-192.0.2.9", "fd00::1-fd00::2"] }],
    ["192.0.2.0-192.0.2.9 . 10.128.0.5 . tcp . 80-90"],
    ["10.128.0.5 . tcp . 80-90"],
  ],
  ["from nobody", [{ ...open, from: [] }], [], ["10.128.0.5 . tcp . 80"]],
  [
    "all but one, for others than that one",
    [
      { ...open, from: ["192.0.2.0-192.0.2.9"] },
      { ...open, port: "81-65535", from: ["192.0.2.7-192.0.2.7"], isUnnamed: true },
    ],
    ["192.0.2.0-192.0.2.9 . 10.128.0.5 . tcp . 80", "192.0.2.7-192.0.2.7 . 10.128.0.5 . tcp . 81-65535"],
    ["10.128.0.5 . tcp . 80"],
    ["10.128.0.5 . tcp . 81-65535"],
  ],
] as [string, FirewallPort[], string[], string[]?, string[]?][])(
  "open ports: %s",
  (_, ports, expected, limited = [], guarded = []) => {
    const script = of({ ports });
    const tables = script.split(/^table /m).filter((table) => table.includes("{"));
    expect(tables.map((table) => table.split(" ")[0])).toEqual(["inet", "bridge"]);
    for (const table of tables) {
      expect(elements(table, "open4")).toEqual(expected);
      expect(elements(table, "limited4")).toEqual(limited);
      expect(elements(table, "guarded4")).toEqual(guarded);
      for (const set of ["open6", "limited6", "guarded6"]) expect(elements(table, set)).toEqual([]);
      for (const name of ["to_limited", "to_guarded"]) expect(chain(table, name).at(-1)).toBe("drop");
      expect(chain(table, "to_guarded").slice(-3, -1)).toEqual([
        "tcp flags & (syn | ack) != syn accept",
        "meta l4proto { udp, sctp } th dport 32768-65535 accept",
      ]);
    }
    expect(chain(script, "to_instance").at(-1)).toBe("drop");
  },
);
