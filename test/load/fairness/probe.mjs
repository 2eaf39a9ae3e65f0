/**
 * Loaded into the daemon before its own code (`node --import`): writes down, as JSON lines, when the requests to the metrics
 * store and to the receivers were made and when their responses had come, how long the event loop stood still, how much CPU
 * time a stall took and what ran then, how long garbage collection took and what memory was used. All times are Unix epoch,
 * ms.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, openSync, readSync } from "node:fs";
import { Session } from "node:inspector";
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

/** A turn that lasts longer than this delays the timer that measures stalls. */
const stallResolutionMs = 5;
/** Stalls of less CPU time are not explained: reading a profile takes a few ms itself. */
const explainedMs = 25;
const schedulerFile = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const schedulerText = Buffer.alloc(64);
/** CPU time of the main thread, ms: unlike wall time, it does not grow while other processes run. */
function cpuMs() {
  const length = readSync(schedulerFile, schedulerText, 0, schedulerText.length, 0);
  return Number.parseInt(schedulerText.toString("latin1", 0, length), 10) / 1e6;
}

/** Set it to learn what ran in a stall. A profile slows the daemon, so no limit holds with it. */
const isProfiled = process.env.FAIRNESS_PROBE_PROFILE === "1";
const session = new Session();
session.connect();
if (isProfiled) {
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: 1_000 });
  session.post("Profiler.start");
}
const microseconds = () => Number(process.hrtime.bigint() / 1_000n);
/** Ends the profile and starts the next. @returns the functions in most of a span's samples, the outermost first */
function explain({ fromUs, toUs }) {
  let names = [];
  session.post("Profiler.stop", (error, { profile } = {}) => {
    if (!error) names = commonFrames(profile, fromUs, toUs);
  });
  session.post("Profiler.start");
  return names;
}

function commonFrames({ nodes, samples, timeDeltas, startTime }, fromUs, toUs) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const counts = new Map();
  let [atUs, within] = [startTime, 0];
  samples.forEach((sample, index) => {
    atUs += timeDeltas[index];
    if (atUs < fromUs || atUs > toUs) return;
    within += 1;
    for (let id = sample; id !== undefined; id = parents.get(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  });
  return [...counts]
    .filter(([, count]) => count * 2 >= within)
    .sort(([first], [second]) => first - second)
    .map(([id]) => byId.get(id).callFrame.functionName)
    .filter((name) => name !== "" && name !== "(root)");
}

let last = { cpu: cpuMs(), us: microseconds() };
let stall = { cpuMs: 0, fromUs: 0, toUs: 0 };
setInterval(() => {
  const current = { cpu: cpuMs(), us: microseconds() };
  const usedMs = current.cpu - last.cpu;
  if (usedMs > stall.cpuMs) stall = { cpuMs: usedMs, fromUs: last.us, toUs: current.us };
  last = current;
}, stallResolutionMs).unref();
function noteStall() {
  const names = isProfiled && stall.cpuMs >= explainedMs ? explain(stall) : [];
  note({ kind: "stall", atMs: now(), forMs: stall.cpuMs, names });
  stall = { cpuMs: 0, fromUs: 0, toUs: 0 };
  // Of the explanation's own time nothing counts.
  last = { cpu: cpuMs(), us: microseconds() };
}

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) note({ kind: "gc", atMs: now(), forMs: duration });
}).observe({ entryTypes: ["gc"] });

const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
setInterval(() => {
  note({ kind: "loop", atMs: now(), forMs: Math.max(0, delay.max / 1e6 - resolutionMs) });
  delay.reset();
  noteStall();
  note({ kind: "memory", atMs: now(), ...process.memoryUsage() });
  appendFileSync(file, `${lines.splice(0).join("\n")}\n`);
}, flushEveryMs).unref();
