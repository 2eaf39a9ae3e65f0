import type { Label } from "../../src/exporter/series/series.ts";
import { SampleSet, seriesKey } from "./sample-set.ts";
import { decodeReadResponse, encodeReadRequest, type Matcher } from "./wire-codec.ts";

export type { Matcher } from "./wire-codec.ts";

/** The samples to read: those of the matching series in `fromMs <= time <= toMs` (Unix epoch, ms). */
export interface ReadSpan {
  readonly matchers: readonly Matcher[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Labels removed from the series read, such as external labels added by a sender. */
  readonly dropLabels?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Prints matchers as a selector of PromQL and MetricsQL. */
export function selectorOf(matchers: readonly Matcher[]): string {
  return `{${matchers.map(({ name, type, value }) => `${name}${type}${JSON.stringify(value)}`).join(",")}}`;
}

/** Reads every raw sample of a VictoriaMetrics, duplicates included, line by line to bound memory. */
export async function readVictoriaMetrics(
  url: string,
  span: ReadSpan,
  signal: AbortSignal,
): Promise<SampleSet> {
  const query = new URLSearchParams({
    "match[]": selectorOf(span.matchers),
    start: String(span.fromMs / 1000),
    end: String(span.toMs / 1000),
  });
  const response = await fetch(`${url}/api/v1/export?${query}`, { headers: span.headers ?? {}, signal });
  if (!response.ok || response.body === null) {
    throw new Error(`GET ${url}/api/v1/export: ${response.status} ${(await response.text()).slice(0, 500)}`);
  }
  const set = new SampleSet();
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") addExportLine(set, line, span.dropLabels ?? []);
  }
  if (rest !== "") throw new Error(`${url}/api/v1/export ended inside of a line: ${rest.slice(0, 500)}`);
  return set;
}

/**
 * Adds the samples of one line of `/api/v1/export`. The line is not always JSON: values may be bare `Inf`,
 * `+Inf` and `-Inf` (newer versions write "Infinity" and "-Infinity", in quotes), and a staleness marker is
 * `null` or, first in its line, a bare `NaN`.
 */
export function addExportLine(set: SampleSet, line: string, dropLabels: readonly string[]): void {
  // Quotes inside a JSON string are escaped, so a label value cannot contain these separators.
  const valuesAt = line.indexOf('},"values":[');
  const timesAt = line.indexOf('],"timestamps":[', valuesAt);
  if (!line.startsWith('{"metric":') || valuesAt < 0 || timesAt < 0 || !line.endsWith("]}")) {
    throw new Error(`not a line of /api/v1/export: ${line.slice(0, 500)}`);
  }
  const metric = JSON.parse(line.slice('{"metric":'.length, valuesAt + 1)) as Record<string, string>;
  const labels = Object.entries(metric).map(([name, value]) => ({ name, value }));
  const key = keyWithout(labels, dropLabels);
  const values = line.slice(valuesAt + '},"values":['.length, timesAt).split(",");
  const times = line.slice(timesAt + '],"timestamps":['.length, -2).split(",");
  for (const [index, time] of times.entries()) set.add(key, Number(time), exportNumber(values[index] ?? ""));
}

function exportNumber(text: string): number {
  if (/^[+-]?Inf$|^"-?Infinity"$/.test(text))
    return text.includes("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (text === "null" || text === "NaN") return Number.NaN;
  const value = Number(text);
  if (text === "" || Number.isNaN(value)) throw new Error(`not a value: ${text}`);
  return value;
}

/** Longer reads are split by time, since a remote-read response is a single message. */
const maxReadMs = 60_000;

/** Reads every sample of a Prometheus by remote read, staleness markers included. */
export async function readPrometheus(url: string, span: ReadSpan, signal: AbortSignal): Promise<SampleSet> {
  const set = new SampleSet();
  for (let fromMs = span.fromMs; fromMs <= span.toMs; fromMs += maxReadMs) {
    const toMs = Math.min(fromMs + maxReadMs - 1, span.toMs);
    const response = await fetch(`${url}/api/v1/read`, {
      method: "POST",
      body: encodeReadRequest(span.matchers, fromMs, toMs),
      headers: {
        "content-type": "application/x-protobuf",
        "content-encoding": "snappy",
        "x-prometheus-remote-read-version": "0.1.0",
        ...span.headers,
      },
      signal,
    });
    if (!response.ok) {
      throw new Error(`POST ${url}/api/v1/read: ${response.status} ${(await response.text()).slice(0, 500)}`);
    }
    for (const { labels, samples } of decodeReadResponse(Buffer.from(await response.arrayBuffer()))) {
      const key = keyWithout(labels, span.dropLabels ?? []);
      for (const sample of samples) {
        if (Object.is(sample.value, Number.NaN) && !sample.isStale)
          throw new Error(`${key}: a NaN that is no marker`);
        set.add(key, sample.timestampMs, sample.value);
      }
    }
  }
  return set;
}

function keyWithout(labels: readonly Label[], dropLabels: readonly string[]): string {
  return seriesKey(
    dropLabels.length === 0 ? labels : labels.filter(({ name }) => !dropLabels.includes(name)),
  );
}

/**
 * Reads the native histograms of a Prometheus by a range selector of its query API: each as count, sum and
 * the buckets that are not empty with their bounds, in the API's text. Not by remote read: Prometheus 2.42's
 * form of samples lacks them without a word. Staleness markers are left out.
 */
export async function readNativeHistograms(
  url: string,
  { matchers, fromMs, toMs, headers = {} }: ReadSpan,
  signal: AbortSignal,
): Promise<SampleSet> {
  const form = new URLSearchParams({
    query: `${selectorOf(matchers)}[${toMs - fromMs}ms]`,
    time: String(toMs / 1_000),
  });
  const response = await fetch(`${url}/api/v1/query`, { method: "POST", body: form, headers, signal });
  if (!response.ok) {
    throw new Error(`POST ${url}/api/v1/query: ${response.status} ${(await response.text()).slice(0, 500)}`);
  }
  const { data } = (await response.json()) as { readonly data: { readonly result: readonly MatrixSeries[] } };
  const set = new SampleSet();
  for (const { metric, histograms = [] } of data.result) {
    const key = seriesKey(Object.entries(metric).map(([name, value]) => ({ name, value })));
    for (const [seconds, { count, sum, buckets = [] }] of histograms) {
      const filled = buckets.filter(([, , , held]) => held !== "0");
      set.add(key, Math.round(seconds * 1_000), JSON.stringify({ count, sum, buckets: filled }));
    }
  }
  return set;
}

interface MatrixSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly histograms?: readonly (readonly [seconds: number, histogram: MatrixHistogram])[];
}

interface MatrixHistogram {
  readonly count: string;
  readonly sum: string;
  readonly buckets?: readonly (readonly [rule: number, lower: string, upper: string, count: string])[];
}
