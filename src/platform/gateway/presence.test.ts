import { expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { BackendResolver } from "./backend-addresses.ts";
import { HeldPrograms } from "./held-programs.ts";
import { Presence } from "./presence.ts";

const resolver = new BackendResolver({
  egress: { deny: [], allow: [] },
  lookup: () => Promise.reject(new Error("no such name")),
  own: [],
});

/** A presence with what its store is told, one line a call; `failing` calls throw instead. */
function setUp() {
  const programs = new HeldPrograms(resolver);
  const clock = new TestClock(0);
  const calls: string[] = [];
  const failing = new Set<string>();
  const call = async (name: string, text: string): Promise<void> => {
    if (failing.has(name)) throw new Error(`${name} failed`);
    calls.push(`${name} ${text}`.trim());
  };
  const names = (all: Iterable<string>): string => [...all].map((each) => each.slice(-2)).join(" ");
  const presence = new Presence({
    store: {
      heartbeat: (_, version) => call("heartbeat", String(version)),
      report: (_, reports) =>
        call(
          "report",
          [...reports].map(([uid, it]) => `${uid.slice(-2)}:${it?.refused ?? "well"}`).join(" "),
        ),
      forgetReports: () => call("forget", ""),
      async forgetEarlier(gateways, version) {
        await call("forgetEarlier", `${version} ${names(gateways)}`);
        return [...gateways];
      },
    },
    ...{ programs, clock, runner: "test" },
    onChange: (all) => call("wake", names(all.map(({ gateway }) => gateway))),
  });
  const apply = (...all: readonly RouteProgram[]): void => programs.apply(all, []);
  const refuse = ({ gateway }: RouteProgram): void => {
    for (const held of programs.all())
      if (held.program.gateway === gateway) programs.refuse(held, { why: "no" });
  };
  const taken = (): string[] => calls.splice(0);
  return { programs, presence, clock, failing, apply, refuse, taken };
}

const [a, b] = ["a1", "b2"].map((end) => ({
  ...programOf([]),
  gateway: `00000000-0000-4000-8000-0000000000${end}`,
})) as [RouteProgram, RouteProgram];

test("reports are stored before the heartbeat that says that their programs are loaded", async () => {
  const { presence, apply, refuse, taken } = setUp();
  apply(a, b);
  refuse(a);
  presence.loaded(2, [b]);
  await presence.announce();
  expect(taken()).toEqual(["forget", "report a1:no", "heartbeat 2", "wake b2 a1"]);
  await presence.announce();
  await presence.report();
  expect(taken()).toEqual(["heartbeat 2"]);
});

test("a report that could not be stored is stored before the next heartbeat", async () => {
  const { presence, failing, apply, refuse, taken } = setUp();
  apply(a);
  await presence.announce();
  taken();
  refuse(a);
  presence.loaded(2, [a]);
  failing.add("report");
  await expect(presence.announce()).rejects.toThrow("report failed");
  await expect(presence.report()).rejects.toThrow("report failed");
  expect(taken()).toEqual([]);
  failing.clear();
  await presence.announce();
  expect(taken()).toEqual(["report a1:no", "heartbeat 2", "wake a1"]);
});

test("the withdrawal of a deleted program's report is repeated too", async () => {
  const { programs, presence, failing, apply, refuse, taken } = setUp();
  apply(a);
  refuse(a);
  await presence.announce();
  taken();
  programs.apply([], [a.gateway]);
  failing.add("report");
  await expect(presence.report()).rejects.toThrow("report failed");
  failing.clear();
  await presence.report();
  expect(taken()).toEqual(["report a1:well"]);
});

test("controllers that could not be woken are woken later", async () => {
  const { presence, failing, apply, taken } = setUp();
  apply(a);
  failing.add("wake");
  await expect(presence.announce()).rejects.toThrow("wake failed");
  taken();
  failing.clear();
  await presence.report();
  expect(taken()).toEqual(["wake a1"]);
});

test("after a silence, all reports are stored again and all controllers woken", async () => {
  const { presence, clock, apply, refuse, taken } = setUp();
  apply(a, b);
  refuse(b);
  presence.loaded(2, [a, b]);
  await presence.announce();
  expect(presence.returns).toBe(1);
  taken();
  clock.advance(7_999);
  await presence.announce();
  expect([taken(), presence.returns]).toEqual([["heartbeat 2"], 1]);
  clock.advance(8_001);
  await presence.announce();
  expect(taken()).toEqual(["forget", "report b2:no", "heartbeat 2", "wake b2 a1"]);
  expect(presence.returns).toBe(2);
});

test("a load that ends while reports are stored is for the next heartbeat", async () => {
  const { presence, apply, refuse, taken } = setUp();
  apply(a);
  presence.loaded(1, []);
  const first = presence.announce();
  refuse(a);
  await Promise.resolve();
  presence.loaded(2, []);
  await Promise.all([first, presence.announce()]);
  const calls = taken().filter((each) => !each.startsWith("wake"));
  expect(calls.indexOf("report a1:no")).toBeLessThan(calls.indexOf("heartbeat 2"));
  expect(calls.at(-1)).toBe("heartbeat 2");
});

test("earlier versions are forgotten once what came after them is loaded", async () => {
  const { programs, presence, apply, refuse, failing, taken } = setUp();
  apply(a, b);
  programs.noteLoaded(programs.versions());
  presence.loaded(1, []);
  await presence.announce();
  apply({ ...a, name: "next" }, { ...b, name: "next" });
  refuse(a);
  taken();
  await presence.announce();
  expect(taken()).not.toContain("forgetEarlier 1 b2");
  programs.noteLoaded(programs.versions());
  presence.loaded(2, []);
  failing.add("forgetEarlier");
  await expect(presence.announce()).rejects.toThrow("forgetEarlier failed");
  failing.clear();
  taken();
  await presence.announce();
  expect(taken()).toContain("forgetEarlier 2 b2");
  await presence.announce();
  expect(taken()).not.toContain("forgetEarlier 2 b2");
});
