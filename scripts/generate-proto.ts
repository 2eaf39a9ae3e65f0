/**
 * Generates the static encoders and decoders of `src/exporter/remote-write/encoding/gen/` and
 * `src/exporter/metrics-store/prometheus/gen/` from `proto/`. They are the reference for the hand-written
 * encoders and decoders in tests and tools; the daemon does not load them.
 *
 * `npm run generate:proto` writes the files; with `--check` it compares them and exits 1 when they are out of
 * date.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const rooms = {
  "remote-write-1.0": "src/exporter/remote-write/encoding/gen",
  "remote-write-2.0": "src/exporter/remote-write/encoding/gen",
  "remote-read": "src/exporter/metrics-store/prometheus/gen",
};
const outputs = Object.entries(rooms).flatMap(([name, room]) =>
  [`${name}.js`, `${name}.d.ts`].map((file) => ({ file, room })),
);

function generate(directory: string): void {
  const packageFile = createRequire(import.meta.url).resolve("protobufjs-cli/package.json");
  for (const name of Object.keys(rooms)) {
    const options = ["--target", "static-module", "--wrap", "esm", "--root", name, "--dts"];
    // Omits code that the tests do not use.
    const without = ["--no-verify", "--no-delimited", "--no-typeurl", "--force-number"];
    const out = ["--out", join(directory, `${name}.js`)];
    const command = [join(dirname(packageFile), "bin/pbjs"), ...options, ...without, ...out];
    execFileSync(process.execPath, [...command, join(root, `proto/${name}.proto`)], {
      stdio: "inherit",
    });
    // The types always import `long`; with --force-number it is unused, and it is not a dependency.
    const types = join(directory, `${name}.d.ts`);
    writeFileSync(types, readFileSync(types, "utf8").replace(/^import Long = .*\n/m, ""));
  }
}

const scratch = mkdtempSync(join(tmpdir(), "telemetryd-proto-"));
try {
  generate(scratch);
  if (process.argv.includes("--check")) {
    const stale = outputs.filter(
      ({ file, room }) =>
        readFileSync(join(scratch, file), "utf8") !== readFileSync(join(root, room, file), "utf8"),
    );
    if (stale.length > 0) {
      console.error(`not current: ${stale.map(({ file }) => file).join(", ")}; run npm run generate:proto`);
      process.exitCode = 1;
    }
  } else {
    for (const { file, room } of outputs) {
      mkdirSync(join(root, room), { recursive: true });
      copyFileSync(join(scratch, file), join(root, room, file));
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}
