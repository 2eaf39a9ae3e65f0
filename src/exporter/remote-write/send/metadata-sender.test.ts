import { expect, test } from "vitest";
import { verdictOf } from "../../../../test/support/receiver/requests.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { FamilyMetadata } from "../encoding/metadata-request.ts";
import { EndpointState } from "../endpoint/endpoint-state.ts";
import { MetadataSender } from "./metadata-sender.ts";
import { RemoteWriteMetrics } from "./metrics.ts";

/** More than one request. */
const families: readonly FamilyMetadata[] = Array.from({ length: 1_200 }, (_, index) => ({
  ...{ family: `f${index}`, type: "gauge", help: "", unit: "" },
}));

function senderWith(statuses: readonly number[]) {
  const clock = new TestClock(0);
  const state = new EndpointState("1.0");
  const metrics = new RemoteWriteMetrics();
  const rest = [...statuses];
  const sender = new MetadataSender(
    { attempt: async () => verdictOf(rest.shift() ?? 599, "no metadata") },
    { clock, state, metrics },
  );
  const send = () => sender.send(families, new AbortController().signal);
  return { clock, state, metrics, send, unused: rest };
}

test("all requests are sent while the receiver accepts them", async () => {
  const { send, state, metrics, unused } = senderWith([204, 204, 204]);
  expect(await send()).toEqual({ kind: "delivered" });
  expect([unused, state.takesMetadata(0)]).toEqual([[], true]);
  const text = await metrics.registry.metrics();
  expect(text).toContain('telemetryd_remote_write_metadata_requests_total{outcome="delivered"} 3\n');
  expect(text).toContain("telemetryd_remote_write_metadata_families_total 1200\n");
  expect(text).toContain('telemetryd_remote_write_requests_total{outcome="delivered"} 0\n');
});

test("a failure ends the sending, and is not remembered", async () => {
  const { send, state, metrics, unused } = senderWith([204, 503, 204]);
  expect(await send()).toMatchObject({ kind: "failed" });
  expect([unused, state.takesMetadata(0)]).toEqual([[204], true]);
  expect(await metrics.registry.metrics()).toContain("metadata_families_total 500\n");
});

test("a refusal is remembered for an hour, and says nothing of the size of requests", async () => {
  const { send, state, clock } = senderWith([400]);
  expect(await send()).toEqual({ kind: "refused", message: '400 "no metadata"' });
  clock.advance(3_600_000);
  expect(state.takesMetadata(clock.monotonicMs())).toBe(false);
  clock.advance(1);
  expect(state.takesMetadata(clock.monotonicMs())).toBe(true);
  expect(state.maxRequest(0).bytes).toBe(Infinity);
});
