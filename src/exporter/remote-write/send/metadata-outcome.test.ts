import { expect, test } from "vitest";
import { verdictOf } from "../../../../test/support/receiver/requests.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { metadataOutcome } from "./metadata-outcome.ts";

test.each([
  { outcome: "delivered", statuses: [200, 202, 204] },
  // Only these are about the metadata.
  {
    outcome: "refused",
    statuses: [400, 402, 405, 406, 409, 410, 411, 413, 414, 415, 422, 426, 431, 451, 499],
  },
  { outcome: "failed", statuses: [401, 403, 404, 407, 408, 425, 429] },
  { outcome: "failed", statuses: [301, 302, 307, 308, 500, 501, 502, 503, 504, 599, 600] },
])("$outcome: $statuses", ({ outcome, statuses }) => {
  for (const status of statuses)
    expect([status, metadataOutcome(verdictOf(status)).kind]).toEqual([status, outcome]);
});

test.each<{ name: string; verdict: Verdict }>([
  { name: "no response", verdict: { kind: "retry", reason: "connect", message: "m", responseLost: false } },
  { name: "a blocked address", verdict: { kind: "forbidden", message: "m" } },
  { name: "an unreadable token", verdict: { kind: "suspended", status: undefined, message: "m" } },
  { name: "a stop", verdict: { kind: "aborted", responseLost: true } },
])("$name is a failure", ({ verdict }) => {
  expect(metadataOutcome(verdict)).toEqual({ kind: "failed", message: expect.any(String) });
});

test("the operator's version of a message is for the log", () => {
  const verdict = { kind: "forbidden", message: "blocked", detail: "10.0.0.1 is blocked" } as const;
  expect(metadataOutcome(verdict)).toEqual({ kind: "failed", message: "10.0.0.1 is blocked" });
});
