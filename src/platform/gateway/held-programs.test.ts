import type { LookupAddress } from "node:dns";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import type { BackendTarget } from "../routing/route-program.ts";
import { isAddressSet } from "./address-commands.ts";
import { BackendResolver } from "./backend-addresses.ts";
import { addressOf, type HeldProgram } from "./held-program.ts";
import { HeldPrograms } from "./held-programs.ts";
import { fittingVersions } from "./memory-shares.ts";

const resolver = new BackendResolver({
  egress: { deny: ["9.9.9.0/24"], allow: [] },
  lookup: (name) =>
    Promise.resolve([{ address: name === "inner.example" ? "10.1.2.3" : "1.2.3.4", family: 4 }]),
  own: [{ host: "5.5.5.5", port: 8443 }],
});

const why = "its certificate can be verified only by a host name: use the one that the certificate has";

test.each<[string, BackendTarget["scheme"], string, kind: string, report: object | undefined]>([
  ["a name", "https", "b.example", "address", { resolved: { "b.example": "1.2.3.4" } }],
  ["an address by HTTP", "http", "1.2.3.4", "address", undefined],
  ["an address by HTTPS", "https", "1.2.3.4", "nameless", { blocked: { "https://1.2.3.4": why } }],
  ["IPv6 by HTTPS", "https", "2600::1", "nameless", { blocked: { "https://[2600::1]": why } }],
  [
    "a forbidden address by HTTPS",
    "https",
    "10.0.0.1",
    "blocked",
    { blocked: { "10.0.0.1": "10.0.0.1 is not a public address (private)", "https://10.0.0.1": why } },
  ],
  [
    "a denied address",
    "http",
    "9.9.9.9",
    "blocked",
    { blocked: { "9.9.9.9": "the address is not allowed" } },
  ],
  [
    "the gateway's own",
    "http",
    "5.5.5.5",
    "blocked",
    { blocked: { "5.5.5.5": "the address is not allowed" } },
  ],
  [
    "a name of a private address",
    "http",
    "inner.example",
    "blocked",
    { blocked: { "inner.example": "the name leads to an address that is not allowed" } },
  ],
])("%s: how it is forwarded to, and reported", async (_, scheme, host, kind, report) => {
  const programs = new HeldPrograms(resolver);
  const program = programOf([{ backend: { scheme, host, port: 8443 } }]);
  programs.apply([program], []);
  await programs.resolve(0);
  const [held] = programs.all();
  expect(held && addressOf(held, 0).kind).toBe(kind);
  expect(programs.reports.take().get(program.gateway)).toEqual(report);
});

test("HTTP and HTTPS to one address: only HTTP is forwarded", async () => {
  const programs = new HeldPrograms(resolver);
  const backend = { host: "1.2.3.4", port: 8080 };
  const program = programOf([
    { backend: { ...backend, scheme: "http" } },
    { backend: { ...backend, scheme: "https" } },
  ]);
  programs.apply([program], []);
  await programs.resolve(0);
  const [held] = programs.all();
  expect([0, 1].map((rule) => held && addressOf(held, rule).kind)).toEqual(["address", "nameless"]);
  expect(programs.reports.take().get(program.gateway)).toEqual({ blocked: { "https://1.2.3.4": why } });
});

test("the report on a program that is removed is taken back", async () => {
  const programs = new HeldPrograms(resolver);
  const program = programOf([{ backend: { scheme: "http", host: "10.0.0.1", port: 80 } }]);
  programs.apply([program], []);
  await programs.resolve(0);
  expect(programs.reports.take().get(program.gateway)).toHaveProperty("blocked");
  programs.apply([], [program.gateway]);
  expect([...programs.reports.take()]).toEqual([[program.gateway, undefined]]);
});

test("addresses of backends that a program no longer has are forgotten", async () => {
  const programs = new HeldPrograms(resolver);
  const to = (host: string) => ({ backend: { scheme: "http", host, port: 80 } }) as const;
  const program = programOf([to("a.example"), to("b.example")]);
  programs.apply([program], []);
  await programs.resolve(0);
  programs.apply([{ ...programOf([to("b.example"), to("c.example")]), gateway: program.gateway }], []);
  const [held] = programs.all();
  expect([...(held?.states.keys() ?? [])]).toEqual(["b.example 80"]);
});

test("an address that a slow first lookup finds is given to HAProxy, too", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let answer: (found: LookupAddress[]) => void = () => undefined;
  const lookup = () => new Promise<LookupAddress[]>((resolve) => (answer = resolve));
  const slow = new BackendResolver({ egress: { deny: [], allow: [] }, lookup, own: [] });
  const programs = new HeldPrograms(slow);
  const backend = { scheme: "http", host: "b.example", port: 80 } as const;
  const program = programOf([{ matches: [{ method: "GET" }], backend }]);
  programs.apply([program], []);
  const first = programs.resolve(0);
  answer([{ address: "1.2.3.4", family: 4 }]);
  await first;
  // An edit, whose lookup takes longer than a load waits, finds another address.
  programs.apply([{ ...program, listeners: ["http"] }], []);
  const second = programs.resolve(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await second;
  expect(programs.takeCommands()).toEqual([]);
  answer([{ address: "5.6.7.8", family: 4 }]);
  const command = `set server gateway-${program.gateway}/rule-0 addr 5.6.7.8 port 80`;
  await vi.waitFor(() => expect(programs.takeCommands()).toEqual([command]));
  vi.useRealTimers();
});

