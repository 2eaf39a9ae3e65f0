/**
 * Loaded into the daemon before its own code (`node --import`): writes down, as JSON lines, when the requests to the metrics
 * store and to the receivers were made and when their responses had come, how long the event loop stood still, how long
 * garbage collection took and what memory was used. All times are Unix epoch, ms.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

const file = process.env.FAIRNESS_PROBE_FILE;
const flushEveryMs = 500;
/** What the histogram counts from: a timer that fires in time. */
const resolutionMs = 10;

const lines = [];
const note = (entry) => lines.push(JSON.stringify(entry));
const now = () => performance.timeOrigin + performance.now();

/** @returns the team of a request, which its selector or its endpoint names; undefined for any other request */
function teamOf({ head: { path }, body }) {
  const text = path.startsWith("/api/v1/export") ? decodeURIComponent(String(body)) : path;
  const team = /team="?(\d+)/.exec(text)?.[1];
  return team === undefined ? undefined : Number(team);
}

const open = new WeakMap();
const begin =
  (kind) =>
  ({ request }) => {
    const team = request.head.method === "POST" ? teamOf(request) : undefined;
    if (team !== undefined) open.set(request, { kind, team, madeMs: now() });
  };
const end = ({ request }) => {
  const entry = open.get(request);
  if (entry === undefined) return;
  open.delete(request);
  note({ ...entry, endedMs: now() });
};
for (const [name, kind] of [
  ["store", "read"],
  ["receiver", "send"],
]) {
  subscribe(`telemetryd:${name}:request:create`, begin(kind));
  subscribe(`telemetryd:${name}:request:end`, end);
}

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) note({ kind: "gc", atMs: now(), forMs: duration });
}).observe({ entryTypes: ["gc"] });

const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
setInterval(() => {
  note({ kind: "loop", atMs: now(), forMs: Math.max(0, delay.max / 1e6 - resolutionMs) });
  delay.reset();
  note({ kind: "memory", atMs: now(), ...process.memoryUsage() });
  appendFileSync(file, `${lines.splice(0).join("\n")}\n`);
}, flushEveryMs).unref();
