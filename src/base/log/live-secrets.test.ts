import { expect, test } from "vitest";
import { LiveSecrets } from "./live-secrets.ts";

const graceMs = 600_000;

test("a secret that was replaced stays known for a while", () => {
  let nowMs = 0;
  const live = new LiveSecrets(() => nowMs);
  live.hold("file /token", ["first-token"]);
  live.hold("file /token", ["second-token"]);
  expect(live.mask("first-token second-token")).toBe("*** ***");
  nowMs = graceMs - 1;
  expect(live.mask("first-token second-token")).toBe("*** ***");
  nowMs = graceMs;
  expect(live.mask("first-token second-token")).toBe("first-token ***");
  live.hold("file /token", []);
  expect(live.mask("second-token")).toBe("***");
  nowMs = 2 * graceMs;
  expect(live.mask("second-token")).toBe("second-token");
});

test("one that comes back, or that another owner has too, is not forgotten", () => {
  let nowMs = 0;
  const live = new LiveSecrets(() => nowMs);
  for (const token of ["first-token", "second-token", "first-token"]) live.hold("a", [token]);
  live.hold("b", ["second-token"]);
  nowMs = graceMs;
  expect(live.mask("first-token second-token")).toBe("*** ***");
});

test("however often one is replaced, there is a bound to what is remembered", () => {
  const live = new LiveSecrets(() => 0);
  live.hold("other", ["the-secret-of-another"]);
  for (let round = 0; round < 2_000; round++) live.hold("a", [`${round}-`.repeat(400)]);
  expect(live.mask("0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-")).not.toContain("***");
  expect(live.mask("the-secret-of-another")).toBe("***");
});
