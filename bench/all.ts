import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** `npm run bench -- micro`: runs every micro-benchmark in turn, each in its own process, then the floor benchmark. */
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".bench.ts"));
for (const file of [...files.sort(), "floor.ts"]) {
  process.stdout.write(`\n${file}\n`);
  const child = spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, file)], {
    stdio: "inherit",
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) {
    process.stderr.write(`${file} ended with ${String(code)}\n`);
    process.exitCode = 1;
  }
}
