import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { validate } from "../../src/app/commands/policies/validate.ts";

const config = join(import.meta.dirname, "../../config");

const { signal } = new AbortController();

it("the demo's configuration and policies have neither faults nor warnings", async () => {
  const files = (await readdir(join(config, "demo/policies"))).map((name) =>
    join(config, "demo/policies", name),
  );
  const result = await validate([join(config, "demo.yaml"), ...files], {}, signal);
  expect(result).toEqual({ exitStatus: 0, text: "3 files checked: 0 errors, 0 warnings\n" });
});

it("so has what is applied to the control plane of the demo's project", async () => {
  const result = await validate([join(config, "demo/platform/export-policy.yaml")], {}, signal);
  expect(result).toEqual({ exitStatus: 0, text: "1 file checked: 0 errors, 0 warnings\n" });
});
