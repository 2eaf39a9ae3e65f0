import { expect, test } from "vitest";
import { configMapKind } from "../kinds/config-map.ts";
import { secretKind } from "../kinds/secret.ts";
import { waitsFor } from "./in-use-controller.ts";

const users = { reference: "uses:a", kinds: [configMapKind, secretKind] };
const none = { count: 0, keys: [] };
const start = "The deletion waits until nothing uses the object any more: ";

test.each([
  [[none, none], undefined],
  [[none, { count: 1, keys: ["secrets/x/s"] }], `${start}1 secrets (x/s)`],
  [
    [
      { count: 4, keys: ["configmaps/x/a", "configmaps/x/b", "configmaps/y/a"] },
      { count: 2, keys: ["secrets/x/s", "secrets/x/t"] },
    ],
    `${start}4 configmaps (x/a, x/b, y/a, …) and 2 secrets (x/s, x/t)`,
  ],
])("what a deletion waits for: %j", (found, message) => {
  expect(waitsFor(users, found)).toBe(message);
});
