import { expect, test } from "vitest";
import { configKeys, environmentName } from "./keys.ts";

test.each([
  ["metrics.url", "TELEMETRYD_METRICS_URL"],
  ["metrics.basicAuth.passwordFile", "TELEMETRYD_METRICS_BASIC_AUTH_PASSWORD_FILE"],
  ["api.rateLimit.limit", "TELEMETRYD_API_RATE_LIMIT_LIMIT"],
  ["controlPlane.apiUrl", "TELEMETRYD_CONTROL_PLANE_API_URL"],
])("%s is %s", (name, variable) => {
  expect(environmentName(name)).toBe(variable);
});

test("every scalar and every list of scalars has a variable of its own, nothing else has one", () => {
  const variables = configKeys.flatMap((key) => key.variable ?? []);
  expect(new Set(variables).size).toBe(variables.length);
  const without = configKeys.filter((key) => key.variable === undefined && !key.name.includes("[]"));
  expect(without.map((key) => [key.name, key.type])).toEqual([
    ["metrics.headers", "map"],
    ["delivery.endpoints", "list of objects"],
    ["gateway.zones", "list of objects"],
    ["provider.engine.vmImages", "map"],
  ]);
});
