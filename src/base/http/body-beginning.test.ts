import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bodyBeginning } from "./body-beginning.ts";

const text = Buffer.from("the samples are out of order: ключ ".repeat(40));
const compressors: [string, (bytes: Buffer) => Buffer][] = [
  ["gzip", gzipSync],
  ["X-GZip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
];

describe.each(compressors)("a body with the coding %s", (coding, compress) => {
  const headers = { "content-encoding": coding };

  test("is decompressed up to the limit", async () => {
    const bytes = compress(text);
    expect(await bodyBeginning(bytes, headers, 1e6)).toEqual(text);
    expect(await bodyBeginning(bytes, headers, 100)).toEqual(text.subarray(0, 100));
  });

  test("that is cut off gives its beginning", async () => {
    const noise = Buffer.from(Array.from({ length: 9_000 }, (_, n) => String(n * 7_919)).join(" "));
    const bytes = compress(noise);
    const got = await bodyBeginning(bytes.subarray(0, bytes.length >> 1), headers, 1e6);
    expect(got.length).toBeGreaterThan(1_000);
    expect(noise.subarray(0, got.length)).toEqual(got);
  });

  test("that is none gives nothing that is not text", async () => {
    expect(await bodyBeginning(Buffer.from("\u00ff not compressed"), headers, 1e6)).toHaveLength(0);
  });

  test("that holds a gigabyte costs no more than its beginning", async () => {
    const bomb = compress(Buffer.alloc(50_000_000));
    const before = process.memoryUsage().rss;
    expect(await bodyBeginning(bomb, headers, 2_048)).toHaveLength(2_048);
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
  });
});

test.each([
  [undefined, "abc"],
  ["identity", "abc"],
  ["zstd", ""],
  ["gzip, br", ""],
])("the coding %s of plain bytes gives %j", async (coding, expected) => {
  const got = await bodyBeginning(Buffer.from("abc"), { "content-encoding": coding }, 10);
  expect(got.toString()).toBe(expected);
});
