import { expect, it } from "vitest";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import {
  describeDiff,
  diffSamples,
  makeLabels,
  type ReadSpan,
  readPrometheus,
  readVictoriaMetrics,
  SampleSet,
  seriesKey,
  valueAt,
  type WrittenSeries,
  writeByRemoteWrite,
  writeToVictoriaMetrics,
} from "../support/samples.ts";
import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

const { signal } = new AbortController();
const nowMs = Math.floor(Date.now() / 1000) * 1000;
const span: ReadSpan = {
  matchers: [{ name: "job", type: "=", value: "known" }],
  fromMs: nowMs - 600_000,
  toMs: nowMs,
};

let victoria: RunningServer;
let prometheus: RunningServer;
let receiver: Receiver;

setUpAll(async ({ keep }) => {
  victoria = await keep(startVictoriaMetrics());
  prometheus = await keep(startPrometheus());
  receiver = await keep(startReceiver());
});

/**
 * 2,000 series with odd label values, counters, gauges, infinities, and a staleness marker at the end of
 * every tenth.
 */
function known(): { series: WrittenSeries[]; set: SampleSet } {
  const set = new SampleSet();
  const series = makeLabels({ count: 2000, labels: 11, job: "known" }).map((labels, index) => {
    const odd = [...labels, { name: "odd", value: `"\\},"values":[1] ünï \n${index}` }];
    const samples = Array.from({ length: 10 }, (_, step) => {
      const timestampMs = nowMs - 100_000 + step * 1000 + (index % 3);
      const value = step === 9 && index % 10 === 0 ? Number.NaN : valueAt(index, timestampMs);
      return { timestampMs, value };
    });
    for (const { timestampMs, value } of samples) set.add(seriesKey(odd), timestampMs, value);
    return { labels: odd, samples };
  });
  return { series, set };
}

const nothing = "0 missing, 0 extra, 0 different, 0 repeated";

it("what is written into VictoriaMetrics is read back, markers and infinities included", async () => {
  const { series, set } = known();
  await writeToVictoriaMetrics(victoria.url, series, signal);
  const held = await readVictoriaMetrics(victoria.url, span, signal);
  expect(describeDiff(diffSamples(set, held))).toBe(nothing);
});

it("what is written into Prometheus is read back by remote read", async () => {
  const { series, set } = known();
  await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, series, signal);
  const held = await readPrometheus(prometheus.url, span, signal);
  expect(describeDiff(diffSamples(set, held))).toBe(nothing);
});

it("the receiver of tests holds what it was sent, in order of arrival", async () => {
  receiver.clear();
  const { series, set } = known();
  await writeByRemoteWrite(receiver.url, series, signal);
  expect(describeDiff(diffSamples(set, receiver.samples()))).toBe(nothing);
  expect(receiver.requests[0]).toMatchObject({
    method: "POST",
    path: "/api/v1/write",
    headers: { "content-encoding": "snappy", "content-type": "application/x-protobuf" },
    metadata: [],
    decodeError: undefined,
  });
  const first = series[0]!;
  expect(receiver.arrivals().get(seriesKey(first.labels))).toEqual(first.samples);
});

it("the receiver of tests responds as it was set", async () => {
  await using scripted = await startReceiver();
  scripted.respond(({ index }) => {
    if (index === 0) return { status: 503, headers: { "retry-after": "2" }, body: "busy", delayMs: 50 };
    if (index === 1) return { fault: "reset", store: true };
    if (index === 2) return { fault: "cut", status: 200 };
    if (index === 3) return { fault: "hang" };
    return undefined;
  });
  const send = (limitMs = 5000): Promise<Response> =>
    fetch(scripted.url, { method: "POST", body: "not snappy", signal: AbortSignal.timeout(limitMs) });

  const busy = await send();
  expect([busy.status, busy.headers.get("retry-after"), await busy.text()]).toEqual([503, "2", "busy"]);
  await expect(send()).rejects.toThrow("fetch failed");
  const cut = await send();
  await expect(cut.text()).rejects.toThrow();
  await expect(send(100)).rejects.toThrow(/timeout/);
  expect((await send()).status).toBe(204);
  expect(scripted.requests.map(({ decodeError }) => decodeError !== undefined)).toEqual(Array(5).fill(true));
  expect(scripted.inFlight().most).toBe(1);
});
