import { describe, expect, it } from "vitest";
import type { DaemonStatus, SinkView } from "../../src/exporter/policy/status/status-view.ts";
import { progressLine } from "./progress.ts";

function sink(name: string, more: Partial<SinkView>): SinkView {
  const late = { late: 0, lateRejected: 0, uncheckedSeconds: 0 };
  const zero = { delivered: 0, rejected: 0, dropped: 0, repeated: 0, retries: 0, ...late };
  return { name, endpoint: "http://r/", conditions: [], ...zero, sources: [], sparkline: [], ...more };
}

function status(sinks: SinkView[]): DaemonStatus {
  const policy = { plane: "directory", namespace: "default", name: "demo", generation: 1 };
  return {
    version: "0",
    startedAt: "",
    state: "running",
    ready: true,
    degraded: [],
    policies: [{ ...policy, conditions: [], sinks }],
  };
}

const retrying = {
  type: "Delivering",
  status: "False",
  reason: "Retrying",
  message: "503",
  lastTransitionTime: "2026-01-01T00:00:00Z",
} as SinkView["conditions"][number];

describe("progressLine", () => {
  it.each<[string, DaemonStatus | undefined, string]>([
    ["no response yet", undefined, "  12 s  waiting for telemetryd"],
    ["no sink yet", status([]), "  12 s  waiting for telemetryd"],
    [
      "two sinks",
      status([
        sink("a", { delivered: 1234, lagMs: 1500, retries: 1 }),
        sink("b", { delivered: 1, retries: 2 }),
      ]),
      "  12 s  delivered 1,235 samples  |  lag: a 1.5 s, b -  |  retries 3",
    ],
    [
      "trouble",
      status([sink("a", { rejected: 4, lagMs: 90_000, conditions: [retrying] })]),
      "  12 s  delivered 0 samples  |  lag: a 90.0 s (retrying)  |  retries 0  |  rejected 4",
    ],
  ])("%s", (_name, daemon, line) => {
    expect(progressLine(daemon, 12_900)).toBe(line);
  });
});
