import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { validate } from "../../src/commands/validate.ts";

const config = join(import.meta.dirname, "../../config");

it("the demo's configuration and policies have neither faults nor warnings", async () => {
  const files = (await readdir(join(config, "demo/policies"))).map((name) =>
    join(config, "demo/policies", name),
  );
  files.push(join(config, "demo/platform/export-policy.yaml"));
  const result = await validate([join(config, "demo.yaml"), ...files], {}, new AbortController().signal);
  expect(result).toEqual({ exitStatus: 0, text: "4 files checked: 0 errors, 0 warnings\n" });
});
