import { expect, test } from "vitest";
import { retentionInFlags, retentionInRuntime } from "./store-retention.ts";

const hourMs = 3_600_000;

test.each([
  ['-retentionPeriod="30d"', 30 * 24],
  ["retentionPeriod=1", 31 * 24],
  ['-retentionPeriod="1"', 31 * 24],
  ['-retentionPeriod="2M"', 62 * 24],
  ['-retentionPeriod="1.5y"', 1.5 * 365 * 24],
  ['-retentionPeriod="36h"', 36],
  ['-retentionPeriod="2w"', 14 * 24],
  ['-retentionPeriod="0"', undefined],
  ['-retentionPeriod="secret"', undefined],
  ['-retention.maxTagValues="30d"', undefined],
  ["", undefined],
])("the flags of VictoriaMetrics: %s", (line, hours) => {
  const expected = hours === undefined ? undefined : hours * hourMs;
  expect(retentionInFlags(`-httpListenAddr=":8428"\n${line}\n-version="false"\n`)).toBe(expected);
});

test.each([
  ["15d", 15 * 24],
  ["15d or 512MiB", 15 * 24],
  ["1w3d12h", 7 * 24 + 3 * 24 + 12],
  ["512MiB", undefined],
  ["0s", undefined],
  ["", undefined],
])("the runtime information of Prometheus: %s", (retention, hours) => {
  const body = JSON.stringify({ status: "success", data: { storageRetention: retention } });
  expect(retentionInRuntime(body)).toBe(hours === undefined ? undefined : hours * hourMs);
});
