/**
 * Makes the static encoders and decoders of `src/remote-write/gen/` from `proto/`. They are the reference that tests
 * and tools hold the hand-written encoder of the hot path against; the daemon does not load them.
 *
 * `npm run generate:proto` writes; with `--check` it compares, and exits 1 when the files are not current.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const versions = ["1.0", "2.0"];
const outputs = versions.flatMap((version) => [`remote-write-${version}.js`, `remote-write-${version}.d.ts`]);

function generate(directory: string): void {
  const packageFile = createRequire(import.meta.url).resolve("protobufjs-cli/package.json");
  for (const version of versions) {
    const options = [
      "--target",
      "static-module",
      "--wrap",
      "esm",
      "--root",
      `remote-write-${version}`,
      "--dts",
    ];
    // What the tests do not use stays out: half the size, and nothing to wonder about.
    const without = ["--no-verify", "--no-delimited", "--no-typeurl", "--force-number"];
    const out = ["--out", join(directory, `remote-write-${version}.js`)];
    const command = [join(dirname(packageFile), "bin/pbjs"), ...options, ...without, ...out];
    execFileSync(process.execPath, [...command, join(root, `proto/remote-write-${version}.proto`)], {
      stdio: "inherit",
    });
    // The types import `long` in any case; with --force-number nothing uses it, and it is no dependency of ours.
    const types = join(directory, `remote-write-${version}.d.ts`);
    writeFileSync(types, readFileSync(types, "utf8").replace(/^import Long = .*\n/m, ""));
  }
}

const target = join(root, "src/remote-write/gen");
if (process.argv.includes("--check")) {
  const scratch = mkdtempSync(join(tmpdir(), "telemetryd-proto-"));
  try {
    generate(scratch);
    const stale = outputs.filter(
      (file) => readFileSync(join(scratch, file), "utf8") !== readFileSync(join(target, file), "utf8"),
    );
    if (stale.length > 0) {
      console.error(`not current: ${stale.join(", ")}; run npm run generate:proto`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
} else {
  generate(target);
}
