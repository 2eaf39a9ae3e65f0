import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Reading, responseCases } from "../../../test/support/net/response-cases.ts";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";

interface Read {
  heads: ResponseHead[];
  body: string;
  ended: boolean;
  /** Bytes after the end of the response. */
  left: number;
}

function read(pieces: readonly Buffer[]): Read {
  const got: Read = { heads: [], body: "", ended: false, left: 0 };
  const parser = new ResponseParser({
    onHead: (head) => got.heads.push(head),
    onBody: (bytes) => {
      expect(bytes.length).toBeGreaterThan(0);
      got.body += bytes.toString("latin1");
      return true;
    },
    onEnd: () => {
      got.ended = true;
    },
  });
  for (const piece of pieces) got.left += piece.length - parser.feed(piece);
  expect(parser.hasEnded).toBe(got.ended);
  return got;
}

function fail(): never {
  throw new Error("there is no response");
}

const readText = (text: string) => read([Buffer.from(text, "latin1")]);

describe("framing", () => {
  test.each<[string, string, string, ResponseHead["framing"], boolean, boolean]>([
    ["a length", "content-length: 3\r\n\r\nabc", "abc", "length", true, true],
    ["nothing to come", "content-length: 0\r\n\r\n", "", "length", true, true],
    [
      "chunks",
      "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      "abcde",
      "chunks",
      true,
      true,
    ],
    [
      "chunks with extensions and trailers",
      "transfer-encoding: Chunked\r\n\r\nA;x=1\r\n0123456789\r\n00\r\ntrailer: x\r\nother: y\r\n\r\n",
      "0123456789",
      "chunks",
      true,
      true,
    ],
    [
      "both: chunks count",
      "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      "ab",
      "chunks",
      false,
      true,
    ],
    [
      "the connection is closed afterwards",
      "content-length: 1\r\nConnection: Close\r\n\r\na",
      "a",
      "length",
      false,
      true,
    ],
    ["neither", "x: y\r\n\r\nabc", "abc", "close", false, false],
  ])("%s", (_, rest, body, framing, isKept, ended) => {
    const got = readText(`HTTP/1.1 200 OK\r\n${rest}`);
    expect(got).toMatchObject({ body, ended, left: 0, heads: [{ status: 200, framing, isKept }] });
    expect(got.heads).toHaveLength(1);
  });

  test("HTTP/1.0 does not keep its connections", () => {
    expect(readText("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na").heads).toMatchObject([
      { isKept: false },
    ]);
  });

  test.each([204, 304])("%i has no body, whatever its fields say", (status) => {
    const got = readText(`HTTP/1.1 ${status} x\r\ntransfer-encoding: chunked\r\ncontent-length: 9\r\n\r\n`);
    expect(got).toMatchObject({ body: "", ended: true, heads: [{ status, isKept: false }] });
  });

  test("interim responses, and an empty line before a response, are passed over", () => {
    const got = readText(
      "\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nlink: x\r\n\r\nHTTP/1.1 404 No\r\ncontent-length: 1\r\n\r\na",
    );
    expect(got).toMatchObject({ body: "a", heads: [{ status: 404, headers: { "content-length": "1" } }] });
  });

  test("what comes after the end is left", () => {
    expect(readText("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\naHTTP/1.1")).toMatchObject({
      body: "a",
      left: 8,
    });
  });
});

test("fields: names in lower case, values trimmed, repeated ones together", () => {
  const { heads } = readText(
    "HTTP/1.1 200 OK\r\nDate:  now \r\nX-A: 1\r\nx-a: 2\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n",
  );
  expect(heads[0]?.headers["date"]).toBe("now");
  expect(heads[0]?.headers["x-a"]).toEqual(["1", "2"]);
  expect(Object.entries(heads[0]?.headers ?? {})).toContainEqual(["__proto__", "x"]);
});

describe("what servers send", () => {
  const readingOf = (got: Read): Reading =>
    got.ended
      ? got.heads[0]?.isKept
        ? "whole"
        : "last"
      : got.heads[0]?.framing === "close"
        ? "open"
        : "malformed";

  test.each(responseCases)("$reading: $name", ({ text, reading }) => {
    const bytewise = () => read([...text].map((character) => Buffer.from(character, "latin1")));
    if (reading === "malformed") {
      expect(() => readText(text)).toThrow(MalformedResponse);
      expect(bytewise).toThrow(MalformedResponse);
      return;
    }
    const got = readText(text);
    expect([readingOf(got), got.heads.length, got.left]).toEqual([reading, 1, 0]);
    expect(bytewise()).toEqual(got);
  });
});

test("a hostile server's connection is closed within its first bytes, not when it has sent them all", () => {
  const sent = Buffer.from("\r\n".repeat(1_000_000));
  let fed = 0;
  const parser = new ResponseParser({ onHead: fail, onBody: fail, onEnd: fail });
  const feed = () => {
    for (; fed < sent.length; fed += 1_024) parser.feed(sent.subarray(fed, fed + 1_024));
  };
  expect(feed).toThrow(MalformedResponse);
  expect(fed).toBe(0);
});

test("any cut of a response gives the same", () => {
  const chunk = fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.nat(400), { maxLength: 20 }),
      (chunks, isChunked, cuts) => {
        const body = chunks.join("");
        const text = isChunked
          ? `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join("")}0\r\n\r\n`
          : `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        const bytes = Buffer.from(text, "latin1");
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(read(pieces)).toEqual(readText(text));
        expect(read(pieces)).toMatchObject({ body, ended: true, left: 0 });
      },
    ),
  );
});

test("a listener that stops is given the rest when it is fed again", () => {
  const bytes = Buffer.from(
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
  );
  let body = "";
  let ended = false;
  const parser = new ResponseParser({
    onHead: () => undefined,
    onBody: (piece) => {
      body += piece.toString();
      return false;
    },
    onEnd: () => {
      ended = true;
    },
  });
  const first = parser.feed(bytes);
  expect([body, ended]).toEqual(["abc", false]);
  const second = first + parser.feed(bytes.subarray(first));
  expect([body, ended]).toEqual(["abcde", false]);
  expect(second + parser.feed(bytes.subarray(second))).toBe(bytes.length);
  expect(ended).toBe(true);
});
