/**
 * `npm run prove -- abuse`, in a network namespace of its own, which is the machine that the hostile workloads run on. Without
 * root, Podman or nft, it runs without workloads, and fails on CI.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describeError } from "../../src/base/core/errors.ts";
import { requireEngine } from "../support/provider/engine.ts";
import { startNetworkNamespace } from "../support/provider/network-namespace.ts";

const reason = await requireEngine().then(
  () => undefined,
  (error: unknown) => describeError(error),
);
if (reason === undefined) {
  await using machine = await startNetworkNamespace();
  process.exitCode = await proof(machine.prefix, ["--workloads"]);
} else {
  console.error(`abuse: NO HOSTILE WORKLOADS RUN: ${reason}`);
  const status = await proof([], []);
  process.exitCode = process.env["CI"] === undefined ? status : 1;
}

/** Runs the proof with this process's arguments. @returns its exit status */
async function proof(prefix: readonly string[], options: readonly string[]): Promise<number> {
  const file = new URL("./proof.ts", import.meta.url).pathname;
  const own = [...prefix, process.execPath, "--import", "tsx", file, ...process.argv.slice(2), ...options];
  const [program = process.execPath, ...args] = own;
  const child = spawn(program, args, { stdio: "inherit" });
  // A terminal sends SIGINT to both; SIGTERM comes to this process alone.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
