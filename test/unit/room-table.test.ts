import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

/** The table of rooms in ARCHITECTURE.md, the import rules and the folders of src/ agree. */

interface Rule {
  readonly from: { readonly path?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string };
}

const root = new URL("../../", import.meta.url);
const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
  forbidden: Rule[];
};

/** The allowed imports of each room, by the rules. */
function importsByRules(): Map<string, string[]> {
  const imports = new Map<string, string[]>();
  for (const { from, to } of forbidden) {
    const room = /^\^src\/(\w+\/[\w-]+)\/$/.exec(from.path ?? "")?.[1];
    const allowed = /^\^src\/\(([^)]+)\)\/$/.exec(to.pathNot ?? "")?.[1];
    if (room === undefined || allowed === undefined) continue;
    imports.set(
      room,
      allowed.split("|").filter((other) => other !== room),
    );
  }
  return imports;
}

function importsByTable(): Map<string, string[]> {
  const text = readFileSync(new URL("ARCHITECTURE.md", root), "utf8");
  const rows = text.matchAll(/^\| `(\w+\/[\w-]+)` \| [^|]+ \| ([^|]+) \|$/gm);
  return new Map(
    [...rows].map(([, room = "", others = ""]) => [room, others === "nothing" ? [] : others.split(", ")]),
  );
}

test("the table of ARCHITECTURE.md says what the rules say", () => {
  expect(importsByTable()).toEqual(importsByRules());
});

test("each file below a group is in a room, and each room has files", () => {
  const files = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" });
  const rooms = files
    .filter((file) => /^\w+\/.*\.ts$/.test(file))
    .map((file) => file.split("/", 2).join("/"));
  expect([...new Set(rooms)].sort()).toEqual([...importsByRules().keys()].sort());
});
