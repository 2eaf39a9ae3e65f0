import fc from "fast-check";
import { expect, test } from "vitest";
import { programOf, type RuleParts } from "../../../test/support/gateway/route-program.ts";
import { BackendResolver } from "./backend-addresses.ts";
import { HeldPrograms } from "./held-programs.ts";
import { type Placement, placementChange, placementOfLoad } from "./placement.ts";

const backend = { scheme: "http", host: "1.2.3.4", port: 80 } as const;

const uids = programOfCount(4);

function programOfCount(count: number): readonly string[] {
  return Array.from({ length: count }, () => programOf([]).gateway);
}

/** An edit of the gateway at a place: its backend's address and port, a program that is not plain, or none. */
const edit = fc.tuple(
  fc.nat(uids.length - 1),
  fc.oneof(
    fc.record({ host: fc.constantFrom("1.1.1.1", "2.2.2.2"), port: fc.constantFrom(80, 81) }),
    fc.constantFrom("conditional", "gone"),
  ),
);

test("a slot has one owner in its life, and each plain program the addresses of its own backend", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(edit, fc.constant("load")), { maxLength: 80 }), async (steps) => {
      const programs = new HeldPrograms(
        new BackendResolver({ egress: { deny: [], allow: [] }, lookup: async () => [], own: [] }),
      );
      let loads = 0;
      const load = (): Placement => placementOfLoad(`l${loads++}`, programs.all(), programs.versions());
      let placement = load();
      const owners = new Map<string, string>();
      for (const step of steps) {
        if (step === "load") placement = load();
        else {
          const [place, what] = step;
          const gateway = uids[place] ?? "";
          if (what === "gone") programs.apply([], [gateway]);
          else {
            const rules = typeof what === "string" ? [{ matches: [{ method: "GET" }], backend }] : [to(what)];
            programs.apply([{ ...programOf(rules), gateway }], []);
          }
          await programs.resolve(0);
          placement = placementChange(
            placement,
            programs.all(),
            programs.versions(),
            programs.changed(),
          ).next;
        }
        for (const [slot, gateway] of placement.owners) {
          expect(owners.get(slot) ?? gateway).toBe(gateway);
          owners.set(slot, gateway);
        }
        for (const [gateway, { held, plain }] of placement.places) {
          if (plain === undefined) continue;
          expect(placement.owners.get(plain.slot.name)).toBe(gateway);
          expect(held?.program.gateway).toBe(gateway);
          const action = held?.program.rules[0]?.action;
          const backend = action?.type === "forward" ? action.backend : undefined;
          expect(plain.route.servers).toEqual({ addresses: [backend?.host], port: backend?.port });
          expect(plain.servers).toEqual(plain.route.servers);
        }
      }
    }),
  );
});

function to(address: { readonly host: string; readonly port: number }): RuleParts {
  return { backend: { scheme: "http", ...address } };
}