test.each([
  ["IP changed from '1.2.3.4' to '5.6.7.8' by 'stats socket command'", true],
  ["no need to change the addr, port changed from '80' to '81' by 'stats socket command'", true],
  ["no need to change the addr, no need to change the port", true],
  ["No such server.", false],
  ["HAProxy does not respond on its socket", false],
  ["", false],
])("after %j, the address is set: %s", (response, isSet) => {
  expect(isAddressSet(response)).toBe(isSet);
});

test("all programs of a store replace those that are held; equal ones need no load", async () => {
  const programs = new HeldPrograms(resolver);
  const [same, edited, gone, added] = [programOf([]), programOf([]), programOf([]), programOf([])];
  programs.apply([same, edited, gone], []);
  programs.takeChanged();
  const next = { ...edited, listeners: ["http"] as const };
  await programs.replaceAll(
    (async function* () {
      yield [JSON.parse(JSON.stringify(same)), next];
      yield [added];
    })(),
  );
  expect([...programs.all()].map(({ program }) => program.gateway)).toEqual(
    [same, edited, added].map(({ gateway }) => gateway),
  );
  expect([...programs.takeChanged().keys()]).toEqual([edited, added, gone].map(({ gateway }) => gateway));
});

const backend = { scheme: "http", host: "1.2.3.4", port: 80 } as const;
/** It needs more than a third of its project's share. */
const heavyChange = {
  set: Array.from({ length: 64 }, (_, index) => ({ name: `x-${index}`, value: "%".repeat(1_800) })),
  ...{ add: [], remove: [] },
};
const kinds = {
  plain: [{ backend }],
  section: [{ backend, matches: [{ method: "GET" }] }],
  heavy: [{ backend, requestHeaders: [heavyChange, heavyChange] }],
} as const;
const uids = Array.from({ length: 8 }, () => programOf([]).gateway);
const step = fc.tuple(
  fc.nat(uids.length - 1),
  fc.constantFrom("heavy", "heavy", "plain", "section", "gone", "accepted", "refused", "loaded"),
);

test("what may be loaded is decided again where it may be another version, which is a change then", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const programs = new HeldPrograms(resolver);
      let before = new Map<string, HeldProgram>();
      let fittingBefore = new Set<HeldProgram>();
      for (const [place, what] of steps) {
        const gateway = uids[place] ?? "";
        const held = programs.newest(gateway);
        programs.takeChanged();
        if (what === "gone") programs.apply([], [gateway]);
        else if (what === "loaded") programs.noteLoaded(programs.versions());
        else if (what === "refused") {
          if (held !== undefined) programs.refuse(held, { why: "no" });
        } else if (what === "accepted") {
          if (held !== undefined) programs.noteVerdict(held, undefined);
        } else {
          const uid = `project-${place % 2}`;
          const plane = { type: "project", name: uid, uid, organization: "acme" } as const;
          const created = `2026-01-0${place + 1}`;
          programs.apply([{ ...programOf(kinds[what], { plane, created }), gateway }], []);
        }
        const versions = programs.versions();
        const expected = new Map<string, HeldProgram>();
        const fittingNow = new Set<HeldProgram>();
        for (const [newest, fitting] of fittingVersions(programs.all())) {
          const version = fitting === newest && newest.isAccepted !== true ? newest.earlier : fitting;
          if (version !== undefined) expected.set(newest.program.gateway, version);
          if (fitting === newest) fittingNow.add(newest);
        }
        expect(new Set(versions)).toEqual(new Set(expected.values()));
        const changed = programs.takeChanged();
        for (const each of programs.all()) {
          const { gateway: uid } = each.program;
          // One that fits now has to be checked.
          const isOther =
            before.get(uid) !== expected.get(uid) || fittingBefore.has(each) !== fittingNow.has(each);
          if (isOther && each.fault === undefined) expect([...changed.keys()]).toContain(uid);
        }
        [before, fittingBefore] = [expected, fittingNow];
      }
    }),
    { numRuns: 50 },
  );
});

test("a version that waits for its load is what may be loaded, until a newer one is accepted", () => {
  const programs = new HeldPrograms(resolver);
  const { gateway } = programOf(kinds.section);
  const edit = (): HeldProgram | undefined => {
    programs.apply([{ ...programOf(kinds.section), gateway }], []);
    return programs.newest(gateway);
  };
  const accept = (held: HeldProgram | undefined): void => held && programs.noteVerdict(held, undefined);
  const first = edit();
  accept(first);
  const second = edit();
  expect([...programs.versions()]).toEqual([first]);
  accept(second);
  expect([...programs.versions()]).toEqual([second]);
  const third = edit();
  if (third !== undefined) programs.refuse(third, { why: "no" });
  expect([...programs.versions()]).toEqual([second]);
  edit();
  expect([...programs.versions()]).toEqual([second]);
});
