import { uncompressSync } from "snappy";
import type { Label } from "../../../src/exporter/series/series.ts";
import { remoteWrite2 } from "./protocol.ts";
import type { ReceivedRequest, ReceiverResponse } from "./receiver.ts";

/** A series of a 2.0 request with resolved references. */
export interface Version2Series {
  readonly labels: readonly Label[];
  readonly samples: readonly { readonly timestampMs: number; readonly value: number }[];
  readonly metadata?: { readonly type: number; readonly help: string; readonly unit: string };
}

export interface Version2Receiver {
  /** Script for a receiver's `respond`. */
  readonly script: (request: ReceivedRequest) => ReceiverResponse;
  /** Series received in 2.0 requests. */
  readonly series: readonly Version2Series[];
}

const contentType = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

/**
 * A receiver of remote write 2.0 by its specification: content negotiation with 415, validation of symbols
 * and order (400), the written-counts headers.
 *
 * @param options `only`: 1.0 gets 415; `writes`: number of a request's samples reported as written;
 * `refuses`: values rejected with 400 while the request's other samples are written, as in Prometheus
 */
export function speakVersion2(
  options: {
    readonly only?: boolean;
    readonly writes?: (samples: number) => number;
    readonly refuses?: (value: number) => boolean;
  } = {},
): Version2Receiver {
  const series: Version2Series[] = [];
  const script = (request: ReceivedRequest): ReceiverResponse => {
    const type = String(request.headers["content-type"]).replaceAll(" ", "");
    if (type !== contentType) return options.only === true ? { status: 415 } : {};
    if (request.headers["x-prometheus-remote-write-version"] !== "2.0.0")
      return { status: 400, body: "version" };
    const decoded = decode(request.body);
    if (typeof decoded === "string") return { status: 400, body: decoded };
    const sent = samplesIn(decoded);
    const good = decoded.map((one) => ({
      ...one,
      samples: one.samples.filter(({ value }) => options.refuses?.(value) !== true),
    }));
    series.push(...good);
    const count = samplesIn(good);
    return {
      status: count < sent ? 400 : 204,
      headers: {
        "X-Prometheus-Remote-Write-Samples-Written": String(options.writes?.(count) ?? count),
        "X-Prometheus-Remote-Write-Histograms-Written": "0",
        "X-Prometheus-Remote-Write-Exemplars-Written": "0",
      },
    };
  };
  return { script, series };
}

function samplesIn(series: readonly Version2Series[]): number {
  return series.reduce((sum, { samples }) => sum + samples.length, 0);
}

/** @returns the series, or the violated rule of the specification */
function decode(body: Buffer): Version2Series[] | string {
  const { Request } = remoteWrite2;
  const { symbols, timeseries } = Request.decode(uncompressSync(body, { asBuffer: true }) as Buffer);
  if (symbols[0] !== "") return "the first symbol must be empty";
  if (new Set(symbols).size !== symbols.length) return "a symbol is there twice";
  const found: Version2Series[] = [];
  for (const one of timeseries) {
    const refs = one.labelsRefs ?? [];
    if (refs.length % 2 === 1) return "references come in pairs";
    if (refs.some((ref) => ref >= symbols.length)) return "a reference leads nowhere";
    const texts = refs.map((ref) => symbols[ref] ?? "");
    const labels = texts.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: texts[at + 1] ?? "" }] : []));
    if (labels.some(({ name, value }) => name === "" || value === "")) return "an empty label";
    const names = labels.map(({ name }) => Buffer.from(name));
    if (names.some((name, at) => at > 0 && Buffer.compare(names[at - 1] ?? name, name) >= 0)) return "order";
    const samples = (one.samples ?? []).map((sample) => ({
      timestampMs: Number(sample.timestamp ?? 0),
      value: sample.value ?? 0,
    }));
    const { metadata } = one;
    found.push({
      labels,
      samples,
      ...(metadata && {
        metadata: {
          type: Number(metadata.type ?? 0),
          help: symbols[metadata.helpRef ?? 0] ?? "",
          unit: symbols[metadata.unitRef ?? 0] ?? "",
        },
      }),
    });
  }
  return found;
}
