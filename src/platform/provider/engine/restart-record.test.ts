import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectedContainer } from "./engine-objects.ts";
import { InstanceFiles } from "./instance-files.ts";
import { countRestarts, RestartRecord } from "./restart-record.ts";

const container = (second: number, byEngine: number, id = "a") =>
  inspectedContainer.parse({
    Id: id,
    State: {
      Status: "running",
      StartedAt: second === 0 ? "0001-01-01T00:00:00Z" : `2026-01-01T00:00:0${second}Z`,
    },
    RestartCount: byEngine,
    Config: { Labels: { "telemetryd.container": "main" } },
    NetworkSettings: {},
  });

test.each([
  ["seen again", [container(1, 0), container(1, 0)], 0],
  ["started again by the provider", [container(1, 0), container(2, 0)], 1],
  ["restarted by the engine, three times between two looks", [container(1, 0), container(4, 3)], 3],
  [
    "by the engine, then by the provider, which ends its count",
    [container(1, 0), container(4, 3), container(5, 0)],
    4,
  ],
  ["restarted before it was seen", [container(4, 2)], 2],
  ["replaced", [container(1, 0), container(4, 3), container(5, 0, "b")], 0],
])("%s", (_, seen, restarts) => {
  const last = seen.reduce(
    (before: Parameters<typeof countRestarts>[0], each) => countRestarts(before, each),
    undefined,
  );
  expect(last?.restarts).toBe(restarts);
});

test("the count is kept over a restart of the daemon, and goes with the instance", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-restarts-"));
  try {
    const files = new InstanceFiles(folder);
    const first = new RestartRecord(files);
    for (const each of [container(0, 0), container(1, 0), container(2, 0)]) await first.note("u1", [each]);
    const second = new RestartRecord(files);
    expect(await second.restarts("u1", "main")).toBe(1);
    await second.note("u1", [container(3, 0)]);
    expect(await new RestartRecord(files).restarts("u1", "main")).toBe(2);
    await files.remove("u1");
    second.forget("u1");
    expect(await second.restarts("u1", "main")).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
