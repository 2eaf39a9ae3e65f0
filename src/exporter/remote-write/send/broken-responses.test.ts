import { expect, test } from "vitest";
import { smallRequest } from "../../../../test/support/receiver/requests.ts";
import { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { suspendingWhenBroken } from "./broken-responses.ts";

const broken: Verdict = { kind: "retry", reason: "invalid_answer", message: "no HTTP", responseLost: true };
const odd: Verdict = { ...broken, status: 199, responseLost: false };
const lost: Verdict = { ...broken, reason: "connection_lost" };
const delivered: Verdict = { kind: "delivered", status: 204 };
const refused: Verdict = { kind: "rejected", status: 400, message: "400" };
const unreadable: Verdict = { kind: "suspended", status: undefined, message: "no token" };
const four = [broken, broken, broken, broken];

test.each<[string, Verdict[], string]>([
  ["four in a row", four, "retry"],
  ["five", [...four, broken], "suspended"],
  ["every further one", [...four, broken, broken], "suspended"],
  ["a readable one in between", [...four, delivered, broken], "retry"],
  ["a refusal in between", [...four, refused, broken], "retry"],
  ["an odd status in between", [...four, odd, broken], "retry"],
  ["a lost connection says nothing", [...four, lost, broken], "suspended"],
  ["nor does a request that was not made", [...four, unreadable, broken], "suspended"],
  ["a suspension ends with a readable one", [...four, broken, delivered, broken], "retry"],
])("%s", async (_, verdicts, expected) => {
  const state = new EndpointState("1.0");
  let last: Verdict | undefined;
  for (const verdict of verdicts) {
    // The state is the endpoint's, whichever of its sinks sends.
    const sender = suspendingWhenBroken({ attempt: async () => verdict }, state);
    last = await sender.attempt(smallRequest(), new AbortController().signal);
  }
  expect(last).toMatchObject({ kind: expected, responseLost: true });
});
