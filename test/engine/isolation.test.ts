import { execFile as execFileWith } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChild } from "../../scripts/servers/child.ts";
import { findServers } from "../../scripts/servers/find.ts";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createEngineClient } from "../../src/platform/provider/engine/engine-client.ts";
import {
  EngineRuntime,
  type EngineRuntimeOptions,
} from "../../src/platform/provider/engine/engine-runtime.ts";
import { tableName } from "../../src/platform/provider/engine/firewall/firewall-table.ts";
import { openPorts } from "../../src/platform/provider/instance/open-ports.ts";
import type { RuntimeInstance, RuntimeNetwork } from "../../src/platform/provider/runtime/runtime.ts";
import { makeInstance, makeNetwork, reach, removeWhole } from "../support/contracts/runtime.ts";
import { isDocker, type RunningEngine, requireEngine, startEngine } from "../support/provider/engine.ts";
import { type NetworkNamespace, startNetworkNamespace } from "../support/provider/network-namespace.ts";
import {
  connectUplink,
  externalAddress,
  metadata,
  outside,
  serveFiles,
  uplink,
} from "../support/provider/uplink.ts";
import { until } from "../support/until.ts";

/**
 * Who reaches what, on a machine of its own (a network namespace) with an uplink: instances of two projects, the
 * machine, a metadata service, private and public servers. Every cell is asserted in both families.
 */

const execFile = promisify(execFileWith);
const never = new AbortController().signal;
const image = "registry.example/web:1";
/** Debian's Podman lost the engine's own rules in the first of these. */
const churnRounds = isDocker ? 3 : 25;

const releasers = new Releasers();
let machine: NetworkNamespace;
let beyond: NetworkNamespace;
let engine: RunningEngine;
let folder: string;
let runtime: EngineRuntime;
let nft: string;
let busybox: string;
const platform = randomUUID();
const pass = (): Promise<void> => sleep(20, never);

const bank = { ...makeNetwork("10.128.0.0/24"), subnets: ["10.128.0.0/24", "fd20:0:0:1::/64"] };
const shop = { ...makeNetwork("10.128.1.0/24"), subnets: ["10.128.1.0/24", "fd20:0:0:2::/64"] };
const withPort = (instance: RuntimeInstance): RuntimeInstance => ({
  ...instance,
  networks: instance.networks.map((network) => ({
    ...network,
    openPorts: [{ protocol: "TCP", port: 8080 }],
  })),
});
const caller = makeInstance(image, bank, {}, 10);
const neighbour = makeInstance(image, bank, {}, 11);
const foreign = makeInstance(image, shop, {}, 10);
const published = withPort(makeInstance(image, shop, {}, 11));

function openRuntime(changes: Partial<EngineRuntimeOptions> = {}): EngineRuntime {
  return new EngineRuntime({
    ...{ client: createEngineClient(engine.socket), clock: systemClock, log: silentLogger, platform },
    ...{ directory: join(folder, "files"), pull: "missing", registries: [], graceMs: 0, minReadyMs: 0 },
    externalAddresses: [externalAddress],
    firewall: {
      deny: ["198.20.0.2/32", "2600::2/128"],
      allow: ["10.30.0.0/16", "fd78::/16"],
      prefix: machine.prefix,
      // The test is in the machine's place, not in its namespace.
      hasInterface: () => true,
    },
    ...changes,
  });
}

async function startMachine(): Promise<void> {
  machine = await startNetworkNamespace();
  releasers.push(() => machine[Symbol.asyncDispose]());
  beyond = await startNetworkNamespace();
  releasers.push(() => beyond[Symbol.asyncDispose]());
  await connectUplink(machine, beyond);
}

beforeAll(async () => {
  await requireEngine();
  const programs = await findServers(["nft", "busybox"], { install: false });
  busybox = programs.busybox.path;
  folder = await mkdtemp(join(tmpdir(), "telemetryd-isolation-"));
  releasers.push(() => rm(folder, { recursive: true, force: true }));
  await startMachine();
  nft = programs.nft.path;
  engine = await startEngine({ prefix: machine.prefix });
  releasers.push(() => engine[Symbol.asyncDispose]());
  await engine.image(image);
  for (const place of [machine, beyond]) {
    const server = await serveFiles(place, busybox, folder);
    releasers.push(() => server.kill());
  }
  runtime = openRuntime();
  const stop = new AbortController();
  const watching = runtime.watch(() => undefined, stop.signal);
  releasers.push(async () => {
    stop.abort();
    await watching;
    await runtime.close();
  });
  for (const network of [bank, shop]) await runtime.ensureNetwork(network, never);
  for (const instance of [caller, neighbour, foreign, published]) await reach({ runtime, pass }, instance);
}, 120_000);
afterAll(() => releasers.releaseAll(), 120_000);

