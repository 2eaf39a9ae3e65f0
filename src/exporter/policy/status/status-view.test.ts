import { describe, expect, test } from "vitest";
import type { Condition } from "./conditions.ts";
import { lateRejectedAdvice, publicEndpoint, shownError, sinkHealth } from "./status-view.ts";

function condition(type: Condition["type"], status: Condition["status"], reason: string): Condition {
  return {
    type,
    status,
    reason,
    message: "",
    observedGeneration: 1,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
}

describe("sinkHealth", () => {
  const accepted = condition("Accepted", "True", "SinkConfigured");
  test.each([
    ["nothing known yet", [], "starting"],
    ["accepted, not yet delivering", [accepted], "starting"],
    ["unknown", [accepted, condition("Delivering", "Unknown", "Starting")], "starting"],
    ["up to date", [accepted, condition("Delivering", "True", "UpToDate")], "up-to-date"],
    ["catching up", [accepted, condition("Delivering", "True", "CatchingUp")], "catching-up"],
    ["retrying", [accepted, condition("Delivering", "False", "Retrying")], "retrying"],
    ["suspended", [accepted, condition("Delivering", "False", "Suspended")], "failing"],
    ["source away", [accepted, condition("Delivering", "False", "SourceUnavailable")], "failing"],
    ["paused", [accepted, condition("Delivering", "False", "Paused")], "paused"],
    [
      "refused, whatever it did before",
      [condition("Accepted", "False", "InvalidAuthentication"), condition("Delivering", "True", "UpToDate")],
      "failing",
    ],
  ])("%s", (_, conditions, expected) => {
    expect(sinkHealth({ conditions })).toBe(expected);
  });
});

test.each([
  [[], undefined],
  [[0, 0], undefined],
  [[0, 1], /^1 late sample was refused by the receiver; a Prometheus takes it with storage\.tsdb\.out_of/],
  [[1_000, 234], /^1,234 late samples were refused by receivers; a Prometheus takes them with /],
])("advice on late samples that were refused, of sinks: %j", (counts, expected) => {
  const advice = lateRejectedAdvice(counts.map((lateRejected) => ({ lateRejected })));
  if (expected === undefined) expect(advice).toBeUndefined();
  else expect(advice).toMatch(expected);
});

test.each([
  ["https://user:secret@mimir.example.com/api/v1/push?token=x#y", "https://mimir.example.com/api/v1/push"],
  ["http://127.0.0.1:9090/api/v1/write", "http://127.0.0.1:9090/api/v1/write"],
  ["http://[::1]:9090/", "http://[::1]:9090/"],
  ["secret", "(not a URL)"],
])("publicEndpoint(%s)", (url, expected) => {
  expect(publicEndpoint(url)).toBe(expected);
});

test.each([
  ["Accepted", "InvalidSource", "the condition"],
  ["Delivering", "SourceUnavailable", "the condition"],
  ["Delivering", "Retrying", "HTTP 500"],
] as const)("shown of a sink in trouble: %s False, %s", (type, reason, message) => {
  const lastError = { at: "2026-01-01T00:00:00Z", message: "HTTP 500" };
  const conditions = [{ ...condition(type, "False", reason), message: "the condition" }];
  expect(shownError({ conditions, lastError })?.message).toBe(message);
});

test.each([
  ["an error of the present trouble", "Retrying", "2026-01-01T00:00:00Z", "HTTP 500"],
  ["an error from before it", "Retrying", "2026-01-01T00:00:01Z", "the condition"],
  ["an error from before a pause", "Paused", "2026-01-01T00:00:01Z", "HTTP 500"],
])("shown of a sink in trouble: %s", (_, reason, stateSince, message) => {
  const lastError = { at: "2026-01-01T00:00:00Z", message: "HTTP 500" };
  const conditions = [{ ...condition("Delivering", "False", reason), message: "the condition" }];
  expect(shownError({ conditions, lastError, stateSince })?.message).toBe(message);
});
