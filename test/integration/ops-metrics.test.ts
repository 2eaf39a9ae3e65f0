import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { buildOpsApp } from "../../src/app/ops/app.ts";
import { createProcessRegistry } from "../../src/app/ops/process-metrics.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { busyDaemon } from "../support/daemon/daemon-status.ts";
import { findServers } from "../support/servers.ts";

test("promtool finds nothing to say about the exposition of the process's metrics", async () => {
  const { promtool } = await findServers(["promtool"]);
  const app = buildOpsApp({
    listenHost: "127.0.0.1",
    hosts: [],
    status: () => busyDaemon(3, Date.now()),
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => [],
    registries: [createProcessRegistry("1.2.3")],
    nowMs: () => Date.now(),
    log: silentLogger,
  });
  const { body } = await app.inject("/metrics");
  const { status, stderr, stdout } = spawnSync(promtool.path, ["check", "metrics"], {
    input: body,
    encoding: "utf8",
    env: { ...process.env, ...promtool.env },
  });
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "" });
});
