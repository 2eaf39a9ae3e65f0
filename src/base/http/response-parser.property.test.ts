import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readByNode } from "../../../test/support/net/node-response.ts";
import { responseCases } from "../../../test/support/net/response-cases.ts";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";

/** The parser's result for pieces followed by the end of the connection. */
interface Reading {
  readonly heads: readonly ResponseHead[];
  readonly body: string;
  /** Read to the end of the response, or of the connection when only that delimits it. */
  readonly isWhole: boolean;
  readonly taken: number;
  readonly fault: string | undefined;
}

function read(pieces: readonly Buffer[]): Reading {
  const heads: ResponseHead[] = [];
  let body = "";
  let taken = 0;
  let fault: string | undefined;
  const parser = new ResponseParser({
    onHead: (head) => heads.push(head),
    onBody: (bytes) => {
      body += bytes.toString("latin1");
      return true;
    },
    onEnd: () => undefined,
  });
  try {
    for (const piece of pieces) taken += parser.feed(piece);
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error;
    taken = 0;
    fault = error.message;
  }
  const isWhole = fault === undefined && (parser.hasEnded || heads[0]?.framing === "close");
  return { heads, body, isWhole, taken, fault };
}

/**
 * Cases that Node's strict parser rejects and this one accepts on purpose, since a response that Go's and
 * other clients accept must not stop delivery: Transfer-Encoding beside Content-Length, where RFC 9112,
 * section 6.3, lets the chunks win and closes the connection, and equal lines of Content-Length (RFC 9110,
 * section 8.6).
 */
const isTakenOnPurpose = (head: ResponseHead | undefined) => isOfBoth(head) || hasEqualLengths(head);
const isOfBoth = (head: ResponseHead | undefined) =>
  head?.headers["transfer-encoding"] !== undefined && head.headers["content-length"] !== undefined;
const hasEqualLengths = (head: ResponseHead | undefined) => {
  const lengths = head?.headers["content-length"];
  return Array.isArray(lengths) && new Set(lengths).size === 1;
};

/** The table's cases, without long ones: mutations would rarely hit a relevant byte. */
const seeds = responseCases.filter(({ text }) => text.length < 400).map(({ text }) => text);
const scraps = [
  ...[
    "\r",
    "\n",
    "\r\n",
    "\r\n\r\n",
    "\0",
    " ",
    "\t",
    "\x0b",
    "\x7f",
    "\x80",
    "\xff",
    ":",
    ";",
    ",",
    '"',
    "\\",
  ],
  ...["=", "+", "-", "0", "1", "9", "f", "x", "chunked", "close", "HTTP/1.1 100 x\r\n\r\n", "2\r\nab\r\n"],
  ...["Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "0\r\n\r\n"],
];

/** A response of the table with a few mutations. */
const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(
      fc.record({
        place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        removed: fc.constantFrom(0, 0, 1, 1, 2, 5),
        put: fc.constantFrom("", ...scraps),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([seed, changes]) => {
    let text = seed;
    for (const { place, removed, put } of changes) {
      const at = Math.floor(place * text.length);
      text = text.slice(0, at) + put + text.slice(at + removed);
    }
    return Buffer.from(text, "latin1");
  });

describe("never more lenient than Node's strict parser", () => {
  async function compare(bytes: Buffer): Promise<void> {
    const ours = read([bytes]);
    if (!ours.isWhole) return;
    const [head] = ours.heads;
    const theirs = await readByNode(bytes.subarray(0, ours.taken));
    if (theirs.kind === "failed" && isTakenOnPurpose(head)) {
      if (isOfBoth(head)) expect(head?.isKept).toBe(false);
      return;
    }
    const fields = Object.entries(head?.headers ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}`),
    );
    expect({ status: head?.status, body: ours.body, fields: fields.sort() }).toEqual(
      theirs.kind === "failed"
        ? { failed: theirs.code }
        : { status: theirs.status, body: theirs.body, fields: pairs(theirs.fields).sort() },
    );
  }
  const pairs = (fields: readonly string[]) =>
    fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}`] : []));

  test("on the table", async () => {
    for (const { text } of responseCases) await compare(Buffer.from(text, "latin1"));
  });

  test("on what mutations make of it", async () => {
    await fc.assert(fc.asyncProperty(mutated, compare), { numRuns: 3_000 });
  }, 60_000);
});

test("any cut of the bytes gives the same, faults included", () => {
  fc.assert(
    fc.property(mutated, fc.array(fc.nat(400), { maxLength: 12 }), (bytes, cuts) => {
      const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])];
      places.sort((a, b) => a - b);
      const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const bytewise = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      const whole = read([bytes]);
      expect(read(pieces)).toEqual(whole);
      expect(read(bytewise)).toEqual(whole);
    }),
    { numRuns: 1_000 },
  );
});
