import { expect, test } from "vitest";
import { checkRequirements } from "./requirements.ts";

function info(version: string, policy = "noeviction", maxmemory = "0", role = "master"): string {
  return [
    "# Server",
    `redis_version:${version}`,
    "# Memory",
    `maxmemory:${maxmemory}`,
    `maxmemory_policy:${policy}`,
    `role:${role}`,
    "",
  ].join("\r\n");
}

test.each([
  ["5.0.14", true],
  ["6.0.16", true],
  ["6.2.0", false],
  ["7.0.15", false],
  ["10.0.0", false],
])("version %s is refused: %s", (version, isRefused) => {
  const report = checkRequirements(info(version), true);
  expect(report.version).toBe(version);
  expect(report.refusal !== undefined).toBe(isRefused);
  expect(report.warnings).toEqual([]);
});

test("an evicting policy is warned about, with what would happen and what to set", () => {
  const evicting = info("7.0.15", "allkeys-lru", "1048576");
  const [warning] = checkRequirements(evicting, false).warnings;
  expect(checkRequirements(evicting, true).refusal).toContain("set maxmemory-policy noeviction");
  expect(checkRequirements(evicting, false).refusal).toBeUndefined();
  expect(warning).toContain("allkeys-lru");
  expect(warning).toContain("set maxmemory-policy noeviction");
  expect(warning).not.toContain("as soon as");
  expect(checkRequirements(info("7.0.15", "volatile-ttl"), true).warnings[0]).toContain("as soon as");
});

test("a replica is warned about", () => {
  expect(checkRequirements(info("7.0.15", "noeviction", "0", "slave"), true).warnings[0]).toContain(
    "replica",
  );
});

test("a reply without a version (a service that hides it) is taken as it is", () => {
  expect(checkRequirements("", true)).toEqual({ version: "", warnings: [] });
});
