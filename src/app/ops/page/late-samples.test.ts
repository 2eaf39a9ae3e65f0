import { expect, test } from "vitest";
import { lateRejectionText, lateText, lateTile } from "./late-samples.ts";

const none = { late: 0, lateRejected: 0, uncheckedSeconds: 0 };
const nowMs = Date.UTC(2026, 10, 20, 12);

test.each([
  ["none", none, undefined],
  ["delivered", { ...none, late: 1_234 }, "1,234 delivered, 0 refused"],
  ["refused", { ...none, lateRejected: 12 }, "0 delivered, 12 refused"],
  ["unchecked", { ...none, uncheckedSeconds: 300 }, "0 delivered, 0 refused, 5m not checked"],
])("a sink's late samples: %s", (_, counts, expected) => {
  expect(lateText(counts)).toBe(expected);
});

test("refused late samples: the remedy, and the receiver's last response", () => {
  expect(lateRejectionText(none, nowMs)).toBeUndefined();
  expect(lateRejectionText({ lateRejected: 1 }, nowMs)).toBe(
    "1 late sample was refused by the receiver; a Prometheus takes it with storage.tsdb.out_of_order_time_window",
  );
  const lastLateRejection = { at: new Date(nowMs - 60_000).toISOString(), message: "HTTP 400: out of order" };
  expect(lateRejectionText({ lateRejected: 12, lastLateRejection }, nowMs)).toBe(
    "12 late samples were refused by the receiver; a Prometheus takes them with storage.tsdb.out_of_order_time_window. Its last response, 60s ago: HTTP 400: out of order",
  );
});

test("the tile of all sinks is there when it has something to say", () => {
  expect(lateTile([])).toBe(false);
  expect(lateTile([none, none])).toBe(false);
  const markupOf = (...sinks: (typeof none)[]) => (lateTile(sinks) || undefined)?.markup;
  expect(markupOf({ ...none, late: 3 }, { ...none, late: 4 })).toMatch(
    /figure" title="7">7<[\s\S]*none refused/,
  );
  expect(markupOf({ ...none, late: 3, lateRejected: 2, uncheckedSeconds: 60 })).toContain(
    "2 late samples were refused by the receiver; a Prometheus takes them with storage.tsdb.out_of_order_time_window; 60s not checked",
  );
});