const nameOf = ({ uid }: RuntimeInstance): string => `telemetryd-${uid}-main`;

/** Both addresses of an instance. */
async function addressesOf(instance: RuntimeInstance): Promise<string[]> {
  const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.GlobalIPv6Address}}{{end}}";
  return (await engine.cli("inspect", "--format", format, nameOf(instance))).trim().split(" ");
}

const ask = (address: string, port: number): string[] => [
  ...["sh", "-c", `echo "GET / HTTP/1.0" | nc -w 2 ${address} ${port} | grep -c ^HTTP || true`],
];
const isYes = (text: string): boolean => Number(text) > 0;

type From = "instance" | "machine" | "outside";

async function reaches(from: From, address: string, port: number): Promise<boolean> {
  const command = ask(address, port);
  if (from === "instance") return isYes(await engine.cli("exec", nameOf(caller), ...command));
  const [shell, option, script = ""] = command;
  const own = script.replace("nc ", `${busybox} nc `);
  return isYes(await (from === "machine" ? machine : beyond).run(shell!, option!, own));
}

/** Every cell, or every one that has to be closed, that is not as it should be. */
async function wrongCells(which: "all" | "closed" = "all"): Promise<string[]> {
  const [own, other, open] = await Promise.all([neighbour, foreign, published].map(addressesOf));
  const gateways = (network: number) => [`10.128.${network}.1`, `fd20:0:0:${network + 1}::1`];
  const cells: [From, string, readonly string[], number, boolean][] = [
    ["instance", "its own network", own!, 8080, true],
    ["instance", "another project's instance", other!, 8080, false],
    ["instance", "another project's open port", open!, 8080, false],
    ["instance", "an open port of another project, outside", [externalAddress], 8080, false],
    ["instance", "the machine, as its gateway", gateways(0), 80, false],
    ["instance", "the machine, as another project's gateway", gateways(1), 80, false],
    ["instance", "the machine, as others know it", uplink, 80, false],
    ["instance", "the metadata service", metadata, 80, false],
    ["instance", "a public server", outside.public, 80, true],
    ["instance", "a public server that egress.deny names", outside.denied, 80, false],
    ["instance", "a private server", outside.private, 80, false],
    ["instance", "a private server that is allowed", outside.allowed, 80, true],
    ["machine", "an instance", own!, 8080, true],
    ["outside", "an instance", other!, 8080, false],
    ["outside", "an open port", [open![0]!], 8080, true],
    ["outside", "an open port, published", [externalAddress], 8080, true],
    ["outside", "another port of the same instance", [open![0]!], 8081, false],
  ];
  const wrong = await Promise.all(
    cells
      .filter(([, , , , expected]) => which === "all" || !expected)
      .flatMap(([from, what, addresses, port, expected]) =>
        addresses.map(async (address) => {
          if (address !== "" && (await reaches(from, address, port)) === expected) return [];
          return [
            `${from} -> ${what} (${address}:${port}): ${expected ? "does not reach it" : "reaches it"}`,
          ];
        }),
      ),
  );
  return wrong.flat();
}

/** Nothing may be wrong; a server or a route may be late. */
async function expectIsolation(): Promise<void> {
  let wrong: string[] = [];
  await until("all cells are right", async () => {
    wrong = await wrongCells();
    return wrong.length === 0 || wrong.some((cell) => cell.endsWith(": reaches it"));
  }).catch(() => undefined);
  expect(wrong).toEqual([]);
}

test("who reaches what", async () => {
  await expectIsolation();
  const asked = ["/bin/busybox", "nslookup", nameOf(neighbour), isDocker ? "127.0.0.11" : "10.128.0.1"];
  expect(await engine.cli("exec", nameOf(caller), ...asked)).toContain(neighbour.networks[0]!.address);
}, 60_000);

const bothServers = `
import socket
streams = socket.create_server(("::", 8090), family=socket.AF_INET6, dualstack_ipv6=True)
server = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
server.bind(("::", 8091))
while True:
    data, peer = server.recvfrom(10)
    server.sendto(data, peer)`;
