import { describe, expect, test } from "vitest";
import { busyDaemon, condition } from "../../../../../test/support/daemon/daemon-status.ts";
import type { DaemonStatus, SinkView } from "../../../../exporter/policy/status/status-view.ts";
import { createChangesView } from "./changes-view.ts";
import { createJsonView } from "./json-view.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const daemon = busyDaemon(3, nowMs);

function watched(create: typeof createJsonView) {
  let out = "";
  let warnings = "";
  const view = create(
    { write: (text) => (out += text) },
    {
      write: (text) => (warnings += text),
    },
  );
  /** What was written since the last call. */
  const news = () => {
    const written = { out, warnings };
    out = "";
    warnings = "";
    return written;
  };
  return { view, news };
}

const changes = () =>
  watched((out, warnings) => createChangesView(out, warnings, { wide: false, sort: "name" }));

/** The status with other facts of its first sink. */
function changed(facts: Partial<SinkView>): DaemonStatus {
  const [first, ...rest] = daemon.policies;
  const [sink, ...others] = first!.sinks;
  return { ...daemon, policies: [{ ...first!, sinks: [{ ...sink!, ...facts }, ...others] }, ...rest] };
}

describe("lines for changes", () => {
  test("the whole table first, then what changed, in the same columns", () => {
    const { view, news } = changes();
    view.show(daemon, nowMs);
    view.show(
      changed({
        conditions: [condition("Delivering", "False", "Retrying", "503", nowMs)],
        stateSince: new Date(nowMs).toISOString(),
      }),
      nowMs + 2_000,
    );
    expect(news()).toMatchInlineSnapshot(`
      {
        "out": "TIME                   NAMESPACE   POLICY         SINK         READY   DELIVERING   LAG   DELIVERED   REJECTED   AGE   LAST ERROR
      2026-11-20T12:00:00Z   shop        shop-metrics   mimir        True    UpToDate     14s   90.5M       0          15m   -
      2026-11-20T12:00:00Z   web         web-metrics    mimir        True    UpToDate     12s   56.6M       0          15m   -
      2026-11-20T12:00:00Z   web         web-metrics    prometheus   True    UpToDate     9s    347M        0          15m   -
      2026-11-20T12:00:02Z   shop        shop-metrics   mimir        -       Retrying     14s   90.5M       0          2s    503 (2s ago)
      ",
        "warnings": "",
      }
    `);
  });

  test.each<[string, Partial<SinkView>, boolean]>([
    ["a lag", { lagMs: 99_000 }, false],
    ["samples delivered", { delivered: 1e9 }, false],
    ["a checkpoint", { checkpoint: "2026-11-20T12:00:00Z" }, false],
    ["samples rejected", { rejected: 7 }, true],
    ["samples dropped", { dropped: 7 }, true],
    ["an error", { lastError: { at: "2026-11-20T12:00:00Z", message: "HTTP 503" } }, true],
    ["an endpoint", { endpoint: "https://other.example.com/" }, true],
  ])("%s", (_, facts, isChange) => {
    const { view, news } = changes();
    view.show(daemon, nowMs);
    news();
    view.show(changed(facts), nowMs);
    expect(news().out.split("\n").length - 1).toBe(isChange ? 1 : 0);
  });

  test("the same error again is no change", () => {
    const { view, news } = changes();
    view.show(changed({ lastError: { at: "2026-11-20T12:00:00Z", message: "HTTP 503" } }), nowMs);
    news();
    view.show(changed({ lastError: { at: "2026-11-20T12:00:09Z", message: "HTTP 503" } }), nowMs);
    expect(news().out).toBe("");
  });

  test("a policy that went away", () => {
    const { view, news } = changes();
    view.show(daemon, nowMs);
    news();
    view.show({ ...daemon, policies: daemon.policies.slice(1) }, nowMs);
    expect(news().out).toMatch(/^2026-11-20T12:00:00Z +shop +shop-metrics +mimir +- +Removed +-[ -]+\n$/);
  });

  test("troubles are reported once each, apart from the output", () => {
    const { view, news } = changes();
    view.fail("nobody\u001b[2J there", nowMs);
    view.fail("nobody\u001b[2J there", nowMs);
    view.show({ ...daemon, policies: [], degraded: ["a file cannot be read"] }, nowMs);
    view.show({ ...daemon, policies: [], degraded: ["a file cannot be read"] }, nowMs);
    expect(news()).toEqual({
      out: "",
      warnings:
        "Warning: nobody\uFFFD[2J there; trying again\nThe daemon responds again.\n" +
        "Warning: a file cannot be read\nNo policies found.\n",
    });
  });
});

test("JSON: one document per line, when it differs", () => {
  const { view, news } = watched(createJsonView);
  view.show(daemon, nowMs);
  view.show({ ...daemon }, nowMs + 1);
  view.fail("nobody there", nowMs);
  view.show({ ...daemon, version: "\u009b2J" }, nowMs + 2);
  const { out, warnings } = news();
  expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
  const documents = out.trimEnd().split("\n");
  expect(documents.map((line) => JSON.parse(line))).toEqual([daemon, { ...daemon, version: "\u009b2J" }]);
  expect(warnings).toBe("Warning: nobody there; trying again\nThe daemon responds again.\n");
});
