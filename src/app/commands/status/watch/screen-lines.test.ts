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

      NAMESPACE   POLICY             SINK         DELIVERING   LAG     REJECTED   LAST ERROR
      lab         probe              -            -            -       -          spec.sinks[0].sources[1]: there is
      payments    payments-metrics   mimir        Suspended    31m     0          HTTP 401: invalid API key (88s ago
      payments    payments-metrics   prometheus   UpToDate     14s     137        -
      shop        shop-metrics       mimir        UpToDate     14s     0          -
      web         web-metrics        mimir        UpToDate     12s     0          -
      web         web-metrics        prometheus   UpToDate     9s      0          -"
    `);
  });

  test("a terminal of 80 columns shows names, state, lag and error", () => {
    expect(lines(live, 80, 20).join("\n")).toMatchInlineSnapshot(`
      "telemetryd 0.1.0 at 127.0.0.1:9464   2 failing, 4 up-to-date           12:00:00Z

      POLICY          SINK         DELIVERING   LAG     LAST ERROR
      probe           -            -            -       spec.sinks[0].sources[1]: ther
      payments-met…   mimir        Suspended    31m     HTTP 401: invalid API key (88s
      payments-met…   prometheus   UpToDate     14s     -
      shop-metrics    mimir        UpToDate     14s     -
      web-metrics     mimir        UpToDate     12s     -
      web-metrics     prometheus   UpToDate     9s      -"
    `);
  });

  test("with many wide names these are shortened, not the lag", () => {
    const policies = status.policies.map((policy) => ({
      ...policy,
      name: `${policy.name}${"-x".repeat(40)}`,
    }));
    const shown = lines({ ...live, latest: { status: { ...status, policies }, atMs: nowMs } }, 80, 20);
    expect(shown[2]).toMatch(/^POLICY +SINK +DELIVERING +LAG +LAST ERROR$/);
    expect(shown.join("\n")).toMatch(/payment[^ ]*… +mimir +Suspended +31m +HTTP 401: invalid API key/);
  });

  test("a row is painted as urgent as its sink is, whole and once", () => {
    const painted = screenLines(live, plain, { columns: 80, rows: 20 }, nowMs, (text, urgency) =>
      urgency === "none" ? text : `<${urgency} ${text}>`,
    );
    expect(painted.filter((line) => line.startsWith("<"))).toEqual([
      expect.stringMatching(/^<alarm probe .*>$/),
      expect.stringMatching(/^<alarm payments-met… .*HTTP 401.*>$/),
    ]);
  });

  test("a small terminal: lines are cut, rows are counted, the time stays", () => {
    expect(lines(live, 50, 6).join("\n")).toMatchInlineSnapshot(`
      "127.0.0.1:9464   2 failing, 4 up-to-date 12:00:00Z

      POLICY     SINK       DELIVERING   LAG     LAST ER
      probe      -          -            -       spec.si
      payment…   mimir      Suspended    31m     HTTP 40
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
      expect.stringContaining("POLICY"),
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