const datagramClient = (address: string): string => `
import socket
client = socket.socket(socket.${address.includes(":") ? "AF_INET6" : "AF_INET"}, socket.SOCK_DGRAM)
client.settimeout(1)
client.connect(("${address}", 8091))
client.send(b"x")
client.recv(10)`;
const streamClient = (address: string): string => `
import socket
socket.create_connection(("${address}", 8090), timeout=1)`;

test("source ranges and rules for all ports: within the network and outside, edited while it runs", async () => {
  const [address, other] = [foreign.networks[0]!.address, "fd20:0:0:2::a"] as const;
  const limited = makeInstance(image, shop, {}, 12);
  const addresses = ["10.128.1.12", "fd20:0:0:2::c"];
  const at = (opened: RuntimeInstance["networks"][number]["openPorts"]): RuntimeInstance => ({
    ...limited,
    networks: limited.networks.map((network) => ({ ...network, openPorts: opened })),
  });
  const ports = (...from: string[]) =>
    (["TCP", "UDP"] as const).map((protocol) => ({ protocol, port: 8090, endPort: 8092, from }));
  const [neighbours, clients] = [
    [`${address}-${address}`, `${other}-${other}`],
    ["198.20.0.1-198.20.0.1", "fd77::1-fd78::1"],
  ];
  await reach({ runtime, pass }, at(ports()));
  expect(await addressesOf(limited)).toEqual(addresses);
  const started = async () =>
    await engine.cli("inspect", "--format", "{{.Id}} {{.State.StartedAt}}", nameOf(limited));
  const before = await started();
  const pidOf = async (instance: RuntimeInstance) =>
    await engine.cli("inspect", "--format", "{{.State.Pid}}", nameOf(instance));
  const inNetworkOf = (pid: string | number, script: string) =>
    [`--net=/proc/${String(pid).trim()}/ns/net`, "python3", "-c", script] as const;
  const server = await startChild({
    name: "streams and datagrams",
    program: "nsenter",
    args: inNetworkOf(await pidOf(limited), bothServers),
  });
  releasers.push(() => server.kill());
  const neighbour = await pidOf(foreign);
  /** Who reaches it, by every address, and one that a rule does not name. */
  const who = async (): Promise<string[]> => {
    const found = [beyond.pid, neighbour].flatMap((pid) =>
      (pid === neighbour ? addresses : [...addresses, externalAddress]).map(async (each) => {
        const [tcp, udp] = await Promise.all(
          [streamClient, datagramClient].map((client) =>
            execFile("nsenter", inNetworkOf(pid, client(each))).then(
              () => true,
              () => false,
            ),
          ),
        );
        const name = pid === neighbour ? "neighbour" : "client";
        const way = each === externalAddress ? "published" : each.includes(":") ? "6" : "4";
        return `${name} ${way} ${tcp ? "tcp" : ""}${udp ? "udp" : ""}`;
      }),
    );
    return await Promise.all(found);
  };
  const all = (name: string, reached: string) =>
    (name === "client" ? ["4", "6", "published"] : ["4", "6"]).map((way) => `${name} ${way} ${reached}`);
  const expectWho = async (expected: string[]): Promise<void> => {
    // A server may be late.
    let seen: string[] = [];
    for (let look = 0; look < 3 && seen.join() !== expected.join(); look++) seen = await who();
    expect(seen).toEqual(expected);
  };
  await expectWho([...all("client", ""), ...all("neighbour", "")]);
  await runtime.ensureInstance(at(ports(...clients)), never);
  await expectWho([...all("client", "tcpudp"), ...all("neighbour", "")]);
  await runtime.ensureInstance(at(ports(...neighbours, "10.0.0.0-10.0.0.255")), never);
  await expectWho([...all("client", ""), ...all("neighbour", "tcpudp")]);
  // A provider that starts knows them before it has seen the instance.
  const next = openRuntime();
  await next.ensureNetwork(bank, never);
  await expectWho([...all("client", ""), ...all("neighbour", "tcpudp")]);
  await next.close();
  await runtime.openPorts(limited.uid, at(ports(...clients)).networks, never);
  await expectWho([...all("client", "tcpudp"), ...all("neighbour", "")]);
  const block = (cidr: string) => ({ ipBlock: { cidr } });
  const rules = [
    { from: ["198.20.0.1/32", "fd77::/16", "fd78::/16"].map(block) },
    {
      ports: ports().map(({ from: _, ...port }) => port),
      from: [`${address}/32`, `${other}/128`].map(block),
    },
  ];
  const unnamed = async (): Promise<boolean[]> => {
    const asked = addresses.map((each) => reaches("outside", each, 8080));
    const inside = engine.cli("exec", nameOf(foreign), ...ask(addresses[0]!, 8080)).then(isYes);
    return await Promise.all([...asked, inside]);
  };
  expect(await unnamed()).toEqual([false, false, true]);
  const everyPort = at(openPorts({ networkPolicy: { ingress: rules } }, []));
  await runtime.ensureInstance(everyPort, never);
  await expectWho([...all("client", "tcpudp"), ...all("neighbour", "tcpudp")]);
  expect(await unnamed()).toEqual([true, true, false]);
  // The neighbour's responses pass, although it may not call.
  expect(isYes(await engine.cli("exec", nameOf(limited), ...ask(address, 8080)))).toBe(true);
  expect(await started()).toBe(before);
  await removeWhole({ runtime, pass }, limited.uid);
}, 120_000);

