/**
 * `tsx scripts/vm-runner.ts FILE`: writes a tar of the files of a runner of virtual machines, made of this
 * machine's packages; `podman import FILE localhost/telemetryd-vm-runner:1` makes an image of it.
 */
import { describeError } from "../src/base/core/errors.ts";
import { findServers } from "./servers/find.ts";
import { runnerPrograms, writeRunner } from "./servers/runner-tree.ts";

async function main([file]: readonly string[]): Promise<void> {
  if (file === undefined) throw new Error("the name of a file is missing: npm run vm-runner -- FILE");
  await findServers(runnerPrograms, { onProgress: (message) => console.error(message) });
  await writeRunner(file);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(describeError(error));
  process.exitCode = 1;
});
