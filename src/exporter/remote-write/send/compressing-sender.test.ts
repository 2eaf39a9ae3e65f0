import { expect, test } from "vitest";
import { never, smallRequest } from "../../../../test/support/receiver/requests.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { Compression } from "../../policy/spec/types.ts";
import { hasZstd, toZstd } from "../encoding/compression.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { builtCompression, compressing } from "./compressing-sender.ts";

const delivered: Verdict = { kind: "delivered", status: 204 };
const unsupported: Verdict = { kind: "rejected", status: 415, message: "415" };
const hourMs = 3_600_000;

function setUp(setting: Exclude<Compression, "snappy">, state = new EndpointState("1.0")) {
  const clock = new TestClock(0);
  const sent: EncodedRequest[] = [];
  const receiver = { takes: true as boolean | undefined, asked: 0, verdict: delivered };
  const sender = compressing(
    {
      attempt: async (request) => {
        sent.push(request);
        return request.compression === "zstd" ? receiver.verdict : delivered;
      },
    },
    {
      setting,
      state,
      clock,
      toZstd: async (request) => ({ ...request, payload: Buffer.from("zstd"), compression: "zstd" }),
      asksForZstd: async () => {
        receiver.asked++;
        return receiver.takes;
      },
    },
  );
  const send = async () => {
    const verdict = await sender.attempt(smallRequest(), never);
    return [verdict.kind, sent.at(-1)?.compression ?? "snappy"];
  };
  return { clock, receiver, sent, sender, send };
}

test("zstd: the same message, compressed with zstd, without a question", async () => {
  const { receiver, sent, send } = setUp("zstd");
  expect(await send()).toEqual(["delivered", "zstd"]);
  expect(receiver.asked).toBe(0);
  expect(sent[0]).toEqual({ ...smallRequest(), compression: "zstd", payload: Buffer.from("zstd") });
});

test("auto: the receiver is asked once for all", async () => {
  const { receiver, send } = setUp("auto");
  const all = await Promise.all([send(), send(), send()]);
  expect(new Set(all.map(String))).toEqual(new Set(["delivered,zstd"]));
  await send();
  expect(receiver.asked).toBe(1);
});

test("auto: one that does not take it gets snappy, and is asked again after an hour", async () => {
  const { clock, receiver, send } = setUp("auto");
  receiver.takes = false;
  expect(await send()).toEqual(["delivered", "snappy"]);
  receiver.takes = true;
  clock.advance(hourMs - 1);
  expect([await send(), receiver.asked]).toEqual([["delivered", "snappy"], 1]);
  clock.advance(1);
  expect([await send(), receiver.asked]).toEqual([["delivered", "zstd"], 2]);
});

test("auto: one that does not respond gets snappy, and is asked again after a minute", async () => {
  const { clock, receiver, send } = setUp("auto");
  receiver.takes = undefined;
  expect(await send()).toEqual(["delivered", "snappy"]);
  receiver.takes = true;
  clock.advance(60_000);
  expect(await send()).toEqual(["delivered", "zstd"]);
});

test("auto: one that was replaced by another gets the same request with snappy at once", async () => {
  const { receiver, sent, send } = setUp("auto");
  await send();
  receiver.verdict = unsupported;
  expect(await send()).toEqual(["delivered", "snappy"]);
  expect(sent.map(({ compression = "snappy" }) => compression)).toEqual(["zstd", "zstd", "snappy"]);
  expect(await send()).toEqual(["delivered", "snappy"]);
  expect(sent).toHaveLength(4);
});

test("what is refused otherwise is refused", async () => {
  const { receiver, send } = setUp("auto");
  receiver.verdict = { kind: "rejected", status: 400, message: "400" };
  expect(await send()).toEqual(["rejected", "zstd"]);
  const other = setUp("zstd");
  other.receiver.verdict = unsupported;
  expect(await other.send()).toEqual(["rejected", "zstd"]);
});

test("protocol 2.0 stays snappy's", async () => {
  const { sender, sent } = setUp("zstd");
  await sender.attempt({ ...smallRequest(), protocol: "2.0" }, never);
  expect(sent[0]?.compression).toBeUndefined();
});

test("a new body is compressed as the receiver is known to take it", async () => {
  const state = new EndpointState("1.0");
  const built = () =>
    (["snappy", "zstd", "auto"] as const).map((setting) => builtCompression(setting, state));
  expect(built()).toEqual([undefined, "zstd", undefined]);
  await setUp("auto", state).send();
  expect(built()).toEqual([undefined, "zstd", "zstd"]);
  state.forgetZstd(0);
  expect(built()).toEqual([undefined, "zstd", undefined]);
});

test.skipIf(!hasZstd)(
  "a body that was built with zstd is compressed again where the receiver takes snappy",
  async () => {
    const built = await toZstd(smallRequest());
    const { receiver, sent, sender, send } = setUp("auto");
    await send();
    receiver.verdict = unsupported;
    expect((await sender.attempt(built, never)).kind).toBe("delivered");
    expect(sent.slice(1)).toEqual([expect.objectContaining({ compression: "zstd" }), smallRequest()]);
    expect((await sender.attempt(built, never)).kind).toBe("delivered");
    expect(sent.slice(3)).toEqual([smallRequest()]);
  },
);
