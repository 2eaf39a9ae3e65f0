import fc from "fast-check";
import { expect, test } from "vitest";
import { programOf, type RuleParts } from "../../../test/support/gateway/route-program.ts";
import type { HeldProgram } from "./held-program.ts";
import { fittingVersions, versionBytes } from "./memory-shares.ts";

interface Parts {
  readonly created?: string;
  readonly bytes: number;
  readonly earlier?: number;
  readonly isFaulty?: boolean;
  readonly project?: string;
}

function heldOf({ created, bytes, earlier, isFaulty = false, project = "p" }: Parts): HeldProgram {
  const plane = { type: "project", name: project, uid: project, organization: "acme" } as const;
  const program = { ...programOf([], { plane }), ...(created === undefined ? {} : { created }) };
  return {
    ...{ program, bytes, states: new Map() },
    ...(earlier === undefined ? {} : { earlier: { program, bytes: earlier, states: new Map() } }),
    ...(isFaulty ? { fault: { why: "no" } } : {}),
  };
}

/** `newest`, `earlier` or `none` for each. */
function choices(all: readonly Parts[], limit = 100): string[] {
  const programs = all.map(heldOf);
  const fitting = fittingVersions(programs, limit);
  return programs.map((held) => {
    const version = fitting.get(held);
    return version === undefined ? "none" : version === held ? "newest" : "earlier";
  });
}

test.each<[what: string, programs: Parts[], expected: string[]]>([
  ["all of them", [{ bytes: 60 }, { bytes: 40 }], ["newest", "newest"]],
  [
    "the older ones",
    [
      { created: "2026-02", bytes: 60 },
      { created: "2026-01", bytes: 60 },
    ],
    ["none", "newest"],
  ],
  ["those of each project", [{ bytes: 60 }, { bytes: 60, project: "q" }], ["newest", "newest"]],
  [
    "a smaller one that is newer",
    [{ bytes: 60 }, { bytes: 60 }, { bytes: 40 }],
    ["newest", "none", "newest"],
  ],
  ["what was served before", [{ bytes: 60 }, { bytes: 60, earlier: 30 }], ["newest", "earlier"]],
  ["no version that is refused", [{ bytes: 10, earlier: 20, isFaulty: true }], ["earlier"]],
  ["nothing of one that is refused", [{ bytes: 90, isFaulty: true }, { bytes: 90 }], ["none", "newest"]],
])("of a project's programs fit: %s", (_, programs, expected) => {
  expect(choices(programs)).toEqual(expected);
});

test("no project exceeds its share, and the oldest program that fits alone is loaded", () => {
  const parts = fc.record(
    {
      created: fc.constantFrom("2026-01", "2026-02", "2026-03"),
      bytes: fc.nat(120),
      earlier: fc.nat(120),
      isFaulty: fc.boolean(),
      project: fc.constantFrom("p", "q"),
    },
    { requiredKeys: ["bytes", "project"] },
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (all) => {
      const programs = all.map(heldOf);
      const fitting = fittingVersions(programs, 100);
      for (const project of ["p", "q"]) {
        const own = programs.filter(({ program }) => program.plane.uid === project);
        const sum = own.reduce((bytes, held) => bytes + (fitting.get(held)?.bytes ?? 0), 0);
        expect(sum).toBeLessThanOrEqual(100);
        for (const held of own) {
          const isLeftOut = held.fault === undefined && fitting.get(held) !== held;
          // What is left for it is less than it needs.
          if (isLeftOut) expect(sum + (held.bytes ?? 0)).toBeGreaterThan(100);
        }
      }
    }),
  );
});

test("an estimate counts lines by their kind, the parts of formats, and servers", () => {
  const target = { scheme: "http", host: "a.example", port: 80 } as const;
  const bytes = (rule: RuleParts, servers = ["192.0.2.1"]): number => {
    const states = new Map([["a.example 80", { kind: "address", servers, all: servers } as const]]);
    return versionBytes({ program: programOf([rule]), states });
  };
  const changes = (value: string) => [{ set: [{ name: "a", value }], add: [], remove: [] }];
  const base = bytes({ backend: target });
  const header = bytes({ backend: target, requestHeaders: changes("a") }) - base;
  const percents = bytes({ backend: target, requestHeaders: changes("%".repeat(100)) }) - base;
  const another = bytes({ backend: target }, ["192.0.2.1", "192.0.2.2"]) - base;
  const tls = bytes({ backend: { ...target, scheme: "https" } }) - base;
  const path = bytes({ matches: [{ path: { type: "Exact", value: "/a" } }], backend: target }) - base;
  expect(header).toBeGreaterThan(path);
  expect(percents).toBeGreaterThan(header + 5_000);
  expect(another).toBeGreaterThan(3 * header);
  expect(tls).toBeGreaterThan(2 * another);
});
