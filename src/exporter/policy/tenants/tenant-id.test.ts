import fc from "fast-check";
import { expect, test } from "vitest";
import { tenantIdProblem } from "./tenant-id.ts";

const characters = "must consist of letters, digits, -, _ and .";
const inPath = `${characters}; one : is allowed between digits`;
const mimir = "must not be __mimir_cluster, which is Mimir's own tenant";
const all = "must not be multitenant, which stands for all tenants of a VictoriaMetrics cluster";

test.each<[id: string, header: string | undefined, path: string | undefined]>([
  ["web", undefined, undefined],
  ["Team-A_1.prod", undefined, undefined],
  ["0", undefined, undefined],
  ["4294967295", undefined, undefined],
  ["...", undefined, undefined],
  ["a".repeat(150), undefined, undefined],
  ["a".repeat(151), "must be at most 150 bytes", "must be at most 150 bytes"],
  ["", "must not be empty", "must not be empty"],
  [".", "must not be . or ..", "must not be . or .."],
  ["..", "must not be . or ..", "must not be . or .."],
  ["a|b", characters, inPath],
  ["a/b", characters, inPath],
  ["a\\b", characters, inPath],
  ["%2e%2e", characters, inPath],
  ["a b", characters, inPath],
  ["a\r\nX-Scope-OrgID: b", characters, inPath],
  ["a\n", characters, inPath],
  ["a\0", characters, inPath],
  ["a,b", characters, inPath],
  ["a?b", characters, inPath],
  ["a#b", characters, inPath],
  ["{tenant}", characters, inPath],
  ["ü", characters, inPath],
  ["12:34", characters, undefined],
  ["12:34:56", characters, inPath],
  ["12:", characters, inPath],
  [":34", characters, inPath],
  ["a:1", characters, inPath],
  ["1:2\n", characters, inPath],
  ["__mimir_cluster", mimir, mimir],
  ["__MIMIR_cluster", mimir, mimir],
  ["multitenant", undefined, all],
  ["MultiTenant", undefined, all],
])("%j", (id, header, path) => {
  expect(tenantIdProblem(id, "header")).toBe(header);
  expect(tenantIdProblem(id, "path")).toBe(path);
});

test("an accepted ID is the same text in a header, and a single segment in a path", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("header", "path"),
      (id, form) => {
        if (tenantIdProblem(id, form) !== undefined) return;
        const { pathname } = new URL(`http://store/select/${id}/prometheus`);
        expect(pathname).toBe(`/select/${id}/prometheus`);
        expect(new Headers({ "X-Scope-OrgID": id }).get("X-Scope-OrgID")).toBe(id);
      },
    ),
    { numRuns: 2_000 },
  );
});
