import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { collectBody } from "./request-body.ts";

const bounds = { maxBytes: 8, silenceMs: 60_000, wholeMs: 60_000 };
const free = (): void => undefined;

function requestOf(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers, aborted: false }) as unknown as PassThrough &
    IncomingMessage;
}

test("a body of pieces, up to the bound", async () => {
  const request = requestOf();
  let isInvited = false;
  const outcome = collectBody(request, bounds, free, () => {
    isInvited = true;
    for (const piece of ["ab", "cdef", "gh"]) request.write(piece);
    request.end();
  });
  expect(await outcome).toEqual({ kind: "read", body: Buffer.from("abcdefgh") });
  expect(isInvited).toBe(true);
});

test("an announced length beyond the bound is refused before anything is invited or held", async () => {
  const refuse = (): never => {
    throw new Error("not to be called");
  };
  expect(await collectBody(requestOf({ "content-length": "9" }), bounds, refuse, refuse)).toEqual({
    kind: "too-large",
  });
});

test("pieces beyond the bound are refused, whatever was announced", async () => {
  const request = requestOf({ "content-length": "2" });
  const outcome = collectBody(request, bounds, free, () => request.write("123456789"));
  expect(await outcome).toEqual({ kind: "too-large" });
});

test.each([
  ["silenceMs", { ...bounds, silenceMs: 5 }],
  ["wholeMs", { ...bounds, wholeMs: 5 }],
])("a body that does not arrive within %s is late", async (_name, short) => {
  const request = requestOf();
  expect(await collectBody(request, short, free, () => request.write("1"))).toEqual({ kind: "late" });
});

test("a connection that ends is an abort", async () => {
  const request = requestOf();
  const outcome = collectBody(request, bounds, free, () => request.destroy());
  expect(await outcome).toEqual({ kind: "aborted" });
});

test("memory that is refused ends the reading with the refusal", async () => {
  const request = requestOf();
  const full = (): never => {
    throw new Error("full");
  };
  await expect(collectBody(request, bounds, full, () => request.write("1"))).rejects.toThrow("full");
});
