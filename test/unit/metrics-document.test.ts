import { readFileSync } from "node:fs";
import { Counter, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createHealthRegistry, createPolicyFileRegistry } from "../../src/app/ops/health-metrics.ts";
import { policyCount, policyReady, sinkAccepted } from "../../src/app/ops/policy-metrics.ts";
import { createProcessRegistry } from "../../src/app/ops/process-metrics.ts";
import { createQueueRegistry } from "../../src/app/ops/queue-metrics.ts";
import { ReloadMetrics } from "../../src/app/ops/reload-metrics.ts";
import { createRedisRegistry } from "../../src/base/redis/metrics.ts";
import { createExportRegistry, sinkLabels, sinkMetrics } from "../../src/exporter/delivery/export-metrics.ts";
import { SourceMetrics } from "../../src/exporter/metrics-store/ports/source-metrics.ts";
import { RemoteWriteMetrics } from "../../src/exporter/remote-write/send/metrics.ts";
import { createServerMetrics } from "../../src/kube-server/metrics.ts";
import { createControlPlaneRegistry } from "../../src/platform/client/metrics.ts";
import { createGatewayRegistry } from "../../src/platform/gateway/metrics.ts";
import { createProviderRegistry } from "../../src/platform/provider/metrics.ts";
import { createApiMetrics } from "../../src/roadmap/api/metrics.ts";
import { createRoadmapMetrics } from "../../src/roadmap/cache/metrics.ts";
import { metricsDocumentFaults } from "../support/documents/metrics-document.ts";

const registry = new Registry();
new Counter({ name: "a_total", help: "Counts a.", labelNames: ["reason", "sink"], registers: [registry] });
new Histogram({ name: "b_seconds", help: "Takes b.", registers: [registry] });
const lines = [
  "| `a_total` | counter | `reason`, `sink` | Counts a. |",
  "| `b_seconds` | histogram |  | Takes b. |",
];

test("a document that says the same has no faults", () => {
  expect(metricsDocumentFaults(`# Metrics\n\n${lines.join("\n")}\n`, [registry])).toEqual([]);
});

test("a missing line, a wrong one and one too many are reported", () => {
  const document = "| `b_seconds` | gauge |  | Takes b. |\n| `c_total` | counter |  | Gone. |\n";
  expect(metricsDocumentFaults(document, [registry])).toEqual([
    ...lines.map((line) => `docs/metrics.md must have: ${line}`),
    "docs/metrics.md has c_total, which nothing exposes",
  ]);
});

test("docs/metrics.md has the metrics of every room, as they are, and no others", () => {
  const document = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
  // Registries are only read here, so their rooms need not run.
  const idle = undefined as never;
  const ofProcess = createProcessRegistry("1.2.3");
  new ReloadMetrics(ofProcess);
  const registries = [
    ofProcess,
    createServerMetrics().registry,
    createHealthRegistry(() => new Map()),
    createPolicyFileRegistry(() => 0),
    createQueueRegistry([]),
    new SourceMetrics(idle).registry,
    new RemoteWriteMetrics().registry,
    createControlPlaneRegistry(idle),
    createRoadmapMetrics(idle).registry,
    createApiMetrics().registry,
    createExportRegistry(idle),
    createProviderRegistry(idle, undefined),
    createGatewayRegistry(idle, undefined),
    createRedisRegistry(idle, () => true).registry,
  ];
  const ofSinks = sinkMetrics.map((metric) => ({ ...metric, labelNames: sinkLabels }));
  expect(
    metricsDocumentFaults(document, registries, [...ofSinks, sinkAccepted, policyReady, policyCount]),
  ).toEqual([]);
});
