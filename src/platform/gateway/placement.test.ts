import fc from "fast-check";
import { expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { BackendResolver } from "./backend-addresses.ts";
import { hostEntry, pathEntries } from "./configuration-writer.ts";
import { slotSection } from "./haproxy/plain-section.ts";
import { HeldPrograms } from "./held-programs.ts";
import { type Placement, placementChange, placementOfLoad } from "./placement.ts";

const uids = Array.from({ length: 4 }, () => programOf([]).gateway);
const paths = ["/", "/a", "/a/b", "/c"];

const rule = fc.record({
  path: fc.constantFrom(...paths),
  host: fc.constantFrom("1.1.1.1", "2.2.2.2", "3.3.3.3"),
  others: fc.constantFrom<string[][]>([], [], ["4.4.4.4"]),
  port: fc.constantFrom(80, 81),
});
/** An edit of the gateway at a place: its rules, a program that is not plain, or none. */
const edit = fc.tuple(
  fc.nat(uids.length - 1),
  fc.oneof(fc.array(rule, { minLength: 1, maxLength: 3 }), fc.constantFrom("conditional", "gone")),
);

function programFor(gateway: string, what: (typeof edit extends fc.Arbitrary<infer T> ? T : never)[1]) {
  const rules =
    typeof what === "string"
      ? [{ matches: [{ method: "GET" }], backend: { scheme: "http", host: "1.1.1.1", port: 80 } as const }]
      : what.map(({ path, host, others, port }) => ({
          matches: [{ path: { type: "PathPrefix", value: path } as const }],
          backend: { scheme: "http", host, others, port } as const,
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
    const text = slotSection(plain.slot, plain.servers, 1);
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

function expected(program: RouteProgram | undefined, path: string): string {
  if (program === undefined) return "none";
  const match = program.matches.find(
    ({ path: { value } }) => value === "/" || `${path}/`.startsWith(`${value}/`),
  );
  const action = program.rules[match?.rule ?? -1]?.action;
  if (action?.type !== "forward") return "both.404.";
  const { host, others = [], port } = action.backend;
  return [host, ...others]
    .map((address) => `${address}:${port}`)
    .sort()
    .join();
}

test("each request has its own backend, also between two commands, and no server has a second one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(edit, fc.constant("load")), { maxLength: 60 }), async (steps) => {
      const programs = new HeldPrograms(
        new BackendResolver({ egress: { deny: [], allow: [] }, lookup: async () => [], own: [] }),
      );
      let loads = 0;
      const load = (): Placement => placementOfLoad(`l${loads++}`, programs.all(), programs.versions());
      let placement = load();
      let worker = workerOf(placement);
      const owners = new Map<string, string>();
      const backends = new Map<string, string>();
      for (const step of steps) {
        if (step === "load") {
          placement = load();
          worker = workerOf(placement);
        } else {
          const [place, what] = step;
          const gateway = uids[place] ?? "";
          const ofAll = (): (string | undefined)[] =>
            paths.map((path) => destinations(worker, gateway, path));
          const before = ofAll();
          if (what === "gone") programs.apply([], [gateway]);
          else programs.apply([programFor(gateway, what)], []);
          await programs.resolve(0);
          const change = placementChange(placement, programs.all(), programs.versions(), programs.changed());
          placement = change.next;
          const after = paths.map((path) => destinations(workerOf(placement), gateway, path));
          const isBetween = (): void => {
            for (const [index, each] of ofAll().entries())
              expect([before[index], after[index]]).toContain(each);
          };
          for (const command of change.servers) {
            const [, slot = "", server = "", to] =
              /^set server (\S+)\/(\S+) addr (\S+ port \d+)$/.exec(command) ?? [];
            if (to === undefined) continue;
            const ofSlot = worker.servers.get(slot) ?? new Map<string, string>();
            worker.servers.set(slot, ofSlot.set(server, to.replace(" port ", ":")));
            const id = `${slot}/${server}`;
            expect(backends.get(id) ?? to).toBe(to);
            backends.set(id, to);
            isBetween();
          }
          for (const [key, entry] of change.tables.flatMap(pathEntries)) {
            expect(worker.paths.has(key)).toBe(false);
            worker.paths.set(key, entry);
            isBetween();
          }
          for (const { gateway: of, change: how } of change.maps) {
            expect(worker.hosts.has(of)).toBe(how !== "add");
            if (how === "del") worker.hosts.delete(of);
            else worker.hosts.set(of, hostEntry(placement, of));
            isBetween();
          }
        }
        for (const [slot, gateway] of placement.owners) {
          expect(owners.get(slot) ?? gateway).toBe(gateway);
          owners.set(slot, gateway);
        }
        const files = workerOf(placement);
        for (const gateway of uids) {
          for (const path of paths) {
            const found = destinations(worker, gateway, path);
            // A HAProxy that starts with the files has the same.
            expect(destinations(files, gateway, path)).toBe(found);
            const isServed = placement.places.get(gateway)?.held?.program === programs.program(gateway);
            if (found !== undefined && isServed)
              expect(found).toBe(expected(programs.program(gateway), path));
          }
        }
      }
    }),
  );
});
