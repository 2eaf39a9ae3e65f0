import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changelogFaults } from "./release/changelog.ts";
import { isAllowed, productionDependencies } from "./release/licences.ts";
import {
  lock,
  manifest,
  packForNpm,
  projectRoot as root,
  run,
  withFolder,
  writeProduction,
} from "./release/npm-package.ts";
import { packageFaults } from "./release/package-contents.ts";
import { type Sbom, sbomFaults } from "./release/sbom.ts";

/**
 * `npm run release:check`: all checks before a release, after `npm ci` and `npm test`. Leaves the artifacts
 * to publish in `release/`: the package and its bill of materials.
 *
 * `--unreleased`: the version is in development; its CHANGELOG section may still be called Unreleased.
 */
const output = join(root, "release");
const unreleased = process.argv.includes("--unreleased");
const product = { name: manifest.name, version: manifest.version };
const dependencies = productionDependencies(lock);

let failed = 0;
function report(what: string, faults: readonly string[]): void {
  process.stdout.write(`release:check: ${faults.length === 0 ? "ok" : "FAILED"}: ${what}\n`);
  for (const fault of faults) process.stdout.write(`    ${fault}\n`);
  if (faults.length > 0) failed += 1;
}

function attempt(what: string, check: () => readonly string[]): void {
  try {
    report(what, check());
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    // Node's own message repeats the command's standard error.
    report(what, [
      message.split("\n")[0] ?? "",
      ...[stderr.trim(), stdout.trim()].filter((text) => text !== ""),
    ]);
  }
}

/**
 * Generates the bill of materials with npm, from the lock file without development dependencies. (In an
 * installed project, `npm sbom --omit dev` leaves out packages that are needed by both.) Includes packages
 * for every platform.
 */
function checkSbom(): string[] {
  return withFolder((folder) => {
    // npm names a package that is in no registry after its folder.
    const project = join(folder, product.name);
    writeProduction(project, "package-lock.json");
    const flags = ["--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
    const sbom = JSON.parse(run("npm", ["sbom", ...flags], project)) as Sbom;
    writeFileSync(
      join(output, `${product.name}-${product.version}.cdx.json`),
      `${JSON.stringify(sbom, undefined, 2)}\n`,
    );
    return sbomFaults(sbom, product, dependencies);
  });
}

/** Packs the project. @returns its faults, and the file */
function checkPackage(): { readonly faults: string[]; readonly file: string } {
  const { filename, size, unpackedSize, files } = packForNpm(output);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
  process.stdout.write(
    `release:check: ${filename}: ${files.length} files, ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked\n`,
  );
  return { faults: packageFaults(files.map(({ path }) => path)), file: join(output, filename) };
}

/** Faults of an installed program whose package is in `packageFolder`. */
function programFaults(command: string, args: readonly string[], packageFolder: string): string[] {
  const say = (...more: string[]): string => run(command, [...args, ...more], packageFolder);
  const faults: string[] = [];
  const found = say("--version").trim();
  if (found !== product.version) faults.push(`--version says ${found}`);
  if (!say("--help").startsWith("Usage: telemetryd")) faults.push("--help says something else");
  if (!say("validate", "config/policies").includes(" 0 errors")) {
    faults.push("validate finds faults in its own samples");
  }
  return faults;
}

/** Faults of the programs that kubectl calls. */
function pluginFaults(bin: string): string[] {
  const faults: string[] = [];
  if (!run(join(bin, "kubectl-telemetryd"), ["--help"], bin).startsWith("Usage: kubectl telemetryd")) {
    faults.push("kubectl-telemetryd --help says something else");
  }
  if (!run(join(bin, "kubectl_complete-telemetryd"), ["sta"], bin).startsWith("status\t")) {
    faults.push("kubectl_complete-telemetryd does not complete");
  }
  return faults;
}

/**
 * Installs the package as a dependency: npm then resolves versions itself and ignores the project's
 * overrides.
 */
function checkDependency(file: string): string[] {
  return withFolder((folder) => {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    run("npm", ["install", "--no-engine-strict", ...quietly, file], folder);
    const installed = join(folder, "node_modules", product.name);
    const bin = join(folder, "node_modules/.bin");
    return [...programFaults(join(bin, "telemetryd"), [], installed), ...pluginFaults(bin)];
  });
}

/** Installs the package in the recommended way: unpacked, with exactly the tested versions. */
function checkUnpacked(file: string): string[] {
  return withFolder((folder) => {
    run("tar", ["-xzf", file, "--strip-components=1"], folder);
    run("npm", ["ci", "--engine-strict", ...quietly], folder);
    return programFaults(process.execPath, ["dist/cli.js"], folder);
  });
}

const quietly = ["--ignore-scripts", "--no-audit", "--no-fund"];

rmSync(output, { recursive: true, force: true });
mkdirSync(output);
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
report("the changelog tells of this version", changelogFaults(changelog, product.version, unreleased));
report(
  "every licence is allowed",
  dependencies
    .filter(({ licence }) => !isAllowed(licence))
    .map((each) => `${each.name} ${each.version}: ${each.licence}`),
);
attempt("the bill of materials (CycloneDX) has what is shipped", checkSbom);
let packageFile = "";
attempt("the package has what it should, and nothing else", () => {
  run("npm", ["run", "build"], root);
  const { faults, file } = checkPackage();
  packageFile = file;
  return faults;
});
attempt("the package installs into an empty folder and runs", () => checkDependency(packageFile));
attempt("unpacked, with the versions that were tested, it runs", () => checkUnpacked(packageFile));
process.exitCode = failed > 0 ? 1 : 0;
