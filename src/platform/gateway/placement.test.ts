import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { BackendResolver, targetKey } from "./backend-addresses.ts";
import { hostEntry, pathEntries } from "./configuration-writer.ts";
import { slotLines } from "./haproxy/plain-section.ts";
import type { HeldProgram } from "./held-program.ts";
import { HeldPrograms } from "./held-programs.ts";
import { type Placement, placementOfLoad } from "./placement.ts";
import { placementChange } from "./placement-change.ts";

const uids = Array.from({ length: 2 }, () => programOf([]).gateway);
const paths = ["/", "/a", "/a/b", "/c"];

interface RuleTo {
  readonly path: string;
  readonly host: string;
  readonly port: number;
}

const rule: fc.Arbitrary<RuleTo> = fc.record({
  path: fc.constantFrom(...paths),
  host: fc.constantFrom("1.1.1.1", "2.2.2.2", "a.example", "b.example"),
  port: fc.constantFrom(80, 80, 80, 81),
});
const names: fc.Arbitrary<Record<string, readonly string[]>> = fc.record({
  "a.example": fc.constantFrom(["3.3.3.3"], ["4.4.4.4"], ["3.3.3.3", "4.4.4.4"], []),
  "b.example": fc.constantFrom(["3.3.3.3"], ["5.5.5.5"], ["10.0.0.1"]),
});
/** An edit of the gateway at a place: its rules, a program that is not plain, or none. */
const edit = fc.tuple(
  fc.nat(uids.length - 1),
  fc.oneof(
    { arbitrary: fc.array(rule, { minLength: 1, maxLength: 4 }), weight: 6 },
    { arbitrary: fc.constantFrom("conditional", "gone"), weight: 1 },
  ),
);
const step = fc.oneof(
  { arbitrary: edit, weight: 8 },
  { arbitrary: names, weight: 5 },
  { arbitrary: fc.constant("load" as const), weight: 1 },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Edited = (typeof edit extends fc.Arbitrary<infer T> ? T : never)[1];

function programFor(gateway: string, what: Edited): RouteProgram {
  const rules =
    typeof what === "string"
      ? [{ matches: [{ method: "GET" }], backend: { scheme: "http", host: "1.1.1.1", port: 80 } as const }]
      : what.map(({ path, host, port }) => ({
          matches: [{ path: { type: "PathPrefix", value: path } as const }],
          backend: { scheme: "http", host, port } as const,
        }));
  return { ...programOf(rules), gateway };
}

/** What HAProxy has: by its files, or by commands since. */
interface Worker {
  readonly hosts: Map<string, string>;
  readonly paths: Map<string, string>;
  /** By slot. */
  readonly servers: Map<string, Map<string, string>>;
}

function workerOf(placement: Placement): Worker {
  const servers = [...placement.places.values()].flatMap(({ plain }) => {
    if (plain === undefined) return [];
    const text = slotLines(plain.slot.shape, plain.servers, 1);
    const ready = [...text.matchAll(/^ {2}server (\S+) ipv4@(\S+)(?!.* disabled)/gm)];
    return [[plain.slot.name, new Map(ready.map(([, name = "", to = ""]) => [name, to]))] as const];
  });
  return {
    hosts: new Map([...placement.places.keys()].map((each) => [each, hostEntry(placement, each)])),
    paths: new Map(placement.tables.flatMap(pathEntries)),
    servers: new Map(servers),
  };
}

/** Where a request may go, as the lines of `entryLines` and of slots have it; undefined: not plain. */
function destinations({ hosts, paths, servers }: Worker, gateway: string, path: string): string | undefined {
  const ofHost = hosts.get(gateway)?.split("|");
  if (ofHost === undefined) return "none";
  const [, slot = "", token = ""] = ofHost;
  if (slot === "") return undefined;
  const key = [...paths.keys()].filter((each) => token !== "" && `${token}${path}/`.startsWith(each)).sort();
  const entry = paths.get(key.at(-1) ?? "")?.split("|") ?? ofHost;
  expect(entry[1]).toBe(slot);
  const ready = servers.get(slot) ?? new Map<string, string>();
  const named = slot.includes("mixed") ? entry.slice(9).map((name) => ready.get(name)) : [...ready.values()];
  return entry[6]?.includes(".forward.") === true ? named.sort().join() : entry[6];
}

function expected(held: HeldProgram | undefined, path: string): string {
  if (held === undefined) return "none";
  const { program, states } = held;
  const match = program.matches.find(
    ({ path: { value } }) => value === "/" || `${path}/`.startsWith(`${value}/`),
  );
  const action = program.rules[match?.rule ?? -1]?.action;
  if (action?.type !== "forward") return "both.404.";
  const state = states.get(targetKey(action.backend));
  if (state?.kind !== "address") return `both.${state?.kind ?? "unresolved"}.`;
  const { port } = action.backend;
  return [...state.servers]
    .map((address) => `${address}:${port}`)
    .sort()
    .join();
}

/** A backend that comes back at another address, when requests may still be open at the one before. */
const comesBack: Step[] = [
  { "a.example": ["3.3.3.3"], "b.example": [] },
  [0, [ruleTo("/a", "a.example"), ruleTo("/", "1.1.1.1")]],
  [0, [ruleTo("/a", "2.2.2.2"), ruleTo("/", "1.1.1.1")]],
  { "a.example": ["4.4.4.4"], "b.example": [] },
  [0, [ruleTo("/a", "a.example"), ruleTo("/", "1.1.1.1")]],
];

function ruleTo(path: string, host: string): RuleTo {
  return { path, host, port: 80 };
}

test("each request has its own backend, also between two commands, and no server has another one's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let addresses: Readonly<Record<string, readonly string[]>> = {};
      const lookup = async (name: string) =>
        (addresses[name] ?? []).map((address) => ({ address, family: 4 as const }));
      const programs = new HeldPrograms(
        new BackendResolver({ egress: { deny: [], allow: [] }, lookup, own: [] }),
      );
      let nowMs = 0;
      let loads = 0;
      const load = async (): Promise<Placement> => {
        const versions = programs.versions();
        programs.takeChanged();
        const next = await placementOfLoad(`l${loads++}`, programs.all(), versions);
        programs.noteLoaded(versions);
        return next;
      };
      let placement = await load();
      let worker = workerOf(placement);
      const owners = new Map<string, string>();
      const allOf = (each: Worker): (string | undefined)[] =>
        uids.flatMap((gateway) => paths.map((path) => destinations(each, gateway, path)));
      const apply = (what: Exclude<Step, "load">): void => {
        if (!Array.isArray(what)) {
          addresses = what;
          nowMs += 6_000;
          return;
        }
        const [place, edited] = what;
        const gateway = uids[place] ?? "";
        if (edited === "gone") programs.apply([], [gateway]);
        else programs.apply([programFor(gateway, edited)], []);
      };
      for (const each of steps) {
        if (each === "load") {
          placement = await load();
          worker = workerOf(placement);
        } else {
          const before = allOf(worker);
          apply(each);
          await programs.resolve(nowMs);
          for (let turn = 0; turn < 3; turn++) await setImmediate();
          const versions = programs.versions();
          const changed = programs.takeChanged();
          const change = await placementChange(placement, programs, versions, changed.keys());
          placement = change.next;
          for (const held of change.given) programs.noteGiven(held);
          if (change.waiting.length === 0) programs.noteLoaded(versions, changed.keys());
          else programs.giveBack(changed, false);
          const after = allOf(workerOf(placement));
          const isEdit = Array.isArray(each);
          const noteCommand = (): void => {
            // A name that leads elsewhere may do so server by server.
            if (!isEdit) return;
            for (const [index, found] of allOf(worker).entries())
              expect([before[index], after[index]]).toContain(found);
          };
          for (const command of change.servers) {
            const [, slot = "", server = "", address, port] =
              /^set server (\S+)\/(\S+) addr (\S+) port (\d+)$/.exec(command) ?? [];
            if (address === undefined) continue;
            const ofSlot = worker.servers.get(slot) ?? new Map<string, string>();
            const to = `${address}:${port}`;
            if (isEdit) expect(ofSlot.get(server) ?? to).toBe(to);
            worker.servers.set(slot, ofSlot.set(server, to));
            noteCommand();
          }
          for (const [key, entry] of change.tables.flatMap(pathEntries)) {
            expect(worker.paths.has(key)).toBe(false);
            worker.paths.set(key, entry);
            noteCommand();
          }
          for (const { gateway, change: how } of change.maps) {
            expect(worker.hosts.has(gateway)).toBe(how !== "add");
            if (how === "del") worker.hosts.delete(gateway);
            else worker.hosts.set(gateway, hostEntry(placement, gateway));
            noteCommand();
          }
        }
        for (const [slot, gateway] of placement.owners) {
          expect(owners.get(slot) ?? gateway).toBe(gateway);
          owners.set(slot, gateway);
        }
        const found = allOf(worker);
        // A HAProxy that starts with the files has the same.
        expect(allOf(workerOf(placement))).toEqual(found);
        const newest = new Map([...programs.all()].map((held) => [held.program.gateway, held]));
        for (const [index, gateway] of uids.entries()) {
          const isServed = placement.places.get(gateway)?.held === newest.get(gateway);
          for (const [at, path] of paths.entries()) {
            const one = found[index * paths.length + at];
            if (one !== undefined && isServed) expect(one).toBe(expected(newest.get(gateway), path));
          }
        }
      }
    }),
    { examples: [[comesBack]] },
  );
});

test("a placement of many programs leaves the event loop its turns", async () => {
  const programs = new HeldPrograms(
    new BackendResolver({ egress: { deny: [], allow: [] }, lookup: async () => [], own: [] }),
  );
  const backend = { scheme: "http", host: "1.2.3.4", port: 80 } as const;
  programs.apply(
    Array.from({ length: 2_000 }, () => programOf([{ backend }])),
    [],
  );
  let turns = 0;
  const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
    turns = 0;
    const stop = new AbortController();
    const counting = (async () => {
      for (; !stop.signal.aborted; turns++) await setImmediate();
    })();
    await work();
    stop.abort();
    await counting;
    return turns;
  };
  const versions = programs.versions();
  const changed = programs.takeChanged();
  expect(await turnsOf(() => programs.resolve(0))).toBeGreaterThan(5);
  let placement = await placementOfLoad("l", [], versions);
  expect(
    await turnsOf(async () => (placement = await placementOfLoad("m", programs.all(), versions))),
  ).toBeGreaterThan(5);
  const change = () => placementChange(placement, programs, versions, changed.keys());
  expect(await turnsOf(change)).toBeGreaterThan(5);
});