test("networks that come and go together change nothing, and are apart from their first moment", async () => {
  await expectIsolation();
  for (let round = 0; round < churnRounds; round++) {
    const made: [RuntimeNetwork, RuntimeInstance][] = Array.from({ length: 4 }, (_, index) => {
      const network = makeNetwork(`10.128.${10 + 4 * round + index}.0/24`);
      return [network, makeInstance(image, network)];
    });
    await Promise.all(
      made.map(async ([network, instance]) => {
        await runtime.ensureNetwork(network, never);
        await reach({ runtime, pass }, instance);
        const reached = await engine.cli(
          "exec",
          nameOf(instance),
          ...ask(foreign.networks[0]!.address, 8080),
        );
        expect(isYes(reached)).toBe(false);
        await removeWhole({ runtime, pass }, instance.uid);
        await runtime.removeNetwork(network.uid, never);
      }),
    );
  }
  await expectIsolation();
}, 600_000);

/** Docker's chains, as "Packet filtering and firewalls" in its documents has them, for some bridges. */
function dockerChains(bridges: readonly string[]): string {
  const each = (rule: (bridge: string) => string): string[] => bridges.map(rule);
  const chains = ["DOCKER", "DOCKER-USER", "DOCKER-ISOLATION-STAGE-1", "DOCKER-ISOLATION-STAGE-2"];
  const rules = [
    "FORWARD -j DOCKER-USER",
    "FORWARD -j DOCKER-ISOLATION-STAGE-1",
    ...each((bridge) => `FORWARD -o ${bridge} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`),
    ...each((bridge) => `FORWARD -o ${bridge} -j DOCKER`),
    ...each((bridge) => `FORWARD -i ${bridge} ! -o ${bridge} -j ACCEPT`),
    ...each((bridge) => `FORWARD -i ${bridge} -o ${bridge} -j ACCEPT`),
    ...each((bridge) => `DOCKER-ISOLATION-STAGE-1 -i ${bridge} ! -o ${bridge} -j DOCKER-ISOLATION-STAGE-2`),
    // Its stage 2 would drop what goes from one of its bridges to another: here that is ours alone to refuse.
    "DOCKER-ISOLATION-STAGE-2 -j RETURN",
    "DOCKER-USER -j RETURN",
    ...each((bridge) => `DOCKER ! -i ${bridge} -o ${bridge} -j ACCEPT`),
  ];
  const heads = [":FORWARD DROP [0:0]", ...chains.map((chain) => `:${chain} - [0:0]`)];
  return ["*filter", ...heads, ...rules.map((rule) => `-A ${rule}`), "COMMIT", ""].join("\n");
}

/** Podman, on a machine that also has Docker. */
async function expectBesideDocker(): Promise<void> {
  const links = await machine.run("ip", "-oneline", "link", "show", "type", "bridge");
  const bridges = [...links.matchAll(/^\d+: ([^:@]+)/gm)].map(([, name = ""]) => name);
  expect(bridges.length).toBeGreaterThanOrEqual(2);
  const file = join(folder, "docker.rules");
  await writeFile(file, dockerChains(bridges));
  const before = new Map<string, string>();
  for (const version of ["", "6"]) {
    before.set(version, await machine.run(`ip${version}tables-save`, "-t", "filter"));
    await machine.run(`ip${version}tables-restore`, "--noflush", file);
  }
  expect(await wrongCells("closed")).toEqual([]);
  await expectIsolation();
  for (const [version, rules] of before) {
    await writeFile(file, rules);
    await machine.run(`ip${version}tables-restore`, file);
  }
  await expectIsolation();
}

const dockerUser = async (): Promise<string[]> =>
  (await machine.run("iptables", "-S", "DOCKER-USER")).trim().split("\n").slice(1);

