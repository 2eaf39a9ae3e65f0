import { describe, expect, test } from "vitest";
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from "./selectors.ts";

describe("label selectors", () => {
  const labels = { app: "web", tier: "front", "example.com/x": "" };
  test.each([
    ["", true],
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app=web, tier=back", false],
    ["app!=web", false],
    ["other!=web", true],
    ["app in (web,api)", true],
    ["app in (api)", false],
    ["app notin (api, db)", true],
    ["other notin (api)", true],
    ["app", true],
    ["other", false],
    ["!other", true],
    ["! app", false],
    ["example.com/x=", true],
    ["example.com/x", true],
    ["constructor", false],
  ])("%s", (text, expected) => {
    const outcome = parseLabelSelector(text);
    expect(outcome.ok && matchesLabels(outcome.requirements, labels)).toBe(expected);
  });

  test.each([
    ["a=b=c"],
    ["a in b"],
    ["a in (b"],
    ["=b"],
    ["a,,b"],
    ["a=-b"],
    ["-a"],
    ["a>1"],
    ["a in (b c)"],
  ])("%s is refused", (text) => {
    expect(parseLabelSelector(text).ok).toBe(false);
  });
});

describe("field selectors", () => {
  const fieldOf = (field: string) => ({ "metadata.name": "a", type: "x,y" })[field] ?? "";
  test.each([
    ["metadata.name=a", true],
    ["metadata.name==a,type=x\\,y", true],
    ["metadata.name!=a", false],
    ["type!=z", true],
    ["", true],
  ])("%s", (text, expected) => {
    const outcome = parseFieldSelector(text);
    expect(outcome.ok && matchesFields(outcome.requirements, fieldOf)).toBe(expected);
  });

  test.each([["metadata.name"], ["=a"], ["a=b=c"]])("%s is refused", (text) => {
    expect(parseFieldSelector(text).ok).toBe(false);
  });
});
