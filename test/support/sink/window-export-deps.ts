import type { Clock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { MemoryBudget } from "../../../src/exporter/delivery/batch/memory-budget.ts";
import { ReceiverMemory } from "../../../src/exporter/delivery/dispatch/receiver-memory.ts";
import type { StateStore } from "../../../src/exporter/delivery/state/sink-state.ts";
import { SinkRecorder } from "../../../src/exporter/delivery/stats/sink-recorder.ts";
import { SinkStats } from "../../../src/exporter/delivery/stats/sink-stats.ts";
import { SourceReader } from "../../../src/exporter/delivery/window/source-reader.ts";
import type { WindowExportDeps } from "../../../src/exporter/delivery/window/window-export.ts";
import type { SampleReader } from "../../../src/exporter/metrics-store/ports/sample-reader.ts";
import { KnownCollisions } from "../../../src/exporter/remote-write/encoding/known-collisions.ts";
import type {
  CapacityListener,
  RequestBuilder,
} from "../../../src/exporter/remote-write/encoding/request.ts";
import type { Sender } from "../../../src/exporter/remote-write/send/outcome.ts";
import { destinationWith } from "./exporter-deps.ts";

export interface WindowExportParts {
  readonly state: StateStore;
  readonly read: SampleReader["read"];
  readonly send: Sender["send"];
  readonly clock: Clock;
  readonly maxSize: number;
  readonly newBuilder?: (onCapacity?: CapacityListener) => RequestBuilder;
}

/** The parts of a sink named `sink` with one source, `a`, and one partition. */
export function windowExportDeps(parts: WindowExportParts): WindowExportDeps {
  const { state, read, send, clock, maxSize, newBuilder } = parts;
  const memory = new ReceiverMemory(clock);
  return {
    sources: new SourceReader({
      reader: { storeNowMs: () => 1_000, read },
      sources: new Map([["a", { name: "a", metricsql: "up" }]]),
      tenant: undefined,
      owner: "",
    }),
    batch: { timeoutMs: 50, maxSize, maxBytes: 2 ** 23 },
    collisions: new KnownCollisions(),
    stepMs: 1,
    metricNames: undefined,
    journal: { sink: "sink", state, storeNowMs: () => 1_000, late: undefined },
    dispatcher: {
      sink: "sink",
      receiver: {
        endpoint: "http://127.0.0.1/write",
        destination: destinationWith(send, newBuilder && { newBuilder }),
        memory,
        episode: memory.live,
        partitionCount: 1,
        dropExhausted: false,
      },
      rejected: { add: async () => undefined },
      share: new MemoryBudget(2 ** 20).openShare(),
      recorder: new SinkRecorder({ sink: "sink", stats: new SinkStats(0), clock, log: silentLogger }),
      clock,
    },
  };
}
