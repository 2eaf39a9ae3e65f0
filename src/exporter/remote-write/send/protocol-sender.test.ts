import { describe, expect, test } from "vitest";
import { requestOf } from "../../../../test/support/receiver/encoded.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import type { Protocol } from "../encoding/labels.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { EndpointState, type ProtocolSetting } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { ProtocolSender } from "./protocol-sender.ts";

const never = new AbortController().signal;

const twoSamples = [[seriesOf("up"), samplesAt(1_760_000_000_000, 1_760_000_000_001)]] as const;

const plain: Verdict = { kind: "delivered", status: 204 };
const written = (count: number): Verdict => ({ kind: "delivered", status: 204, written: count });
const rejected = (status: number): Verdict => ({ kind: "rejected", status, message: String(status) });
const partly = (status: number, count: number): Verdict =>
  ({ ...rejected(status), written: count }) as Verdict;
const unavailable: Verdict = { kind: "retry", reason: "server_error", message: "503", responseLost: false };

/** Sends requests one after another to a receiver with the given responses, and records their protocols. */
async function run(setting: ProtocolSetting, verdicts: readonly Verdict[], count = 1) {
  const state = new EndpointState(setting);
  const seen: Protocol[] = [];
  const rest = [...verdicts];
  const inner = {
    attempt: (sent: EncodedRequest) => {
      seen.push(sent.protocol);
      expect(sent.sampleCount).toBe(2);
      return Promise.resolve(rest.shift() ?? plain);
    },
  };
  const sender = new ProtocolSender(inner, state);
  const outcomes: Verdict[] = [];
  for (let n = 0; n < count; n++)
    outcomes.push(await sender.attempt(requestOf(twoSamples, state.protocol), never));
  return { seen, outcomes, state };
}

describe("2.0 is believed only when it is proven", () => {
  test.each<[string, ProtocolSetting, Verdict[], Protocol[], Verdict]>([
    ["1.0 stays 1.0", "1.0", [rejected(415)], ["1.0"], rejected(415)],
    ["counts prove it", "2.0", [written(2)], ["2.0"], written(2)],
    ["a 2xx without counts: again as 1.0", "2.0", [plain, plain], ["2.0", "1.0"], plain],
    ["a 400 before the proof: again as 1.0", "2.0", [rejected(400), plain], ["2.0", "1.0"], plain],
    ["a 415: again as 1.0", "2.0", [rejected(415), plain], ["2.0", "1.0"], plain],
    [
      "the payload's own fault shows in 1.0",
      "2.0",
      [rejected(400), rejected(400)],
      ["2.0", "1.0"],
      rejected(400),
    ],
    ["a 400 with counts proves it too", "2.0", [partly(400, 1)], ["2.0"], partly(400, 1)],
    ["one that wrote nothing may be halved", "2.0", [partly(400, 0)], ["2.0"], rejected(400)],
    ["more than was sent was not written", "2.0", [partly(400, 9)], ["2.0"], partly(400, 2)],
    ["a 415 is no proof, whatever it counts", "2.0", [partly(415, 1), plain], ["2.0", "1.0"], plain],
    ["to 1.0 a count says nothing", "1.0", [partly(400, 1)], ["1.0"], rejected(400)],
    ["no response proves nothing", "2.0", [unavailable], ["2.0"], unavailable],
    ["a 422 is about the payload", "2.0", [rejected(422)], ["2.0"], rejected(422)],
    ["auto begins with 1.0", "auto", [plain], ["1.0"], plain],
    ["auto tries 2.0 after a 415", "auto", [rejected(415), written(2)], ["1.0", "2.0"], written(2)],
    [
      "auto goes back where that is no better",
      "auto",
      [rejected(415), rejected(415), rejected(415)],
      ["1.0", "2.0", "1.0"],
      rejected(415),
    ],
  ])("%s", async (_, setting, verdicts, protocols, outcome) => {
    const { seen, outcomes } = await run(setting, verdicts);
    expect(seen).toEqual(protocols);
    expect(outcomes).toEqual([outcome]);
  });
});

test("what was not written is reported, and not taken for delivered", async () => {
  const { outcomes } = await run("2.0", [written(1)]);
  expect(outcomes).toEqual([{ kind: "delivered", status: 204, written: 1, unwritten: 1 }]);
});

test("1.0 stays for an endpoint that turned 2.0 down", async () => {
  const { seen, state } = await run("2.0", [plain, plain, plain], 2);
  expect(seen).toEqual(["2.0", "1.0", "1.0"]);
  expect(state.protocol).toBe("1.0");
});

test("after the proof a 400 is about the payload", async () => {
  const { seen, outcomes } = await run("2.0", [written(2), rejected(400)], 2);
  expect(seen).toEqual(["2.0", "2.0"]);
  expect(outcomes[1]).toEqual(rejected(400));
});

test("a proven endpoint that was replaced by an older receiver is found out", async () => {
  const { seen, state } = await run("2.0", [written(2), plain, plain], 2);
  expect(seen).toEqual(["2.0", "2.0", "1.0"]);
  expect(state.protocol).toBe("1.0");
});

test("the request that proves goes alone; the others wait for what it shows", async () => {
  const state = new EndpointState("2.0");
  const seen: Protocol[] = [];
  let open = 0;
  let most = 0;
  const inner = {
    attempt: async (sent: EncodedRequest) => {
      seen.push(sent.protocol);
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return seen.length <= 1 ? rejected(415) : plain;
    },
  };
  const sender = new ProtocolSender(inner, state);
  await Promise.all([1, 2, 3].map(() => sender.attempt(requestOf(twoSamples, "2.0"), never)));
  expect(seen).toEqual(["2.0", "1.0", "1.0", "1.0"]);
  expect(most).toBe(1);
});
