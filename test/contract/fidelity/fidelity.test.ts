import "../../support/leak-check.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../../support/platform.ts";
import { until } from "../../support/until.ts";
import { applyScenarios } from "./apply.ts";
import { type Exchange, mediaTypes } from "./exchange.ts";
import { writeScenarios } from "./writes.ts";

/** Requests to which the platform responds as a Kubernetes API server does. The tables are data: any server can be asked. */

let platform: TestPlatform;
let bearer: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  bearer = await platform.exchange(platform.token);
  const projects = `${organizationBase("acme")}/apis/resourcemanager.platformapis/v1alpha/projects`;
  const body = {
    apiVersion: "resourcemanager.platformapis/v1alpha",
    kind: "Project",
    metadata: { name: "web" },
  };
  expect((await platform.fetch(projects, { method: "POST", bearer, body })).code).toBe(201);
  await until("the project is ready", async () => {
    const { json } = await platform.fetch(`${projects}/web`, { bearer });
    return json.status?.conditions?.[0]?.status === "True";
  });
});

afterAll(() => platform.stop());

async function send(exchange: Exchange) {
  const group = exchange.path.startsWith("exportpolicies")
    ? "apis/telemetry.platformapis/v1alpha1"
    : "api/v1";
  const path = `${projectBase("web")}/${group}/namespaces/default/${exchange.path}`;
  const headers = { "content-type": mediaTypes[exchange.type ?? "json"] };
  return await platform.fetch(path, { method: exchange.method, bearer, body: exchange.body, headers });
}

/** The fields of a set in managedFields as paths: `data.a`, `spec.sinks[name=a]`. */
function pathsOf(set: Record<string, object>, prefix = ""): string[] {
  return Object.entries(set).flatMap(([element, node]) => {
    if (element === ".") return [];
    const [kind, text] = [element.slice(0, 1), element.slice(2)];
    const item = () => Object.entries(JSON.parse(text)).map(([name, value]) => `${name}=${value}`);
    const step =
      kind === "f"
        ? `${prefix === "" ? "" : "."}${text}`
        : `[${kind === "v" ? `=${JSON.parse(text)}` : item()}]`;
    const inner = pathsOf(node as Record<string, object>, prefix + step);
    return Object.keys(node).length === 0 || "." in node ? [prefix + step, ...inner] : inner;
  });
}

/** Where a value differs from the part of it that is expected: lists as a whole, undefined for what must not be there. */
function differences(found: unknown, expected: unknown, path = ""): string[] {
  if (typeof expected !== "object" || expected === null) {
    return found === expected ? [] : [`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  }
  if (typeof found !== "object" || found === null) return [`${path} is ${JSON.stringify(found)}`];
  const all: string[] = [];
  if (Array.isArray(expected) && Array.isArray(found) && expected.length !== found.length) {
    all.push(`${path} has ${found.length} items, not ${expected.length}`);
  }
  for (const [name, value] of Object.entries(expected)) {
    all.push(...differences((found as Record<string, unknown>)[name], value, `${path}/${name}`));
  }
  return all;
}

describe.each([...applyScenarios, ...writeScenarios].map((each) => [each.name, each.exchanges] as const))(
  "%s",
  (_name, exchanges) => {
    test("responds as expected", async () => {
      for (const [index, exchange] of exchanges.entries()) {
        const place = `${index}: ${exchange.method} ${exchange.path}`;
        const { code, json, headers } = await send(exchange);
        expect([place, code, code === exchange.code ? "" : json.message]).toEqual([place, exchange.code, ""]);
        if (exchange.reason !== undefined) expect([place, json.reason]).toEqual([place, exchange.reason]);
        if (exchange.message !== undefined) expect(json.message, place).toContain(exchange.message);
        expect([place, differences(json, exchange.object ?? {})]).toEqual([place, []]);
        for (const [manager, paths] of Object.entries(exchange.managers ?? {})) {
          const entry = json.metadata.managedFields.find(
            (each: { manager: string; operation: string }) => `${each.manager} ${each.operation}` === manager,
          );
          expect([place, manager, pathsOf(entry?.fieldsV1 ?? {}).sort()]).toEqual([
            place,
            manager,
            [...paths].sort(),
          ]);
        }
        if (exchange.warnings === undefined) continue;
        const warnings = [headers["warning"] ?? []].flat();
        expect([place, warnings.length > 0]).toEqual([place, exchange.warnings.length > 0]);
        for (const text of exchange.warnings) {
          expect(warnings.join(), place).toContain(JSON.stringify(text).slice(1, -1));
        }
      }
    });
  },
);