/** Docker, whose chains are real. */
async function expectInDocker(): Promise<void> {
  const forward = await machine.run("iptables", "-S", "FORWARD");
  expect(forward).toMatch(/^-P FORWARD DROP$/m);
  expect(forward).toMatch(/-j DOCKER-ISOLATION-STAGE-1$/m);
  const own = (await dockerUser()).find((rule) => rule.includes(tableName(platform)));
  expect(own).toMatch(/ -m mark --mark 0x10000000\/0x10000000 .* -j ACCEPT$/);
  await expectIsolation();
  // Put back, after what the operator refuses.
  const refused = "-A DOCKER-USER -s 192.0.2.0/24 -j DROP";
  const last = "-A DOCKER-USER -j RETURN";
  const file = join(folder, "user.rules");
  await writeFile(file, ["*filter", "-F DOCKER-USER", refused, last, "COMMIT", ""].join("\n"));
  await machine.run("iptables-restore", "--noflush", file);
  await until("the rule is back", async () => (await dockerUser()).length > 2);
  expect(await dockerUser()).toEqual([refused, own, last]);
  await expectIsolation();
  // Each provider has its own, while it has networks.
  const other = openRuntime({ platform: randomUUID(), directory: join(folder, "other") });
  const network = makeNetwork("10.128.102.0/24");
  await other.ensureNetwork(network, never);
  expect(await dockerUser()).toHaveLength(4);
  await other.removeNetwork(network.uid, never);
  expect(await dockerUser()).toEqual([refused, own, last]);
  await other.close();
}

test("beside Docker's chains, before and after its own: the same", async () => {
  await (isDocker ? expectInDocker : expectBesideDocker)();
}, 60_000);

test("a third party that flushes everything: the table is put back", async () => {
  const list = () => machine.run(nft, "list", "tables", "inet");
  await machine.run(nft, "flush", "ruleset");
  await until("it is back", async () => /inet telemetryd_/.test(await list()));
  // The engine's own rules, for what is published, are gone until it makes them again.
  expect(await wrongCells("closed")).toEqual([]);
}, 60_000);

test("a provider that starts again finds its rules, and an engine that does, too", async () => {
  const script = () => machine.run(nft, "list", "table", "inet", tableName(platform));
  const before = await script();
  await engine.kill();
  await engine.restart();
  const next = openRuntime();
  for (const instance of [caller, neighbour, foreign, published]) await next.ensureInstance(instance, never);
  expect(await script()).toBe(before);
  await next.close();
  // Docker has made its chains again; a Podman that starts does not touch what is there.
  if (isDocker) await expectIsolation();
}, 60_000);

test("an engine in another network namespace: nothing runs", async () => {
  const elsewhere = openRuntime({
    platform: randomUUID(),
    directory: join(folder, "other"),
    firewall: { deny: [], allow: [], prefix: machine.prefix, hasInterface: () => false },
  });
  const network = makeNetwork("10.128.100.0/24");
  const instance = makeInstance(image, network);
  await elsewhere.ensureNetwork(network, never);
  await expect(reach({ runtime: elsewhere, pass }, instance)).rejects.toMatchObject({
    reason: "FirewallUnavailable",
  });
  await until("it does not run", async () => !(await engine.cli("ps")).includes(nameOf(instance)));
  await removeWhole({ runtime: elsewhere, pass }, instance.uid);
  await elsewhere.removeNetwork(network.uid, never);
  await elsewhere.close();
}, 60_000);

test.each([
  ["no nft", () => ["/nonexistent/program"], /not installed/],
  ["not allowed", () => ["sh", "-c", "echo 'Operation not permitted' >&2; exit 1"], /not permitted/],
])("a firewall that cannot be written, %s: no network is made", async (_, program, why) => {
  const logged: string[] = [];
  const log = { ...silentLogger, error: (fields: object) => logged.push(JSON.stringify(fields)) };
  const broken = openRuntime({
    log: log as typeof silentLogger,
    platform: randomUUID(),
    firewall: { deny: [], allow: [], prefix: program() },
  });
  const network = makeNetwork("10.128.101.0/24");
  const refused = { outcome: "refused", reason: "FirewallUnavailable" };
  await expect(broken.ensureNetwork(network, never)).rejects.toMatchObject(refused);
  expect(broken.locationProblem()).toMatchObject({ reason: "FirewallUnavailable" });
  for (const text of [logged.join(), broken.problem()]) expect(text).toMatch(why);
  expect((await broken.inventory(never)).networks).toEqual([]);
  await broken.close();
});
