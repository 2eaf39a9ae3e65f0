import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { busyDaemon } from "../../../../../test/support/daemon/daemon-status.ts";
import { screenLines, type WatchState } from "./screen-lines.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const status = busyDaemon(5, nowMs);
const plain = { wide: false, sort: "name" } as const;
const live: WatchState = { host: "127.0.0.1:9464", latest: { status, atMs: nowMs } };
const lines = (state: WatchState, columns: number, rows: number, laterMs = 0) =>
  screenLines(state, plain, { columns, rows }, nowMs + laterMs);

describe("screenLines", () => {
  test("everything fits", () => {
    expect(lines(live, 110, 20).join("\n")).toMatchInlineSnapshot(`
      "telemetryd 0.1.0 at 127.0.0.1:9464   2 failing, 4 up-to-date                                         12:00:00Z

      NAMESPACE   POLICY             SINK         READY   DELIVERING   LAG     DELIVERED   REJECTED   AGE     LAST E
      lab         probe              -            False   -            -       -           -          95s     spec.s
      payments    payments-metrics   mimir        True    Suspended    31m     158M        0          15m     HTTP 4
      payments    payments-metrics   prometheus   True    UpToDate     14s     24M         137        15m     -
      shop        shop-metrics       mimir        True    UpToDate     14s     90.5M       0          15m     -
      web         web-metrics        mimir        True    UpToDate     12s     56.6M       0          15m     -
      web         web-metrics        prometheus   True    UpToDate     9s      347M        0          15m     -"
    `);
  });

  test("a small terminal: lines are cut, rows are counted, the time stays", () => {
    expect(lines(live, 50, 6).join("\n")).toMatchInlineSnapshot(`
      "telemetryd 0.1.0 at 127.0.0.1:9464   2 f 12:00:00Z

      NAMESPACE   POLICY             SINK         READY
      lab         probe              -            False
      payments    payments-metrics   mimir        True
      … 4 more"
    `);
  });

  test("the daemon is unavailable: the last table stays, with its age", () => {
    const failure = { reason: "no telemetryd responds at http://127.0.0.1:9464", sinceMs: nowMs + 2_000 };
    const away = lines({ ...live, failure }, 110, 20, 42_000);
    expect(away.slice(0, 3).join("\n")).toMatchInlineSnapshot(`
      "telemetryd 0.1.0 at 127.0.0.1:9464   2 failing, 4 up-to-date                               12:00:00Z (42s ago)
      No refresh for 40s: no telemetryd responds at http://127.0.0.1:9464
      "
    `);
    expect(away.slice(2)).toEqual(lines(live, 110, 20).slice(1));
  });

  test("the daemon was never there", () => {
    const failure = { reason: "no telemetryd responds", sinceMs: nowMs };
    expect(lines({ host: "h:1", failure }, 80, 24)).toEqual([
      "telemetryd at h:1",
      "No refresh for 0s: no telemetryd responds",
      "",
    ]);
  });

  test("no policies", () => {
    expect(lines({ host: "h:1", latest: { status: busyDaemon(0, nowMs), atMs: nowMs } }, 80, 24).at(-1)).toBe(
      "No policies found.",
    );
  });

  test("many warnings leave room for the table", () => {
    const degraded = Array.from({ length: 30 }, (_, index) => `fault ${index}`);
    const shown = lines({ ...live, latest: { status: { ...status, degraded }, atMs: nowMs } }, 80, 12);
    expect(shown.slice(3, 7)).toEqual([
      "Warning: fault 2",
      "… 27 more",
      "",
      expect.stringContaining("NAMESPACE"),
    ]);
  });

  test("whatever a daemon responds, the lines fit and have no control characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (text, columns, rows, failing) => {
          const hostile = {
            ...status,
            version: text,
            degraded: [text],
            policies: status.policies.map((policy) => ({ ...policy, name: text, namespace: text })),
          };
          const state: WatchState = {
            host: "h:1",
            latest: { status: hostile, atMs: nowMs },
            ...(failing ? { failure: { reason: text, sinceMs: nowMs } } : {}),
          };
          const shown = lines(state, columns, rows, 5_000);
          expect(shown.length).toBeLessThanOrEqual(rows);
          for (const line of shown) expect([...line].length).toBeLessThanOrEqual(columns);
          expect(shown.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        },
      ),
      { numRuns: 40 },
    );
  });
});
