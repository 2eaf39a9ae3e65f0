import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SampleBuffer, Series } from "../../series/series.ts";
import { LabelCache } from "../samples/label-cache.ts";
import { type BodyFault, ExportLineDecoder } from "./export-lines.ts";

interface Decoded {
  readonly lines: { labels: Record<string, string>; times: number[]; values: number[] }[];
  readonly fault: BodyFault | undefined;
  readonly decoder: ExportLineDecoder;
}

const always = { fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };

function decode(
  pieces: Iterable<Buffer>,
  options: { window?: typeof always; maxLineBytes?: number } = {},
): Decoded {
  const lines: Decoded["lines"] = [];
  const onSeries = (series: Series, samples: SampleBuffer): undefined => {
    lines.push({
      labels: Object.fromEntries(series.labels.map(({ name, value }) => [name, value])),
      times: [...samples.timestampsMs.subarray(0, samples.length)],
      values: [...samples.values.subarray(0, samples.length)],
    });
  };
  const decoder = new ExportLineDecoder(
    new LabelCache(2 ** 24, { maxLabels: 50, maxValueBytes: 500 }),
    options.window ?? always,
    onSeries,
    { maxLineBytes: options.maxLineBytes ?? 2 ** 20 },
  );
  for (const piece of pieces) {
    // Like a socket: the memory is reused for the next piece.
    const reused = Buffer.from(piece);
    void decoder.push(reused);
    reused.fill(0x7b);
  }
  return { lines, fault: decoder.finish(), decoder };
}

function decodeText(text: string, options: Parameters<typeof decode>[1] = {}): Decoded {
  return decode([Buffer.from(text)], options);
}

const line = '{"metric":{"__name__":"up","job":"a"},"values":[1,0.5],"timestamps":[1000,2000]}\n';
const decodedLine = { labels: { __name__: "up", job: "a" }, times: [1000, 2000], values: [1, 0.5] };

function cut(body: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (body.length + 1)).sort((a, b) => a - b), body.length];
  return sorted.slice(1).map((end, index) => body.subarray(sorted[index] as number, end));
}

