/**
 * `tsx scripts/servers/newer.ts`: builds newer servers than Debian's with Go, where they are missing, and prints
 * the environment that makes the tests and benchmarks use them, a variable a line:
 *
 *   env $(npm run --silent servers:newer) npm run test:integration
 */
import { join, resolve } from "node:path";
import { describeError } from "../../src/base/core/errors.ts";
import { isProgram } from "../../src/base/core/program-file.ts";
import { catalogue, type ServerName } from "./catalogue.ts";
import { buildWithGo, findGo, type GoProgram } from "./go.ts";
import { lockName } from "./install.ts";
import { withMachineLock } from "./lock.ts";

/** The newest that can be built with Go 1.26. */
const newer: Partial<Record<ServerName, GoProgram>> = {
  "victoria-metrics": ofVictoriaMetrics("victoria-metrics"),
  vmagent: ofVictoriaMetrics("vmagent"),
  prometheus: ofPrometheus("prometheus"),
  promtool: ofPrometheus("promtool"),
};

function ofPrometheus(program: string): GoProgram {
  // The clients of two dozen clouds are most of what there is to build.
  return { goPackage: `github.com/prometheus/prometheus/cmd/${program}@v0.315.0`, tags: "remove_all_sd" };
}

function ofVictoriaMetrics(program: string): GoProgram {
  const path = "github.com/VictoriaMetrics/VictoriaMetrics";
  return {
    goPackage: `${path}/app/${program}@v1.150.0`,
    versionVariable: `${path}/lib/buildinfo.Version`,
  };
}

/** Beside the folder of other programs, where they would be found as unpacked ones. */
const directory = resolve(import.meta.dirname, "../../.demo/newer-servers");

async function main(signal: AbortSignal): Promise<void> {
  const go = await findGo();
  if (go === undefined) throw new Error("newer servers need Go, which is not installed");
  const variables: string[] = [];
  await withMachineLock(
    lockName(directory),
    async () => {
      for (const [name, program] of Object.entries(newer)) {
        const file = join(directory, name);
        if (!(await isProgram(file))) {
          console.error(`building ${program.goPackage} with Go; this may take some minutes`);
          await buildWithGo(go, program, file, signal);
        }
        variables.push(`${catalogue[name as ServerName].variable}=${file}`);
      }
    },
    signal,
  );
  // All or none: with some of them, a run would say that it had all.
  console.log(variables.join("\n"));
}

main(new AbortController().signal).catch((error: unknown) => {
  console.error(describeError(error));
  process.exitCode = 1;
});
