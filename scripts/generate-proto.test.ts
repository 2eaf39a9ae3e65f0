import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the generated code is that of the definitions in proto/", () => {
  const tsx = createRequire(import.meta.url).resolve("tsx/cli");
  const script = fileURLToPath(new URL("generate-proto.ts", import.meta.url));
  const run = () => execFileSync(process.execPath, [tsx, script, "--check"], { stdio: "pipe" });
  expect(run).not.toThrow();
}, 300_000);
