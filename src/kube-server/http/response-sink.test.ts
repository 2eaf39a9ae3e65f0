import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { pieceBytes } from "./pieces.ts";
import { responseSink } from "./response-sink.ts";

/** A response whose connection accepts writes when the test says so. */
function fakeResponse() {
  const pieces: Buffer[] = [];
  let waiting: ((error?: Error) => void)[] = [];
  const settle = (error?: Error): number => {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback(error);
    return callbacks.length;
  };
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    write(piece: Buffer, callback: () => void) {
      pieces.push(piece);
      waiting.push(callback);
      return true;
    },
  });
  const text = () => Buffer.concat(pieces).toString();
  return { response: response as unknown as ServerResponse, pieces, text, settle };
}

function countingUnsent() {
  const counts = { added: 0, taken: 0 };
  const add = (bytes: number) => {
    counts.added += bytes;
    return (isWhole = true) => {
      if (isWhole) counts.taken += bytes;
    };
  };
  return {
    counts,
    unsent: { isReady: () => true, ready: async () => undefined, close: () => undefined, add },
  };
}

test("a large event goes piece by piece, each when the one before has been taken", async () => {
  const { response, pieces, text, settle } = fakeResponse();
  const { counts, unsent } = countingUnsent();
  const sink = responseSink(response, unsent);
  const large = "x".repeat(10 * pieceBytes + 1);
  sink.write(large);
  sink.write("end");
  expect(pieces.map(({ length }) => length)).toEqual([pieceBytes]);
  const finished = sink.finish();
  while (settle() > 0) expect(Math.max(...pieces.map(({ length }) => length))).toBe(pieceBytes);
  await finished;
  expect(text()).toBe(`${large}end`);
  expect(counts).toEqual({ added: large.length + 3, taken: large.length + 3 });
});

test("small events go together", () => {
  const { response, pieces, text, settle } = fakeResponse();
  const sink = responseSink(response, countingUnsent().unsent);
  for (let index = 0; index < 10; index++) sink.write(`${index}\n`);
  expect(pieces).toHaveLength(10);
  settle();
  sink.write("more");
  expect(text()).toBe("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\nmore");
});

test("what a reader that is gone has not taken is dropped", async () => {
  const { response, pieces, settle } = fakeResponse();
  const { counts, unsent } = countingUnsent();
  const sink = responseSink(response, unsent);
  sink.write("x".repeat(3 * pieceBytes));
  settle(new Error("gone"));
  await sink.finish();
  expect(pieces).toHaveLength(1);
  expect(counts.taken).toBe(0);
});

test("a response that is closed ends the wait for its reader", async () => {
  const { response } = fakeResponse();
  const sink = responseSink(response, countingUnsent().unsent);
  sink.write("x");
  const finished = sink.finish();
  response.emit("close");
  await finished;
});
