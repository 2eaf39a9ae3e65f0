import { expect, test } from "vitest";
import { type Fault, type FaultProxy, startFaultProxy } from "../support/net/fault-proxy.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { smallRequest } from "../support/receiver/requests.ts";
import { setUpEach } from "../support/set-up.ts";

let receiver: Receiver;
let proxy: FaultProxy;
let lost: number;

setUpEach(async ({ keep }) => {
  receiver = await keep(startReceiver());
  proxy = await keep(startFaultProxy(receiver.port));
  lost = 0;
  proxy.onLost(() => lost++);
});

async function send(): Promise<number | string> {
  const body = new Uint8Array(smallRequest(3).payload);
  return fetch(`${proxy.url}/api/v1/write`, {
    method: "POST",
    body,
    signal: AbortSignal.timeout(1_000),
  }).then(
    ({ status }) => status,
    () => "no response",
  );
}

test.each<[Fault, number | string, number, number]>([
  [{ kind: "pass" }, 204, 3, 0],
  [{ kind: "late", delayMs: 10 }, 204, 3, 0],
  [{ kind: "response", status: 503, headers: { "retry-after": "1" } }, 503, 0, 0],
  [{ kind: "reset", afterBytes: 10 }, "no response", 0, 0],
  [{ kind: "lose-response" }, "no response", 3, 1],
  [{ kind: "hang" }, "no response", 0, 0],
  [{ kind: "cut", afterBytes: 5, by: "reset" }, "no response", 3, 1],
  [{ kind: "cut", afterBytes: 5, by: "end" }, "no response", 3, 1],
])("%o: %s, %d samples stored, %d responses lost", async (fault, response, stored, lostAnswers) => {
  const faults = [fault];
  proxy.plan(() => faults.shift() ?? { kind: "pass" });
  expect(await send()).toBe(response);
  expect(receiver.samples().size).toBe(stored);
  // The next request gets through.
  expect(await send()).toBe(204);
  expect(lost).toBe(lostAnswers);
  expect(proxy.requests).toBe(2);
});

test("down refuses connections, up takes them on the same port", async () => {
  expect(await send()).toBe(204);
  await proxy.down();
  expect(await send()).toBe("no response");
  await proxy.up();
  expect(await send()).toBe(204);
});

test("when the client dies or the way breaks, what got a response just before counts as lost", async () => {
  for (let count = 0; count < 3; count++) expect(await send()).toBe(204);
  proxy.clientDied(2);
  expect(lost).toBe(2);
  // Reported once each.
  proxy.clientDied(2);
  expect(lost).toBe(2);
  expect(await send()).toBe(204);
  await proxy.down();
  expect(lost).toBe(3);
  await proxy.up();
  expect([proxy.requests, proxy.answered]).toEqual([4, 4]);
});
