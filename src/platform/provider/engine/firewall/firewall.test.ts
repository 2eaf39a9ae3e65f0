import { expect, test } from "vitest";
import { systemClock } from "../../../../base/core/clock.ts";
import { silentLogger } from "../../../../base/log/log.ts";
import { RuntimeError } from "../../runtime/runtime.ts";
import type { DockerChains } from "./docker-chains.ts";
import { Firewall, type FirewallContent } from "./firewall.ts";
import { passedMark, tableName } from "./firewall-table.ts";
import type { Nft } from "./nft.ts";

const never = new AbortController().signal;
const table = tableName("p");
const network = { bridge: "td1", gateways: ["10.128.0.1"] };
const port = { address: "10.128.0.5", protocol: "tcp", port: "80" } as const;

/** A machine with one table and one rule in Docker's chains, and a firewall that keeps it. */
function makeFirewall(found: () => Partial<FirewallContent> = () => ({})) {
  const absent = undefined as string | undefined;
  const machine = { table: absent, rule: absent, broken: false, writes: 0 };
  const check = (): void => {
    if (machine.broken) throw new Error("nft: Operation not permitted");
  };
  const nft: Nft = {
    async run(script) {
      check();
      if (script.includes(`${table}_test`)) return;
      machine.writes += 1;
      machine.table = script.includes("chain") ? script : undefined;
    },
    async list() {
      check();
      return machine.table;
    },
  };
  const dockerChains: DockerChains = {
    async add(name) {
      check();
      machine.rule = name;
    },
    async remove() {
      check();
      machine.rule = undefined;
    },
  };
  let changes = 0;
  const firewall = new Firewall({
    ...{ nft, dockerChains, platform: "p", clock: systemClock, log: silentLogger, deny: [], allow: [] },
    content: async () => ({ isPodman: true, networks: new Map(), ports: new Map(), ...found() }),
    onChange: () => {
      changes += 1;
    },
  });
  return { firewall, machine, changes: () => changes };
}

test("is written before a network is made, when it changes, and goes with the last network", async () => {
  const { firewall, machine } = makeFirewall();
  await firewall.addNetwork("n", network, never);
  expect(machine.table).toContain('"td1"');
  await firewall.setInstance("i", [port], never);
  await firewall.setInstance("i", [port], never);
  expect(machine.table).toContain("10.128.0.5 . tcp . 80");
  expect(machine.writes).toBe(2);
  await firewall.removeInstance("i", never);
  expect(machine.table).not.toContain("10.128.0.5");
  await firewall.removeNetwork("n", never);
  expect(machine.table).toBeUndefined();
});

test.each([undefined, "something else"])("is put back when it is %s", async (changed) => {
  const { firewall, machine } = makeFirewall();
  await firewall.addNetwork("n", network, never);
  const before = machine.table;
  await firewall.check(never);
  expect(machine.writes).toBe(1);
  machine.table = changed;
  await firewall.check(never);
  expect(machine.table).toBe(before);
});

test.each([
  [true, undefined],
  [false, table],
])(
  "what it passes, with Podman %s: Docker's chains accept it while there are networks",
  async (isPodman, rule) => {
    const { firewall, machine } = makeFirewall(() => ({ isPodman }));
    await firewall.addNetwork("n", network, never);
    expect([machine.rule, machine.table?.includes(`meta mark set meta mark | ${passedMark} goto`)]).toEqual([
      rule,
      !isPodman,
    ]);
    machine.rule = undefined;
    await firewall.check(never);
    expect(machine.rule).toBe(rule);
    await firewall.removeNetwork("n", never);
    expect(machine.rule).toBeUndefined();
  },
);

test("rules of what runs already are there with the first write of a new process", async () => {
  const { firewall, machine } = makeFirewall(() => ({
    networks: new Map([["n", network]]),
    ports: new Map([["i", [port]]]),
  }));
  await firewall.addNetwork("other", { bridge: "td2", gateways: [] }, never);
  for (const each of ['"td1"', '"td2"', "10.128.0.5 . tcp . 80"]) expect(machine.table).toContain(each);
});

test("what cannot be written is refused and reported, until it can", async () => {
  const { firewall, machine, changes } = makeFirewall();
  await firewall.addNetwork("n", network, never);
  machine.broken = true;
  const refused = { outcome: "refused", reason: "FirewallUnavailable" };
  await expect(firewall.check(never)).rejects.toMatchObject(refused);
  await expect(firewall.setInstance("i", [port], never)).rejects.toMatchObject(refused);
  expect([firewall.problem, changes()]).toEqual(["nft: Operation not permitted", 1]);
  machine.broken = false;
  await firewall.check(never);
  expect([firewall.problem, changes()]).toEqual([undefined, 2]);
  expect(machine.table).toContain("10.128.0.5");
});

test("an engine that does not respond: no fault of the firewall, and nothing is written", async () => {
  const { firewall, machine } = makeFirewall(() => {
    throw new RuntimeError("unavailable", "EngineUnavailable", "no answer");
  });
  await expect(firewall.check(never)).rejects.toMatchObject({ reason: "EngineUnavailable" });
  expect([firewall.problem, machine.writes]).toEqual([undefined, 0]);
});
