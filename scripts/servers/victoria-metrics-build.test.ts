import { expect, test } from "vitest";
import { buildOfVersion } from "./victoria-metrics-build.ts";

test.each([
  ["\n", false],
  ["victoria-metrics-20220905-101010-tags-v1.79.3-0-g0123456\n", false],
  ["victoria-metrics-v1.150.0\n", true],
  ["victoria-metrics-20260721-101010-tags-v1.152.1-0-g0123456\n", true],
])("the version %j", (version, isNewer) => {
  expect(buildOfVersion(version)).toEqual({ isNewer });
});
