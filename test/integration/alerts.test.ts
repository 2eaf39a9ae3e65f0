import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { queryFaults } from "../support/documents/metric-queries.ts";
import { findServers } from "../support/servers.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(resolve(root, file), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}
interface RuleTest {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const rules: Rule[] = parse(read("config/alerts/telemetryd.rules.yaml")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const ruleTests: RuleTest[] = parse(read("config/alerts/telemetryd.tests.yaml")).tests;

describe("promtool", () => {
  let promtool = "";
  const run = (...args: string[]) => promisify(execFile)(promtool, args, { cwd: root });
  beforeAll(async () => {
    promtool = (await findServers(["promtool"])).promtool.path;
  }, 300_000);

  test("reads the rules", async () => {
    const { stdout } = await run("check", "rules", "config/alerts/telemetryd.rules.yaml");
    expect(stdout).toContain(`${rules.length} rules found`);
  });

  test("sees each alert fire when it should, and not when it should not", async () => {
    const { stdout } = await run("test", "rules", "config/alerts/telemetryd.tests.yaml");
    expect(stdout).toContain("SUCCESS");
  });
});

describe.each(rules.map((rule) => [rule.alert, rule] as const))("%s", (alert, rule) => {
  test("asks for metrics and labels that there are", () => {
    expect(queryFaults(rule.expr)).toEqual([]);
  });

  test("is tested both ways", () => {
    const checks = ruleTests
      .flatMap((each) => each.alert_rule_test)
      .filter((check) => check.alertname === alert);
    expect(new Set(checks.map((check) => check.exp_alerts.length > 0))).toEqual(new Set([true, false]));
  });

  test("says what is wrong, how bad it is, and has a runbook of its name", () => {
    expect(["warning", "critical"]).toContain(rule.labels.severity);
    expect([rule.annotations.summary, rule.annotations.description]).not.toContain(undefined);
    expect(existsSync(resolve(root, rule.annotations.runbook_url))).toBe(true);
    expect(read(rule.annotations.runbook_url).split("\n")[0]).toBe(`# ${alert}`);
  });

  test("is in docs/operations.md", () => {
    expect(read("docs/operations.md")).toMatch(new RegExp(`^\\| \\[${alert}\\]\\(runbooks/`, "m"));
  });
});

test("no runbook is there without an alert", () => {
  const named = rules.map((rule) => rule.annotations.runbook_url.replace("docs/runbooks/", ""));
  expect(readdirSync(resolve(root, "docs/runbooks")).toSorted()).toEqual(named.toSorted());
});
