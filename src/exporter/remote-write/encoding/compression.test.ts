import { describe, expect, test } from "vitest";
import { smallRequest } from "../../../../test/support/receiver/requests.ts";
import { compressBody, hasZstd, toSnappy, toZstd, uncompressBody } from "./compression.ts";
import { convertRequest } from "./convert-request.ts";
import { readBody } from "./request-body.ts";

const body = uncompressBody(smallRequest(500));

test("snappy, unless another compression is asked for", () => {
  const compressed = compressBody(body);
  expect(compressed.compression).toBeUndefined();
  expect(uncompressBody(compressed)).toEqual(body);
  expect(() => uncompressBody({ payload: Buffer.from("no message") })).toThrow();
});

test("a request that is compressed with snappy stays as it is", () => {
  const request = smallRequest();
  expect(toSnappy(request)).toBe(request);
});

describe.skipIf(!hasZstd)("zstd", () => {
  test("a body is compressed once, and read again", async () => {
    const compressed = compressBody(body, "zstd");
    expect(compressed.compression).toBe("zstd");
    expect(uncompressBody(compressed)).toEqual(body);
    expect(compressed.payload.length).toBeLessThan(compressBody(body).payload.length);
    const request = { ...smallRequest(500), ...compressed };
    expect(await toZstd(request)).toBe(request);
  });

  test("a request has the same samples in each compression, and in another protocol", async () => {
    const request = smallRequest(500);
    const other = await toZstd(request);
    expect(other.compression).toBe("zstd");
    expect(readBody(other)).toEqual(readBody(request));
    expect(toSnappy(other)).toEqual(request);
    const { request: converted, leftOut } = convertRequest(other, "2.0");
    expect([converted.compression, leftOut]).toEqual([undefined, 0]);
    expect(readBody(converted)).toEqual(readBody(request));
  });

  test("a body that would hold the event loop gets snappy first, then zstd by another thread", async () => {
    const large = Buffer.alloc(5 * 2 ** 20, body);
    const compressed = compressBody(large, "zstd");
    expect(compressed.compression).toBeUndefined();
    const request = { ...smallRequest(), ...compressed, uncompressedBytes: large.length };
    const sent = await toZstd(request);
    expect(sent.compression).toBe("zstd");
    expect(uncompressBody(sent).equals(large)).toBe(true);
  });
});
