import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { metricsDocumentFaults } from "../../../../test/support/documents/metrics-document.ts";
import { RemoteWriteMetrics } from "./metrics.ts";

test("docs/metrics.md has the metrics of remote write", async () => {
  const document = readFileSync(new URL("../../../../docs/metrics.md", import.meta.url), "utf8");
  const faults = await metricsDocumentFaults(document, [new RemoteWriteMetrics().registry]);
  expect(faults.filter((fault) => fault.includes("must have"))).toEqual([]);
});

test("bytes count only where they were sent", async () => {
  const metrics = new RemoteWriteMetrics();
  const retry = { kind: "retry", message: "", responseLost: false } as const;
  metrics.attempt({ kind: "delivered", status: 204 }, 10, 1);
  metrics.attempt({ ...retry, reason: "dns" }, 10, 10);
  metrics.attempt({ ...retry, reason: "server_error" }, 10, 100);
  metrics.attempt({ kind: "forbidden", message: "" }, 10, 1_000);
  expect(await metrics.registry.metrics()).toContain("telemetryd_remote_write_sent_bytes_total 101\n");
});
