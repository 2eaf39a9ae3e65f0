import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Releasers } from "../../../src/base/core/service.ts";
import { type ReplicaOptions, startReplica } from "./replica.ts";

/** A replica in a separate process, so that it can be killed. */
export interface ReplicaProcess {
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

export function startReplicaProcess(options: ReplicaOptions): ReplicaProcess {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] !== undefined) {
  const releasers = new Releasers();
  await startReplica(JSON.parse(process.argv[2]) as ReplicaOptions, releasers);
  // The parent process may die first.
  process.once("disconnect", () => void releasers.releaseAll());
}
