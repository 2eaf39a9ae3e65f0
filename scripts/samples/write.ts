import type { Label } from "../../src/exporter/series/series.ts";
import { encodeWriteRequest, type WrittenSample } from "./wire-codec.ts";

/**
 * A series to write. NaN represents a staleness marker.
 *
 * VictoriaMetrics (1.79.5) stores decimal numbers with one exponent for all values of a block. A block that
 * spans many orders of magnitude loses the small values (1e-9 beside 1e15 is read back as 0), a value keeps
 * about 15 significant digits, negative zero and subnormal numbers become 0. Infinities survive. Ordinary
 * NaNs are dropped silently. Duplicate samples are all kept.
 */
export interface WrittenSeries {
  readonly labels: readonly Label[];
  readonly samples: readonly { readonly timestampMs: number; readonly value: number }[];
}

const maxChunkLength = 4 * 2 ** 20;
const maxSeriesPerRequest = 2000;

/**
 * Writes samples to a VictoriaMetrics; resolves when queries return them. Staleness markers are sent by
 * remote write, the only protocol that supports them, everything else as JSON lines of `/api/v1/import`.
 */
export async function writeToVictoriaMetrics(
  url: string,
  series: Iterable<WrittenSeries>,
  signal: AbortSignal,
): Promise<void> {
  await importLines(url, importLinesOf(series), signal);
  const stale: WrittenSeries[] = [];
  for (const { labels, samples } of series) {
    const markers = samples.filter(({ value }) => Number.isNaN(value));
    if (markers.length > 0) stale.push({ labels, samples: markers });
  }
  if (stale.length > 0) await writeByRemoteWrite(`${url}/api/v1/write`, stale, signal);
  await flushVictoriaMetrics(url, signal);
}

function* importLinesOf(series: Iterable<WrittenSeries>): Generator<string> {
  for (const { labels, samples } of series) {
    const numbers = samples.filter(({ value }) => !Number.isNaN(value));
    if (numbers.length === 0) continue;
    const metric = JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value])));
    const values = numbers.map(({ value }) => importNumber(value)).join(",");
    const timestamps = numbers.map(({ timestampMs }) => timestampMs).join(",");
    yield `{"metric":${metric},"values":[${values}],"timestamps":[${timestamps}]}\n`;
  }
}

/** A number as `/api/v1/import` accepts it: `Inf` is valid, `Infinity` and an overflowing literal are not. */
function importNumber(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return value > 0 ? "Inf" : "-Inf";
}

/**
 * Sends lines to `/api/v1/import`. VictoriaMetrics responds with 204 even for malformed lines, which it skips
 * and logs, so all lines must be well-formed.
 */
export async function importLines(url: string, lines: Iterable<string>, signal: AbortSignal): Promise<void> {
  let chunk: string[] = [];
  let length = 0;
  const send = async (): Promise<void> => {
    if (length > 0) await post(`${url}/api/v1/import`, chunk.join(""), {}, signal);
    chunk = [];
    length = 0;
  };
  for (const line of lines) {
    chunk.push(line);
    length += line.length;
    if (length > maxChunkLength) await send();
  }
  await send();
}

/** Makes samples written so far visible to queries; otherwise that takes about a second. */
export async function flushVictoriaMetrics(url: string, signal: AbortSignal): Promise<void> {
  await post(`${url}/internal/force_flush`, "", {}, signal);
}

/** A series to write by remote write, which has native histograms too. */
export interface RemotelyWrittenSeries {
  readonly labels: readonly Label[];
  readonly samples: readonly WrittenSample[];
}

/** Sends samples to a remote-write 1.0 endpoint, in requests with a bounded number of series. */
export async function writeByRemoteWrite(
  endpoint: string,
  series: Iterable<RemotelyWrittenSeries>,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    "content-type": "application/x-protobuf",
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": "0.1.0",
  };
  let pending: RemotelyWrittenSeries[] = [];
  const send = async (): Promise<void> => {
    if (pending.length > 0) await post(endpoint, encodeWriteRequest(pending), headers, signal);
    pending = [];
  };
  for (const one of series) {
    pending.push(one);
    if (pending.length >= maxSeriesPerRequest) await send();
  }
  await send();
}

async function post(
  url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, { method: "POST", body, headers, signal });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text.slice(0, 500)}`);
}
