import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conditionReasons } from "./condition-reasons.ts";

test("docs/conditions.md and the table have the same reasons, with the same status and meaning", () => {
  const document = readFileSync(new URL("../../../../docs/conditions.md", import.meta.url), "utf8");
  const documented = [
    ...document.matchAll(/^\| `([A-Za-z]+)` \| `([A-Za-z]+)` \| ([A-Za-z]+) \| (.+?) \|/gm),
  ].map((row) => row.slice(1));
  const known = Object.entries(conditionReasons).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(([reason, { status, meaning }]) => [type, reason, status, meaning]),
  );
  expect(documented).toEqual(known);
});
