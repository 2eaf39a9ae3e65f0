import { expect, test } from "vitest";
import { askAgainMs, type Claim, type ClaimStep, claimStep, parseClaim, responseMs } from "./claim.ts";

const never = Number.POSITIVE_INFINITY;

test.each<[string, Claim | undefined, number, number, ClaimStep]>([
  ["nobody's", undefined, 0, never, { kind: "write", claim: { holder: "me" } }],
  ["mine", { holder: "me" }, 0, never, { kind: "held" }],
  [
    "mine, and asked for",
    { holder: "me", challenger: "you" },
    0,
    never,
    { kind: "write", claim: { holder: "me" } },
  ],
  ["another's", { holder: "you" }, 0, never, { kind: "write", claim: { holder: "you", challenger: "me" } }],
  [
    "another's, that answered",
    { holder: "you" },
    0,
    5_000,
    { kind: "wait", holder: "you", ms: askAgainMs - 5_000 },
  ],
  [
    "asked for",
    { holder: "you", challenger: "me" },
    1,
    1,
    { kind: "wait", holder: "you", ms: responseMs - 1 },
  ],
  [
    "unanswered",
    { holder: "you", challenger: "me" },
    responseMs,
    responseMs,
    { kind: "write", claim: { holder: "me" } },
  ],
  [
    "asked for by a third",
    { holder: "you", challenger: "her" },
    0,
    never,
    { kind: "wait", holder: "you", ms: 2 * responseMs },
  ],
  [
    "a third that is gone",
    { holder: "you", challenger: "her" },
    2 * responseMs,
    never,
    { kind: "write", claim: { holder: "you", challenger: "me" } },
  ],
])("a location that is %s", (_, claim, unchangedMs, askedMsAgo, step) => {
  expect(claimStep(claim, "me", { unchangedMs, askedMsAgo })).toEqual(step);
});

test.each([undefined, "", "null", "[]", '{"holder":1}', `{"holder":"${"x".repeat(2_000)}"}`])(
  "an annotation that is no claim: %s",
  (text) => {
    expect(parseClaim(text)).toBeUndefined();
  },
);
