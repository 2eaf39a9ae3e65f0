import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type NameAnswer,
  type NameServer,
  startNameServer,
} from "../../../../test/support/net/name-server.ts";
import { setUpEach } from "../../../../test/support/set-up.ts";
import { until } from "../../../../test/support/until.ts";
import { NameError } from "./name-outcome.ts";
import type { AddressResolver } from "./name-query.ts";
import { NameResolver, type NameResolverOptions } from "./name-resolver.ts";

let folder: string;
let known: Record<string, NameAnswer>;
let server: NameServer;
let nowMs: number;

setUpEach(async ({ keep, newFolder }) => {
  folder = await newFolder("names");
  known = {};
  nowMs = 0;
  server = await keep(startNameServer((name) => known[name] ?? "NXDOMAIN", { ttlSeconds: 30 }));
});

function open(options: Partial<NameResolverOptions> = {}): NameResolver {
  return new NameResolver({
    servers: [server.address],
    clock: { monotonicMs: () => nowMs },
    hostsPath: join(folder, "hosts"),
    resolvConfPath: join(folder, "resolv.conf"),
    hasPublicIPv6: () => false,
    ...options,
  });
}

async function addresses(resolver: NameResolver, name: string, tenant = "a"): Promise<string[]> {
  return (await resolver.lookup(name, tenant)).map(({ address }) => address);
}

test("addresses of both families, in the order in which they are to be tried", async () => {
  known["r.test"] = ["2001:db8::7", "192.0.2.1", "192.0.2.2"];
  expect(await open().lookup("R.test", "a")).toEqual([
    { address: "192.0.2.1", family: 4 },
    { address: "192.0.2.2", family: 4 },
    { address: "2001:db8::7", family: 6 },
  ]);
  const six = open({ hasPublicIPv6: () => true });
  expect(await addresses(six, "r.test")).toEqual(["2001:db8::7", "192.0.2.1", "192.0.2.2"]);
});

test("names of /etc/hosts and localhost are asked for nowhere, and a changed file counts", async () => {
  const file = join(folder, "hosts");
  await writeFile(file, "# x\n10.0.0.1 One one.test # two\n\n10.0.0.2\tone.test\n::5 one\nnonsense three\n");
  const resolver = open();
  expect(await addresses(resolver, "one.test")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(await addresses(resolver, "ONE.")).toEqual(["10.0.0.1", "::5"]);
  expect(await addresses(resolver, "localhost")).toEqual(["127.0.0.1", "::1"]);
  expect(await addresses(resolver, "a.localhost")).toEqual(["127.0.0.1", "::1"]);
  await expect(resolver.lookup("three.invalid", "a")).rejects.toThrow(NameError);
  await writeFile(file, "10.0.0.3 one.test localhost\n");
  nowMs = 6_000;
  expect(await addresses(resolver, "one.test")).toEqual(["10.0.0.3"]);
  expect(await addresses(resolver, "localhost")).toEqual(["10.0.0.3"]);
  expect(server.asked).toEqual([]);
});

test("a short name is completed as in a pod", async () => {
  await writeFile(join(folder, "resolv.conf"), "search prod.svc.test svc.test\noptions ndots:5\n");
  known["receiver.prod.svc.test"] = ["10.0.0.1"];
  known["receiver.other.svc.test"] = ["10.0.0.2"];
  known["receiver.example"] = ["10.0.0.3"];
  const resolver = open();
  expect(await addresses(resolver, "receiver")).toEqual(["10.0.0.1"]);
  expect(await addresses(resolver, "receiver.other")).toEqual(["10.0.0.2"]);
  expect(await addresses(resolver, "receiver.example")).toEqual(["10.0.0.3"]);
  expect(await addresses(resolver, "receiver.example.")).toEqual(["10.0.0.3"]);
});

test.each<[NameAnswer, string, string]>([
  ["NXDOMAIN", "ENOTFOUND", "the host name r.test does not exist; check the endpoint"],
  [[], "ENOTFOUND", "the host name r.test does not exist; check the endpoint"],
  [
    "SERVFAIL",
    "EAI_AGAIN",
    "the address of r.test could not be resolved: the name server could not find it out (SERVFAIL)",
  ],
])("%j: %s", async (response, code, message) => {
  known["r.test"] = response;
  await expect(open().lookup("r.test", "a")).rejects.toMatchObject({ code, message });
});

test("a name server that does not say whether a name exists is no reason to take another name", async () => {
  await writeFile(join(folder, "resolv.conf"), "search a.test b.test\n");
  known["r.a.test"] = "SERVFAIL";
  known["r.b.test"] = ["10.0.0.1"];
  await expect(open().lookup("r", "a")).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

test("what was found holds for its time to live, what was not for a few seconds, and a name is asked for once", async () => {
  known["r.test"] = ["10.0.0.1"];
  const resolver = open();
  await Promise.all(["a", "a", "b"].map((tenant) => resolver.lookup("r.test", tenant)));
  expect(server.asked.toSorted()).toEqual(["r.test A", "r.test AAAA"]);
  known["r.test"] = ["10.0.0.2"];
  nowMs = 29_999;
  expect(await addresses(resolver, "r.test")).toEqual(["10.0.0.1"]);
  nowMs = 30_000;
  expect(await addresses(resolver, "r.test")).toEqual(["10.0.0.2"]);
  await expect(resolver.lookup("new.test", "a")).rejects.toThrow(NameError);
  known["new.test"] = ["10.0.0.3"];
  await expect(resolver.lookup("new.test", "a")).rejects.toThrow(NameError);
  nowMs += 5_000;
  expect(await addresses(resolver, "new.test")).toEqual(["10.0.0.3"]);
});

test("a tenant whose name servers hang holds up no other, and its own lookups end", async () => {
  for (let index = 0; index < 1_000; index++) known[`r${index}.dead.test`] = "nothing";
  known["r.test"] = ["10.0.0.1"];
  const resolver = open({ limits: { lookups: 256, waitMs: 300, lookupMs: 600 } });
  const dead = Array.from({ length: 1_000 }, (_, index) =>
    resolver.lookup(`r${index}.dead.test`, "greedy").catch((error: NameError) => error.code),
  );
  await until("they are asked for", () => server.asked.length >= 100);
  expect(await addresses(resolver, "r.test", "other")).toEqual(["10.0.0.1"]);
  expect(new Set(await Promise.all(dead))).toEqual(new Set(["EAI_AGAIN"]));
});

test("its end is the end of all lookups", async () => {
  known["r.test"] = "nothing";
  const resolver = open();
  const asking = resolver.lookup("r.test", "a");
  await until("it is asked for", () => server.asked.length > 0);
  resolver.close();
  await expect(asking).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

test("a lookup that has no end is ended", async () => {
  const never = () => new Promise<never>(() => undefined);
  let fail: ((error: Error) => void)[] = [];
  const asking = () => new Promise<never>((_, reject) => fail.push(reject));
  const resolver: AddressResolver = {
    resolve4: asking,
    resolve6: asking,
    cancel: () => {
      for (const one of fail) one(Object.assign(new Error("cancelled"), { code: "ECANCELLED" }));
      fail = [];
    },
  };
  const names = open({
    createResolver: () => resolver,
    limits: { lookups: 1, waitMs: 1_000, lookupMs: 50 },
  });
  await expect(Promise.race([names.lookup("r.test", "a"), never()])).rejects.toThrow(
    "did not respond in time",
  );
});
