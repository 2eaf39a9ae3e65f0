/**
 * The cost of the journal and the checkpoint: recording requests as sent and as acknowledged in a state log
 * on disk, compared with the same in memory. `npx tsx bench/journal.bench.ts` prints processor time per
 * request and per sample.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../src/base/log/log.ts";
import { RequestEntries } from "../src/exporter/delivery/state/request-entries.ts";
import type { StateStore } from "../src/exporter/delivery/state/sink-state.ts";
import { SinkStates } from "../src/exporter/delivery/state/sink-states.ts";
import { StateLog } from "../src/exporter/delivery/state/state-log.ts";

const requests = 5_000;
const partitions = 4;
const seriesEach = 500;

/** Records a window of requests in partitions, as the exporter does, then ends the window. */
async function runWindow(store: StateStore): Promise<void> {
  const window = await store.openWindow("sink", { fromMs: 0, toMs: 1, stepMs: 1 }, ["source"]);
  const partition = async () => {
    for (let sent = 0; sent < requests / partitions; sent++) {
      const entries = new RequestEntries(0);
      for (let index = 0; index < seriesEach; index++) entries.addTimes(index, sent, [1]);
      await store.requestAcknowledged(window, await store.requestSent(window, entries));
    }
  };
  await Promise.all(Array.from({ length: partitions }, partition));
  await store.closeSources(window, ["source"]);
}

async function measure(store: StateStore): Promise<object> {
  await runWindow(store);
  const before = process.cpuUsage();
  await runWindow(store);
  const { user, system } = process.cpuUsage(before);
  const micros = (user + system) / requests;
  return {
    "CPU us a request": micros.toFixed(1),
    "CPU us a sample of 500": (micros / seriesEach).toFixed(3),
  };
}

const directory = await mkdtemp(join(tmpdir(), "telemetryd-journal-"));
const file = await StateLog.open({ directory, log: createLogger("error", process.stderr, false) });
const table = { "in memory": await measure(new SinkStates()), "on disk": await measure(file.store) };
await file.close();
await rm(directory, { recursive: true });
console.table(table);
