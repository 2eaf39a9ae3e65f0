import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { chartFiles } from "./chart/chart-files.ts";

/** Generates the files of config/helm/telemetryd that have their source elsewhere. */
const chart = new URL("../config/helm/telemetryd/", import.meta.url);

for (const [path, text] of Object.entries(chartFiles())) {
  const file = new URL(path, chart);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, text);
}
const schema = new URL("values.schema.json", chart).pathname;
execFileSync("npx", ["biome", "format", "--write", schema], { stdio: "inherit" });
