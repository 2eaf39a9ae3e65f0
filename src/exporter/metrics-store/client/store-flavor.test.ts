import { expect, test } from "vitest";
import { failure } from "./read-failure.ts";
import { flavorOfBuildInfo, flavorOfExport, flavorOfQuery, promqlOfBuildInfo } from "./store-flavor.ts";

const success = (data: unknown) => JSON.stringify({ status: "success", data });

test.each([
  ["VictoriaMetrics 1.79", { "x-server-hostname": "vm" }, success({}), "victoriametrics"],
  ["a later one", { "x-server-hostname": "vm" }, success({ version: "2.24.0" }), "victoriametrics"],
  ["one behind a proxy that takes headers off", {}, success({ version: "2.24.0" }), "victoriametrics"],
  ["Prometheus", {}, success({ version: "2.42.0", revision: "x", goVersion: "go1.19.8" }), "prometheus"],
  ["Mimir", {}, success({ application: "Grafana Mimir", version: "2.10.0" }), "prometheus"],
  ["Thanos", {}, success({ version: "0.42.5", revision: "x", goVersion: "go1.26.8" }), "prometheus"],
  ["a page", {}, "<html>hello</html>", undefined],
  ["other JSON", {}, '{"status":"error"}', undefined],
  ["no object", {}, "null", undefined],
] as const)("%s", (_, headers, body, expected) => {
  expect(flavorOfBuildInfo(headers, body)).toBe(expected);
});

test.each([
  ["Prometheus 2", success({ version: "2.42.0+ds", revision: "x" }), 2],
  ["Prometheus 3", success({ version: "3.15.0", revision: "x" }), 3],
  ["a build without a version", success({ version: "", revision: "x" }), 3],
  ["Mimir, whose versions are its own", success({ application: "Grafana Mimir", version: "2.10.0" }), 3],
  ["Thanos", success({ version: "0.37.2", revision: "x" }), 3],
  ["a page", "<html>", 3],
  ["no object", "7", 3],
] as const)("the PromQL of %s", (_, body, expected) => {
  expect(promqlOfBuildInfo(body)).toBe(expected);
});

test("a store that does not say is asked for an export", () => {
  expect(flavorOfExport({ kind: "response" })).toBe("victoriametrics");
  expect(flavorOfExport(failure("not_found", "404"))).toMatchObject({ reason: "unknown_flavor" });
  expect(flavorOfExport(failure("overloaded", "503"))).toMatchObject({ reason: "overloaded" });
});

test.each([
  ["Cortex", success({ resultType: "scalar", result: [1, "1"] }), "prometheus"],
  ["an error", '{"status":"error","errorType":"bad_data","error":"x"}', undefined],
  ["other JSON", '{"status":"success"}', undefined],
  ["a page", "<html>", undefined],
] as const)(
  "a store without build details and export that responds to a query with %s",
  (_, body, expected) => {
    expect(flavorOfQuery(body)).toBe(expected);
  },
);
