import { describe, expect, test } from "vitest";
import { contrast } from "../../../test/support/daemon/contrast.ts";
import { pageStyle } from "./page-style.ts";

/** The colours of both schemes, parsed from the style sheet. */
const schemes = [...pageStyle.matchAll(/:root \{([^}]*--back[^}]*)\}/g)].map(
  ([, block]) =>
    new Map(
      [...(block ?? "").matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour]),
    ),
);

describe.each([
  ["light", 0],
  ["dark", 1],
])("%s", (_, index) => {
  test.each([
    ["text", "back"],
    ["text", "card"],
    ["quiet", "back"],
    ["quiet", "card"],
    ["link", "back"],
    ["link", "card"],
    ["accent", "accent-back"],
    ["warn", "warn-back"],
    ["text", "accent-back"],
  ])("%s on %s has a contrast of 4.5", (text, back) => {
    const colour = (name: string) => schemes[index]?.get(name) ?? "missing";
    expect(contrast(colour(text), colour(back))).toBeGreaterThanOrEqual(4.5);
  });
});
