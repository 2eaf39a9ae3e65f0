import { beforeEach, expect, test } from "vitest";
import { FakePlane } from "../../../../test/support/plane/fake-plane.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { createLogger } from "../../../base/log/log.ts";
import { createEventWriter, type EventWriter } from "./event-writer.ts";
import type { EventReport } from "./kube-event.ts";

const { signal } = new AbortController();
const subject = {
  ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy" },
  ...{ namespace: "shop", name: "orders", uid: "u1" },
};
const retrying: EventReport = { type: "Warning", reason: "Retrying", message: "s: HTTP 503" };

let plane: FakePlane;
let clock: TestClock;
let warnings: string[];
let writer: EventWriter;

beforeEach(() => {
  plane = new FakePlane();
  clock = new TestClock(Date.UTC(2026, 10, 20, 12));
  warnings = [];
  writer = newWriter();
});

function newWriter(): EventWriter {
  const log = createLogger("warn", { write: (line) => warnings.push(line) }, false);
  const clientOf = (name: string) => (name === "web" ? plane : undefined);
  return createEventWriter({ component: "telemetryd", clientOf, clock, log });
}

const report = (fields: Partial<EventReport> = {}, topic = "s", by = writer) =>
  by.report("web", subject, topic, { ...retrying, ...fields });

/** Runs the writer for a while, tick by tick. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
    clock.advance(Math.min(1_000, leftMs));
    await writer.tick(signal);
  }
}

const events = () => [...plane.objects.values()].map((event) => event as Record<string, never>);

test("an event is a core/v1 Event about the object", async () => {
  report();
  await writer.tick(signal);
  expect(events()).toEqual([
    {
      ...{ apiVersion: "v1", kind: "Event" },
      metadata: { name: expect.stringMatching(/^orders\.[0-9a-f]{16}$/), resourceVersion: "1" },
      involvedObject: subject,
      ...{ type: "Warning", reason: "Retrying", message: "s: HTTP 503", count: 1 },
      ...{ firstTimestamp: "2026-11-20T12:00:00Z", lastTimestamp: "2026-11-20T12:00:00Z" },
      source: { component: "telemetryd" },
      reportingComponent: "telemetryd",
    },
  ]);
});

test("one that occurs again is counted, and has the newest message", async () => {
  for (const message of ["s: HTTP 503", "s: HTTP 500", "s: HTTP 502"]) {
    report({ message });
    await pass(10_000);
  }
  expect(events()).toMatchObject([
    {
      ...{ message: "s: HTTP 502", count: 3 },
      ...{ firstTimestamp: "2026-11-20T12:00:00Z", lastTimestamp: "2026-11-20T12:00:20Z" },
    },
  ]);
});

test("several writers share an event and its count, without reading it", async () => {
  const other = newWriter();
  const methods = new Set<string>();
  plane.refuses = (method) => void methods.add(method);
  for (const by of [writer, other, writer, other, newWriter()]) {
    report({}, "s", by);
    await by.tick(signal);
  }
  expect(events()).toMatchObject([{ count: 5 }]);
  expect([...methods].sort()).toEqual(["PATCH", "POST"]);
});

test("one that the control plane has deleted meanwhile begins again", async () => {
  report();
  await writer.tick(signal);
  plane.objects.clear();
  await pass(3_600_000);
  report();
  await writer.tick(signal);
  expect(events()).toMatchObject([{ count: 1, firstTimestamp: "2026-11-20T13:00:00Z" }]);
});

test("reasons and topics are events of their own", async () => {
  report();
  report({}, "t");
  report({ reason: "Suspended" });
  await writer.tick(signal);
  expect(events()).toHaveLength(3);
});

test("25 writes at once, then one in five minutes, and what happens in between is counted", async () => {
  for (let second = 0; second < 60; second++) {
    report();
    await pass(1_000);
  }
  expect(plane.writes).toHaveLength(25);
  expect(events()).toMatchObject([{ count: 25 }]);
  await pass(300_000);
  expect(plane.writes).toHaveLength(26);
  expect(events()).toMatchObject([{ count: 60, lastTimestamp: "2026-11-20T12:00:59Z" }]);
});

test("other objects have their own budget", async () => {
  for (let second = 0; second < 40; second++) {
    report();
    await pass(1_000);
  }
  writer.report("web", { ...subject, name: "other", uid: "u2" }, "s", retrying);
  await writer.tick(signal);
  expect(events()).toMatchObject([{}, { involvedObject: { name: "other" }, count: 1 }]);
});

test.each([429, 500, "away"])("a control plane that is %s gets the event a minute later", async (trouble) => {
  if (trouble === "away") plane.isUnavailable = true;
  else plane.refuses = () => Number(trouble);
  report();
  await writer.tick(signal);
  report();
  plane.isUnavailable = false;
  plane.refuses = () => undefined;
  await pass(59_000);
  expect(events()).toEqual([]);
  await pass(1_000);
  expect(events()).toMatchObject([{ count: 2 }]);
  expect(warnings).toHaveLength(1);
});

test("what is older than an hour is not written", async () => {
  plane.isUnavailable = true;
  report();
  await pass(3_660_000);
  plane.isUnavailable = false;
  await pass(120_000);
  expect(events()).toEqual([]);
});

test("a refusal is logged once in ten minutes, and not tried again", async () => {
  let requests = 0;
  plane.refuses = () => {
    requests++;
    return 403;
  };
  for (let times = 0; times < 5; times++) {
    report();
    await pass(60_000);
  }
  expect(requests).toBe(5);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("delivery is not affected");
  await pass(600_000);
  report();
  await writer.tick(signal);
  expect(warnings).toHaveLength(2);
});

test("a control plane that is gone costs nothing", async () => {
  writer.report("gone", subject, "s", retrying);
  await writer.tick(signal);
  expect([events(), warnings]).toEqual([[], []]);
});

test("messages are bounded and hold no credentials; names are those of Kubernetes", async () => {
  const name = `${"a".repeat(229)}.${"b".repeat(23)}`;
  const message = `s: https://user:hunter2@receiver.example.com/ ${"x".repeat(2_000)}`;
  writer.report("web", { ...subject, name }, "s", { ...retrying, message });
  await writer.tick(signal);
  const [event] = events() as unknown as { message: string; metadata: { name: string } }[];
  expect(event?.message).toHaveLength(1_024);
  expect(event?.message).not.toContain("hunter2");
  expect(event?.metadata.name).toMatch(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)*[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
});
