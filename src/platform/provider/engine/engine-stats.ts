import type { InstanceStats } from "../runtime/runtime.ts";
import { type EngineClient, unlessRefused } from "./engine-client.ts";
import { containerStats, type ListedContainer, readResponse } from "./engine-objects.ts";
import { labelOf } from "./labels.ts";
import type { RestartRecord } from "./restart-record.ts";

const requestsAtOnce = 4;
const limitMs = 5_000;

/** What instances use, by their containers; of one that has ended, only the restarts are not 0. */
export async function readStats(
  client: EngineClient,
  containers: readonly ListedContainer[],
  restarts: Pick<RestartRecord, "restarts">,
  signal: AbortSignal,
): Promise<InstanceStats[]> {
  const byUid = new Map<string, InstanceStats>();
  const rest = containers.values();
  const worker = async (): Promise<void> => {
    for (const container of rest) {
      const stats = await readOne(client, container, restarts, signal);
      if (stats !== undefined) byUid.set(stats.uid, sum(byUid.get(stats.uid), stats));
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
  return [...byUid.values()];
}

async function readOne(
  client: EngineClient,
  { Id, Labels, State }: ListedContainer,
  record: Pick<RestartRecord, "restarts">,
  signal: AbortSignal,
): Promise<InstanceStats | undefined> {
  const { [labelOf.instance]: uid = "", [labelOf.container]: container = "" } = Labels;
  const about = {
    uid,
    plane: Labels[labelOf.plane] ?? "",
    name: Labels[labelOf.name] ?? "",
    workload: Labels[labelOf.workload] ?? "",
    restarts: await record.restarts(uid, container),
  };
  const ended = { cpuSeconds: 0, memoryBytes: 0, networkReceiveBytes: 0, networkTransmitBytes: 0 };
  if (State !== "running") return { ...about, ...ended };
  const path = `/containers/${Id}`;
  const query = { stream: "false", "one-shot": "true" };
  const response = await unlessRefused(
    [404, 409, 500],
    client.send("GET", `${path}/stats`, { query, limitMs }, signal),
  );
  if (response === undefined) return undefined;
  const { cpu_stats, memory_stats, networks } = readResponse(containerStats, response);
  // The containers of an instance share its network: each would count it again.
  const interfaces = Labels[labelOf.position] === "0" ? Object.values(networks ?? {}) : [];
  return {
    ...about,
    cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9,
    // Files that can be dropped from memory are not in use; `docker stats` leaves them out too.
    memoryBytes: Math.max(0, memory_stats.usage - (memory_stats.stats?.inactive_file ?? 0)),
    networkReceiveBytes: interfaces.reduce((bytes, { rx_bytes }) => bytes + rx_bytes, 0),
    networkTransmitBytes: interfaces.reduce((bytes, { tx_bytes }) => bytes + tx_bytes, 0),
  };
}

function sum(a: InstanceStats | undefined, b: InstanceStats): InstanceStats {
  if (a === undefined) return b;
  return {
    ...b,
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    memoryBytes: a.memoryBytes + b.memoryBytes,
    networkReceiveBytes: a.networkReceiveBytes + b.networkReceiveBytes,
    networkTransmitBytes: a.networkTransmitBytes + b.networkTransmitBytes,
    restarts: a.restarts + b.restarts,
  };
}
