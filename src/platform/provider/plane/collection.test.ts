import { expect, test } from "vitest";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { Collection } from "./collection.ts";

const object = (resourceVersion: string, status?: string): PlaneObject => ({
  metadata: { namespace: "default", name: "a", resourceVersion },
  status,
});

/** A collection that knows version 5, and the versions of which it told. */
function collection() {
  const told: unknown[] = [];
  const all = new Collection("/x", ({ before, after, isKnown }) => {
    if (!isKnown) told.push([before?.["status"], after?.["status"]]);
  });
  all.take({ kind: "swap", items: [object("5", "allocating")] });
  told.length = 0;
  return { all, told, now: () => all.get("default/a")?.["status"] };
}

test("what was read after a conflict is reported, and not again when the watch brings it", () => {
  const { all, told, now } = collection();
  all.notice(object("7", "allocated"));
  expect(told).toEqual([["allocating", "allocated"]]);
  all.take({ kind: "put", object: object("6", "allocating") });
  all.take({ kind: "put", object: object("7", "allocated") });
  expect(now()).toBe("allocated");
  expect(told).toHaveLength(1);
  all.take({ kind: "put", object: object("10", "gone wrong") });
  expect(told).toHaveLength(2);
});

test("the response to an own write is not reported; one that comes late replaces nothing newer", () => {
  const { all, told, now } = collection();
  all.keep(object("6", "programmed"));
  expect([now(), told]).toEqual(["programmed", []]);
  all.take({ kind: "put", object: object("8", "edited") });
  all.keep(object("7", "programmed"));
  expect(now()).toBe("edited");
  all.take({ kind: "delete", object: object("9") });
  all.keep(object("8", "edited"));
  expect(now()).toBeUndefined();
});

test("a list replaces everything, also by older versions", () => {
  const { all, now } = collection();
  all.take({ kind: "swap", items: [object("3", "restored")] });
  expect(now()).toBe("restored");
});
