import { expect, test } from "vitest";
import { parsePlanePath, planeBase } from "./plane.ts";

const base = "/apis/resourcemanager.example/v1alpha";

test.each([
  [`${base}/projects/web/control-plane/api/v1`, { type: "project", name: "web", path: "/api/v1" }],
  [`${base}/organizations/acme/control-plane`, { type: "organization", name: "acme", path: "/" }],
  [`${base}/organizations/acme/control-plane/`, { type: "organization", name: "acme", path: "/" }],
  [`${base}/projects/web`, undefined],
  [`${base}/projects/web/control-planes`, undefined],
  [`${base}/projects//control-plane/api`, undefined],
  [`${base}/folders/a/control-plane/api`, undefined],
  ["/apis/resourcemanager.other/v1alpha/projects/web/control-plane/api", undefined],
  ["/api/v1", undefined],
])("%s", (path, expected) => {
  expect(parsePlanePath(path, "example")).toEqual(expected);
});

test("a plane's base is read back", () => {
  const path = `${planeBase("project", "web", "example")}/apis`;
  expect(parsePlanePath(path, "example")).toEqual({ type: "project", name: "web", path: "/apis" });
});