/** Values, in VictoriaMetrics' notation. */
const anyValue = fc.oneof(
  fc.double({ noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.integer(),
);
const anyLine = fc.record({
  labels: fc.dictionary(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.string({ unit: "grapheme", minLength: 1 }),
    {
      maxKeys: 5,
    },
  ),
  samples: fc.array(fc.tuple(fc.integer({ min: 0, max: 2e12 }), anyValue), { minLength: 1, maxLength: 30 }),
});

function written(value: number, later: boolean): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  if (later) return value > 0 ? '"Infinity"' : '"-Infinity"';
  return value > 0 ? "+Inf" : "-Inf";
}

describe("any body", () => {
  test("is read the same however it is cut, and as it was written", () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (lines, places, later) => {
          const body = lines.map(
            ({ labels, samples }) =>
              `{"metric":${JSON.stringify(labels)},"values":[${samples.map(([, value]) => written(value, later))}],"timestamps":[${samples.map(([time]) => time)}]}\n`,
          );
          const { lines: decoded, fault } = decode(cut(Buffer.from(body.join("")), places));
          expect(fault).toBeUndefined();
          const expected = lines.map(({ labels, samples }) => {
            const sorted = samples.toSorted(([a], [b]) => a - b);
            return {
              labels: { ...labels },
              times: sorted.map(([time]) => time),
              values: sorted.map(([, v]) => v),
            };
          });
          expect(decoded).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("of many lines keeps their order, whatever lies between them", () => {
    const usual = (index: number) =>
      `{"metric":{"n":"${index}"},"values":[${index}],"timestamps":[${index + 1}]}\n`;
    const other = (index: number) =>
      `{"timestamps":[${index + 1}],"values":[${index}],"metric":{"n":"${index}"}}\n`;
    const invalid = (index: number) => `{"metric":{"a":"1","a":"2"},"values":[${index}],"timestamps":[1]}\n`;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(usual, usual, usual, other, invalid), { minLength: 60, maxLength: 130 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (kinds, places) => {
          const body = Buffer.from(kinds.map((kind, index) => kind(index)).join(""));
          const { lines, fault, decoder } = decode(cut(body, places));
          const expected = kinds.flatMap((kind, index) => (kind === invalid ? [] : [index]));
          expect(fault).toBeUndefined();
          expect(lines.map(({ values }) => values)).toEqual(expected.map((index) => [index]));
          expect(lines.map(({ labels }) => labels["n"])).toEqual(expected.map(String));
          expect(decoder.invalid.get("duplicate_label") ?? 0).toBe(kinds.length - expected.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("what comes before a fault is passed on, and nothing behind it", () => {
    const bad = '{"metric":{"a":1},"values":[1],"timestamps":[1]}\n';
    for (const before of [0, 1, 31, 32, 33, 64, 70]) {
      const { lines, fault } = decodeText(line.repeat(before) + bad + line.repeat(40));
      expect(lines).toHaveLength(before);
      expect(fault?.reason).toBe("malformed_line");
    }
  });

  test("lines of many samples beside short ones", () => {
    const long = Array.from({ length: 9_000 }, (_, index) => index);
    const body = `{"metric":{"n":"long"},"values":[${long}],"timestamps":[${long}]}\n`;
    const { lines } = decodeText(line + body + line.repeat(40) + body + line);
    expect(lines.map(({ values }) => values.length)).toEqual([2, 9_000, ...Array(40).fill(2), 9_000, 2]);
    expect(lines[42]?.values).toEqual(long);
  });

  test("waits for its receiver, at any line and however it is cut", async () => {
    const lines = Array.from({ length: 6 }, (_, index) =>
      index === 3
        ? `{"timestamps":[1],"values":[${index}],"metric":{}}\n`
        : `{"metric":{},"values":[${index}],"timestamps":[1]}\n`,
    );
    const body = Buffer.from(lines.join(""));
    for (let at = 0; at <= body.length; at++) {
      const values: number[] = [];
      let isWaiting = false;
      const decoder = new ExportLineDecoder(new LabelCache(2 ** 20), always, (_, samples) => {
        expect(isWaiting).toBe(false);
        values.push(samples.values[0] ?? -1);
        if (values.length % 3 === 0) return undefined;
        isWaiting = true;
        return Promise.resolve().then(() => {
          isWaiting = false;
        });
      });
      for (const piece of [body.subarray(0, at), body.subarray(at)]) {
        const reused = Buffer.from(piece);
        const pushed = decoder.push(reused);
        reused.fill(0x7b);
        await pushed;
      }
      expect(decoder.finish()).toBeUndefined();
      expect(values, `cut at ${at}`).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });

  test("may be cut at every byte", () => {
    const tricky = `${line}{"metric":{"x":"},\\"values\\":[1],\\\\"},"values":[+Inf,NaN],"timestamps":[1790000000001,1790000000002]}\n${line}`;
    const body = Buffer.from(tricky);
    const whole = decode([body]).lines;
    expect(whole).toHaveLength(3);
    for (let at = 0; at <= body.length; at++) {
      expect(decode([body.subarray(0, at), body.subarray(at)]).lines, `cut at ${at}`).toEqual(whole);
    }
    expect(decode(Array.from(body, (_, at) => body.subarray(at, at + 1))).lines).toEqual(whole);
  });

  test("that ends at any byte is whole only at the end of a line", () => {
    const body = Buffer.from(line + line);
    for (let at = 0; at <= body.length; at++) {
      const { lines, fault } = decode([body.subarray(0, at)]);
      expect(fault?.reason, `ended at ${at}`).toBe(at % line.length === 0 ? undefined : "incomplete_body");
      expect(lines).toHaveLength(Math.floor(at / line.length));
    }
  });

  test("of any bytes is read without a throw", () => {
    const json = fc.stringMatching(/^[{}[\]":,a\\\s0-9.-]{0,60}$/);
    const damaged = fc
      .tuple(fc.nat(line.length), json)
      .map(([at, text]) => line.slice(0, at) + text + line.slice(at));
    fc.assert(
      fc.property(fc.oneof(json, damaged, fc.string()), (text) => {
        decodeText(`${text}\n`);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a line", () => {
  test.each([
    [
      "another order of keys",
      '{"timestamps":[1000,2000],"values":[1,0.5],"metric":{"__name__":"up","job":"a"}}',
    ],
    [
      "white space",
      ' { "metric" : { "__name__" : "up", "job":"a" } ,\t"values": [ 1 , 0.5 ], "timestamps":[1000, 2000 ] } \r',
    ],
    [
      "further keys",
      '{"tenant":{"id":[1,"}"]},"metric":{"__name__":"up","job":"a"},"values":[1,0.5],"timestamps":[1000,2000],"n":null}',
    ],
    [
      "values after timestamps",
      '{"metric":{"__name__":"up","job":"a"},"timestamps":[1000,2000],"values":[1,0.5]}',
    ],
    [
      "times out of order",
      '{"metric":{"__name__":"up","job":"a"},"values":[0.5,1],"timestamps":[2000,1000]}',
    ],
  ])("with %s", (_, text) => {
    const { lines, fault } = decodeText(`${line}${text}\n${line}`);
    expect(fault).toBeUndefined();
    expect(lines).toEqual([decodedLine, decodedLine, decodedLine]);
  });

  test("equal times stay in the order they came, and stale markers keep their bits when sorted", () => {
    let bits = "";
    const onSeries = (_: Series, samples: SampleBuffer): undefined => {
      bits = samples.valueBytes.toString("hex", 0, samples.length * 8);
    };
    const decoder = new ExportLineDecoder(new LabelCache(2 ** 20), always, onSeries);
    void decoder.push(Buffer.from('{"metric":{},"values":[3,NaN,1,2],"timestamps":[9,5,9,1]}\n'));
    expect(bits.match(/.{16}/g)).toEqual([
      "0000000000000040",
      "020000000000f07f",
      "0000000000000840",
      "000000000000f03f",
    ]);
  });

  test("keeps only the samples after the window's start and up to its end", () => {
    const values = Array.from({ length: 6 }, (_, index) => index);
    const text = `{"metric":{"a":"b"},"values":[${values}],"timestamps":[${values.map((value) => value * 10)}]}\n`;
    const { lines, decoder } = decodeText(text, { window: { fromMs: 10, toMs: 40 } });
    expect(lines).toEqual([{ labels: { a: "b" }, times: [20, 30, 40], values: [2, 3, 4] }]);
    expect(decoder.outsideWindow).toBe(3);
    expect(decodeText(text, { window: { fromMs: 50, toMs: 90 } }).lines).toEqual([]);
  });

  test("with no samples, or an empty one, is nothing", () => {
    const { lines, fault } = decodeText(`\n{"metric":{"a":"b"},"values":[],"timestamps":[]}\n\r\n${line}`);
    expect(fault).toBeUndefined();
    expect(lines).toEqual([decodedLine]);
  });

  test.each([
    ["fewer times than values", '{"metric":{"a":"b"},"values":[1,2],"timestamps":[1]}'],
    ["more times than values", '{"metric":{"a":"b"},"values":[1],"timestamps":[1,2]}'],
    ["a value that is none", '{"metric":{"a":"b"},"values":[one],"timestamps":[1]}'],
    ["a time that is none", '{"metric":{"a":"b"},"values":[1],"timestamps":[1.5]}'],
    ["no metric", '{"values":[1],"timestamps":[1]}'],
    ["a metric of numbers", '{"metric":{"a":1},"values":[1],"timestamps":[1]}'],
    ["more after its end", '{"metric":{"a":"b"},"values":[1],"timestamps":[1]},'],
    ["a comma too many", '{"metric":{"a":"b"},"values":[1,],"timestamps":[1]}'],
    ["an error in its middle", '{"metric":{"a":"b"},"values":[1,2remoteAddr: "1.2.3.4"; timeout'],
  ])("with %s ends the read", (_, text) => {
    const { lines, fault } = decodeText(`${line}${text}\n${line}`);
    expect(fault?.reason).toBe("malformed_line");
    expect(lines).toEqual([decodedLine]);
  });

  test.each([
    ['remoteAddr: "10.0.0.1:1"; requestURI: /api/v1/export; timeout exceeded', "timeout exceeded"],
    ['{"status":"error","errorType":"422","error":"too many series"}', "too many series"],
  ])("that is the store's error ends the read with its words", (text, words) => {
    const { lines, fault } = decodeText(`${line}${text}\n`);
    expect(fault).toMatchObject({ reason: "store_error", message: expect.stringContaining(words) });
    expect(lines).toEqual([decodedLine]);
  });
});

describe("what is beyond the limits is left out while the rest goes on", () => {
  const longLine = line
    .replace("1,0.5", Array.from({ length: 100 }, () => 1).join(","))
    .replace("1000,2000", Array.from({ length: 100 }, (_, index) => index).join(","));
  const manyLabels = `{"metric":{${Array.from({ length: 51 }, (_, index) => `"l${index}":"x"`)}},"values":[1],"timestamps":[1]}\n`;
  const longValue = `{"metric":{"a":"${"x".repeat(501)}"},"values":[1],"timestamps":[1]}\n`;
  test.each([
    ["a long line", longLine, "line_too_long", 300],
    ["many labels", manyLabels, "too_many_labels", undefined],
    ["a long label", longValue, "label_value_too_long", undefined],
    ["a label twice", line.replace('"job"', '"__name__"'), "duplicate_label", undefined],
  ])("%s", (_, text, reason, maxLineBytes) => {
    const body = Buffer.from(line + text + text + line);
    for (const size of [1, 7, 100, 1_000_000]) {
      const places = Array.from({ length: Math.floor(body.length / size) }, (_unused, index) => index * size);
      const { lines, fault, decoder } = decode(
        cut(body, places),
        maxLineBytes === undefined ? {} : { maxLineBytes },
      );
      expect(fault).toBeUndefined();
      expect(lines).toEqual([decodedLine, decodedLine]);
      expect([...decoder.invalid]).toEqual([[reason, 2]]);
      expect(decoder.lastInvalid).toMatch(/./);
    }
  });

  const hugeLine = (): Buffer => {
    const sample = Buffer.alloc(100 * 2 ** 20, "1,");
    return Buffer.concat([
      Buffer.from('{"metric":{"a":"b"},"values":['),
      sample,
      Buffer.from('1],"timestamps":[1]}\n'),
    ]);
  };
  const labels = Array.from({ length: 100_000 }, (_, index) => `"l${index}":"x"`);
  test.each<[string, () => Buffer, string]>([
    ["a line of 100 MB", hugeLine, "line_too_long"],
    [
      "100,000 labels",
      () => Buffer.from(`{"metric":{${labels}},"values":[1],"timestamps":[1]}\n`),
      "too_many_labels",
    ],
    [
      "a label value of 1 MB",
      () => Buffer.from(`{"metric":{"a":"${"x".repeat(1e6)}"},"values":[1],"timestamps":[1]}\n`),
      "label_value_too_long",
    ],
  ])("by default: %s, at no more memory than the limit of a line", (_, make, reason) => {
    let series = 0;
    const decoder = new ExportLineDecoder(new LabelCache(2 ** 20), always, () => {
      series++;
      return undefined;
    });
    const body = Buffer.concat([Buffer.from(line), make(), Buffer.from(line)]);
    for (let at = 0; at < body.length; at += 65_536) {
      expect(decoder.push(body.subarray(at, at + 65_536))).toBeUndefined();
    }
    expect(decoder.finish()).toBeUndefined();
    expect(series).toBe(2);
    expect([...decoder.invalid]).toEqual([[reason, 1]]);
    expect(decoder.lastInvalid).toMatch(/./);
  });

  test("a line that is too long and has no end is an incomplete body", () => {
    const { fault, decoder } = decode([Buffer.from(line), Buffer.alloc(500, 0x78)], { maxLineBytes: 300 });
    expect(decoder.invalid.get("line_too_long")).toBe(1);
    expect(fault?.reason).toBe("incomplete_body");
  });
});
