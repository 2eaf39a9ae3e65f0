import fc from "fast-check";
import { expect, test } from "vitest";
import {
  encodeChunkedResponse,
  encodeSamplesResponse,
} from "../../../test/support/store/remote-read-response.ts";
import { encodeXorChunk } from "../../../test/support/store/xor-chunk.ts";
import { type Label, Series } from "../series/series.ts";
import { ExemplarDecoder } from "./exemplars/exemplar-decoder.ts";
import { nameSeries, seriesOf } from "./expressions/evaluated-series.ts";
import { parseQueryResponse } from "./expressions/query-response.ts";
import { ReadResponseDecoder } from "./prometheus/read-response.ts";
import { LabelCache } from "./samples/label-cache.ts";
import { ExportLineDecoder } from "./victoriametrics/export-lines.ts";

const window = { fromMs: 0, toMs: 10_000 };
const sample = { timestampMs: 5_000, bits: 0x4018000000000000n };
const pieces = ["\\", '"', "u0022", "a", "{", "}", ":", ",", "\n", "\t", "=", "é", "😀", "\u0000", "\ufffd"];
const ofPieces = fc.string({ unit: fc.constantFrom(...pieces), minLength: 1, maxLength: 4 });
const known = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "__name__",
  "length",
  "1",
  "07",
  "-0",
];
const nameAny = fc.oneof(ofPieces, fc.constantFrom(...known));
const labelsAny = fc.uniqueArray(fc.record({ name: nameAny, value: fc.oneof(ofPieces, nameAny) }), {
  selector: ({ name }) => name,
  maxLength: 4,
});
const all = fc.uniqueArray(labelsAny.map(sorted), {
  selector: (labels) => JSON.stringify(labels),
  maxLength: 5,
});

type Read = (series: readonly (readonly Label[])[]) => readonly (readonly Label[])[];

const readers: readonly (readonly [string, Read])[] = [
  ["VictoriaMetrics' export", exported],
  ["remote read, chunks", (series) => remoteRead(series, "chunks")],
  ["remote read, samples", (series) => remoteRead(series, "samples")],
  ["an expression's result", evaluated],
  ["exemplars", exemplars],
];

test.each(readers)("%s: every series has its labels, however they are named", (_, read) => {
  fc.assert(
    fc.property(all, (series) => {
      expect(read(series)).toEqual(series);
    }),
    { numRuns: 500 },
  );
});

function exported(series: readonly (readonly Label[])[]): readonly (readonly Label[])[] {
  const found: (readonly Label[])[] = [];
  const decoder = new ExportLineDecoder(new LabelCache(2 ** 20), window, ({ labels }) => {
    found.push(labels);
    return undefined;
  });
  const line = (labels: readonly Label[]) =>
    `{"metric":${jsonOf(labels)},"values":[6],"timestamps":[5000]}\n`;
  void decoder.push(Buffer.from(series.map(line).join("")));
  expect(decoder.finish()).toBeUndefined();
  return found;
}

function remoteRead(
  series: readonly (readonly Label[])[],
  form: "chunks" | "samples",
): readonly (readonly Label[])[] {
  const found: (readonly Label[])[] = [];
  const cache = new LabelCache(2 ** 20);
  const decoder = new ReadResponseDecoder({ cache, window, queries: 1 }, ({ labels }) => {
    found.push(labels);
    return undefined;
  });
  const chunk = { type: "XOR", minTimeMs: 5_000, maxTimeMs: 5_000, data: encodeXorChunk([sample]) } as const;
  const plain = series.map((labels) => Object.fromEntries(labels.map(({ name, value }) => [name, value])));
  if (form === "samples") {
    void decoder.sampled(encodeSamplesResponse([plain.map((labels) => ({ labels, samples: [sample] }))]));
    return found;
  }
  const bytes = encodeChunkedResponse(
    0,
    plain.map((labels) => ({ labels, chunks: [chunk] })),
  );
  void decoder.chunked(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  return found;
}

function evaluated(series: readonly (readonly Label[])[]): readonly (readonly Label[])[] {
  const named = series.map((labels) =>
    labels.some(({ name }) => name === "__name__") ? labels : [...labels, { name: "__name__", value: "" }],
  );
  const result = named.map((labels) => `{"metric":${jsonOf(labels)},"values":[[5,"6"]]}`);
  const body = `{"status":"success","data":{"resultType":"matrix","result":[${result}]}}`;
  const response = parseQueryResponse(Buffer.from(body));
  expect(response).toMatchObject({ kind: "response" });
  if (response.kind !== "response") return [];
  const cache = new LabelCache(2 ** 20);
  return nameSeries(response.series, "the source").named.map((one) => {
    const found = seriesOf(one, cache);
    if (!(found instanceof Series)) throw new Error("no series", { cause: found });
    return found.labels.filter(({ name, value }) => name !== "__name__" || value !== "the source");
  });
}

function exemplars(series: readonly (readonly Label[])[]): readonly (readonly Label[])[] {
  const found: (readonly Label[])[] = [];
  const decoder = new ExemplarDecoder(window, (one) => found.push(one.labels));
  const exemplar = '{"labels":{"id":"1"},"value":"6","timestamp":5}';
  const data = series.map((labels) => `{"seriesLabels":${jsonOf(labels)},"exemplars":[${exemplar}]}`);
  decoder.take(Buffer.from(`{"status":"success","data":[${data}]}`));
  expect(decoder.finish()).toBe(true);
  return found;
}

/** Not JSON.stringify of an object, which writes names that are numbers first. */
function jsonOf(labels: readonly Label[]): string {
  return `{${labels.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`;
}

function sorted(labels: readonly Label[]): readonly Label[] {
  return [...labels].sort((a, b) => (a.name < b.name ? -1 : 1));
}
