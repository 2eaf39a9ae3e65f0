import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { parseTenants, TenantFile } from "./tenant-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-tenants-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each<[text: string, expected: Record<string, string> | string]>([
  ["", {}],
  ["# nobody yet\n", {}],
  [
    "web: tenant-1\nshop: 42\nblog: 007\nhex: 0x1F\nyes: true\n",
    tenants("tenant-1", "42", "007", "0x1F", "true"),
  ],
  ['{ "web": "a", "shop": 1.0 }', { web: "a", shop: "1.0" }],
  ["__proto__: a\n", Object.fromEntries([["__proto__", "a"]])],
  ["web: 1:2\n", "line 1: web: must consist of letters, digits, -, _ and ."],
  ["web:\n", "line 1: web: must not be empty"],
  ["web: [a]\n", "line 1: web: must be a tenant's ID"],
  ["web: a\nshop: a|b\n", "line 2: shop: must consist of letters, digits, -, _ and ."],
  ["web: a\nweb: b\n", "line 2: web is written twice; keep one"],
  ["- web\n", "must be a map of projects to tenants, such as web: tenant-1"],
  ["web\n", "must be a map of projects to tenants, such as web: tenant-1"],
  ["web: a\n---\nshop: b\n", "must be one document, not several separated by ---"],
])("%j", (text, expected) => {
  const read = parseTenants(text, "header");
  expect(read.kind === "tenants" ? Object.fromEntries(read.ids) : read.message).toEqual(expected);
});

function tenants(web: string, shop: string, blog: string, hex: string, yes: string): Record<string, string> {
  return { web, shop, blog, hex, yes };
}

test("an ID of a VictoriaMetrics cluster is for paths", () => {
  expect(parseTenants("web: 1:2\n", "path")).toEqual({ kind: "tenants", ids: new Map([["web", "1:2"]]) });
});

test("a change takes effect; while the file is missing or faulty, its last content stays in force", async () => {
  const path = join(folder, "tenants.yaml");
  const seen: Record<string, string>[] = [];
  const onChange = (ids: ReadonlyMap<string, string>) => seen.push(Object.fromEntries(ids));
  const file = new TenantFile({ path, form: "header", onChange, clock: systemClock, log: silentLogger });
  await expect(file.load()).rejects.toThrow(/^metrics\.tenants: the file .*cannot be read/);
  await writeFile(path, "web: a\n");
  await file.load();
  await file.tick();
  expect(seen).toEqual([{ web: "a" }]);
  await writeFile(path, "web: b c\n");
  await file.tick();
  expect(file.problem).toMatch(/has faults: line 1: web: must consist/);
  await rm(path);
  await file.tick();
  expect(file.problem).toContain("cannot be read");
  expect(seen).toHaveLength(1);
  await writeFile(path, "web: c-d\n");
  await file.tick();
  expect(seen).toEqual([{ web: "a" }, { web: "c-d" }]);
  expect(file.problem).toBeUndefined();
});
