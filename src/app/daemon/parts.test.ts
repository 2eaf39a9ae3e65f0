import { expect, test } from "vitest";
import { Parts } from "./parts.ts";

test("a part is degraded while any of its problems is there", () => {
  const parts = new Parts();
  let files: readonly string[] = [];
  parts.add({
    stage: "exporter",
    services: [],
    problems: { state: () => undefined, policies: () => files },
  });
  parts.add({ stage: "sources and servers", services: [], problems: { policies: () => "" } });
  expect([...parts.degraded()]).toEqual([
    ["state", false],
    ["policies", false],
  ]);
  files = ["a policy file has errors"];
  expect(parts.degraded().get("policies")).toBe(true);
  expect(parts.problems()).toEqual(files);
  expect(parts.notReady()).toEqual([]);
});

test("services stop by stage, whatever the order in which their parts were opened", () => {
  const parts = new Parts();
  const service = (name: string) => ({ name, run: async () => undefined });
  parts.add({ stage: "sources and servers", services: [service("server")] });
  parts.add({ stage: "redis", services: [service("redis")] });
  parts.add({ stage: "ops", services: [service("ops")] });
  parts.add({ stage: "exporter", services: [service("schedule"), service("reconciler")] });
  const names = parts.stages().map((services) => services.map(({ name }) => name));
  expect(names).toEqual([["ops"], ["redis"], ["schedule", "reconciler"], ["server"]]);
});
