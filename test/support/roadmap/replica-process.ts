import { Releasers } from "../../../src/base/core/service.ts";
import { type ForkedProcess, forkedOptions, startForked } from "../forked-process.ts";
import { type ReplicaOptions, startReplica } from "./replica.ts";

/** A replica in a separate process, so that it can be killed. */
export function startReplicaProcess(options: ReplicaOptions): ForkedProcess {
  return startForked(import.meta.url, options);
}

const options = forkedOptions<ReplicaOptions>(import.meta.url);
if (options !== undefined) {
  const releasers = new Releasers();
  await startReplica(options, releasers);
  // The parent process may die first.
  process.once("disconnect", () => void releasers.releaseAll());
}
