import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import { BackendResolver, type HostState, nextServers, targetsOf } from "./backend-addresses.ts";

/** What a name server says of names: addresses, or nothing. */
const names: Record<string, readonly string[]> = {
  "mixed.example": ["10.1.2.3", "1.2.3.4"],
  "inner.example": ["10.1.2.3"],
  "two.example": ["1.2.3.4", "5.6.7.8"],
  "mapped.example": ["::ffff:127.0.0.1"],
};

const resolver = new BackendResolver({
  egress: { deny: ["9.9.9.0/24"], allow: ["127.0.0.1"] },
  lookup: (name) => {
    const found = names[name];
    if (found === undefined) return Promise.reject(new Error("no such name"));
    return Promise.resolve(found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  },
  own: [
    { host: "127.0.0.1", port: 8082 },
    { host: "", port: 9464 },
    { host: "::", port: 9465 },
    { host: "203.1.113.5", port: 8443 },
    { host: "2600::5", port: 8443 },
    { host: "::ffff:203.1.113.6", port: 8443 },
    { host: "gateway.example", port: 8081 },
  ],
});

const resolve = (host: string, port = 80, before?: HostState, ownRanges: readonly string[] = []) =>
  resolver.resolve({ scheme: "http", host, port }, programOf([], { ownRanges }), before);

const at = (address: string, ...all: string[]): HostState => ({
  kind: "address",
  servers: [address, ...all],
  all: [address, ...all],
});

test.each<[string, number, readonly string[], HostState | RegExp]>([
  ["1.2.3.4", 80, [], at("1.2.3.4")],
  ["127.0.0.1", 80, [], at("127.0.0.1")],
  ["127.0.0.1", 8082, [], /127\.0\.0\.1 is the gateway's own/],
  ["127.0.0.1", 9464, [], /is the gateway's own/],
  ["10.128.0.2", 80, [], /10\.128\.0\.2 is not a public address/],
  ["10.128.0.2", 80, ["10.128.0.0/20"], at("10.128.0.2")],
  ["10.128.16.2", 80, ["10.128.0.0/20"], /not a public address/],
  ["169.254.169.254", 80, ["169.254.0.0/16"], /never allowed/],
  ["9.9.9.9", 80, [], /denied by egress\.deny/],
  ["two.example", 80, [], at("1.2.3.4", "5.6.7.8")],
  ["mixed.example", 80, [], at("1.2.3.4")],
  ["inner.example", 80, [], /10\.1\.2\.3 is not a public address/],
  ["nowhere.example", 80, [], { kind: "unresolved" }],
])("%s port %i with the project's %j", async (host, port, ownRanges, wanted) => {
  const state = await resolve(host, port, undefined, ownRanges);
  if (wanted instanceof RegExp)
    expect(state).toMatchObject({ kind: "blocked", reason: expect.stringMatching(wanted) });
  else expect(state).toEqual(wanted);
});

test.each<[string, HostState, HostState]>([
  ["two.example", at("5.6.7.8"), at("5.6.7.8", "1.2.3.4")],
  ["two.example", at("8.8.8.8"), at("1.2.3.4", "5.6.7.8")],
  ["nowhere.example", at("8.8.8.8"), at("8.8.8.8")],
  ["nowhere.example", at("10.1.2.3"), { kind: "unresolved" }],
])("%s, known as %j", async (host, before, wanted) => {
  const state = await resolve(host, 80, before);
  expect({ ...state, all: undefined }).toEqual({ ...wanted, all: undefined });
});

test.each<[string, number, isOwn: boolean]>([
  ["203.1.113.5", 8443, true],
  ["203.1.113.5", 8444, false],
  ["203.1.113.7", 8443, false],
  ["::ffff:203.1.113.5", 8443, true],
  ["::ffff:cb01:7105", 8443, true],
  ["64:ff9b::203.1.113.5", 8443, true],
  ["2002:cb01:7105::1", 8443, true],
  ["203.1.113.6", 8443, true],
  ["2600::5", 8443, true],
  ["2600:0:0:0:0:0:0:5", 8443, true],
  ["2600:0000::0005", 8443, true],
  ["2600::6", 8443, false],
  ["::ffff:127.0.0.1", 8082, true],
  ["::ffff:127.0.0.1", 9464, true],
  ["::ffff:127.0.0.1", 9465, true],
  ["mapped.example", 9465, true],
  ["127.0.0.1", 8081, true],
  ["::ffff:127.0.0.1", 8083, false],
])("%s port %i leads back to the daemon: %s", async (host, port, isOwn) => {
  const state = await resolve(host, port);
  if (!isOwn) expect(state.kind).toBe("address");
  else
    expect(state).toMatchObject({ kind: "blocked", reason: expect.stringMatching(/is the gateway's own$/) });
});

test("another spelling of an address of this machine leads back to it", async () => {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = all.filter(({ family, address }) => family === "IPv4" && !address.startsWith("127."));
  const allowing = new BackendResolver({
    egress: { deny: [], allow: ["0.0.0.0/0"] },
    lookup: () => Promise.resolve([]),
    own: [{ host: "0.0.0.0", port: 80 }],
  });
  for (const { address } of own) {
    const target = { scheme: "http", host: `::ffff:${address}`, port: 80 } as const;
    const state = await allowing.resolve(target, programOf([]), undefined);
    expect(state).toMatchObject({ kind: "blocked", reason: expect.stringMatching(/is the gateway's own$/) });
  }
});

test.each<[before: string, allowed: string, servers: string]>([
  ["", "a", "a"],
  ["", "a b c", "a b c"],
  ["", "a b c d e f g h i", "a b c d e f g h"],
  ["a", "b", "b"],
  ["a", "b a", "a b"],
  ["a b", "b", "b b"],
  ["b b", "b a", "b a"],
  ["a b", "c", "c c"],
  ["a b c", "c b d", "d b c"],
  ["a b c d e f g h", "i j", "i j i i i i i i"],
])("servers with %s, of which %s are allowed: %s", (before, allowed, servers) => {
  const words = (text: string): string[] => (text === "" ? [] : text.split(" "));
  expect(nextServers(words(before), words(allowed)).join(" ")).toBe(servers);
});

test("targets count once", () => {
  const backend = { scheme: "http", host: "a.example", port: 80 } as const;
  const program = programOf([
    { backend },
    { backend },
    { backend: { ...backend, port: 81 } },
    { respond: 500 },
  ]);
  expect([...targetsOf(program).keys()]).toEqual(["a.example 80", "a.example 81"]);
});
