import fc from "fast-check";
import { expect, test } from "vitest";
import { smallRequest } from "../../../test/support/receiver/requests.ts";
import { hasZstd, toZstd } from "./encoding/compression.ts";
import { encodeTapped, readTapped, type TappedRequest, Taps } from "./tap.ts";

const tapped: fc.Arbitrary<TappedRequest> = fc.record({
  sink: fc.string(),
  atMs: fc.nat(),
  outcome: fc.constantFrom("delivered", "retry", "aborted"),
  message: fc.string(),
  missed: fc.nat(),
  protocol: fc.constantFrom("1.0", "2.0"),
  payload: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
});

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("requests are read as they were written, wherever the connection divides them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(tapped, { maxLength: 5 }),
      fc.integer({ min: 1, max: 300 }),
      async (all, size) => {
        const read: TappedRequest[] = [];
        for await (const one of readTapped(inParts(Buffer.concat(all.map(encodeTapped)), size)))
          read.push(one);
        expect(read).toEqual(all);
      },
    ),
    { numRuns: 50 },
  );
});

test("a request of more than 64 MiB is refused before it is read", async () => {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(0xffffffff, 4);
  await expect(readTapped(inParts(lengths, 8)).next()).rejects.toThrow(RangeError);
});

test("a listener has the requests of its sink alone, until it ends", () => {
  const taps = new Taps();
  const request = { payload: Buffer.from("x"), protocol: "1.0" as const };
  const offer = (sink: string) =>
    taps.offer(() => sink, request as never, { kind: "forbidden", message: "no" }, 7);
  offer("a/b/c");
  const seen: string[] = [];
  const end = taps.listen("a/b/c", ({ sink, outcome, message }) =>
    seen.push(`${sink} ${outcome} ${message}`),
  );
  offer("a/b/c");
  offer("a/b/d");
  end();
  offer("a/b/c");
  expect(seen).toEqual(["a/b/c forbidden no"]);
});

test.skipIf(!hasZstd)(
  "a request that was compressed with zstd is shown as any Node.js can read it",
  async () => {
    const taps = new Taps();
    const seen: Buffer[] = [];
    taps.listen("a", ({ payload }) => seen.push(payload));
    taps.offer(() => "a", await toZstd(smallRequest()), { kind: "delivered", status: 204 }, 0);
    expect(seen).toEqual([smallRequest().payload]);
  },
);
