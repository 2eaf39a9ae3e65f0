import type { FilterOp, LabelFilter, Selector } from "../../metricsql/ast/ast.ts";
import type { Window } from "../ports/window.ts";
import { wireTypes } from "./message-cursor.ts";

/** proto/remote-read.proto, LabelMatcher.Type. */
const matcherTypes: Readonly<Record<FilterOp, number>> = { "=": 0, "!=": 1, "=~": 2, "!~": 3 };

/** As chunks: a server that does not support chunks, or the field, responds with samples. */
export type ReadForm = "chunks" | "samples";

/** proto/remote-read.proto, ReadRequest.ResponseType: the server uses the first type that it supports. */
const acceptedResponseTypes: Readonly<Record<ReadForm, Buffer>> = {
  chunks: Buffer.from([1, 0]),
  samples: Buffer.from([0]),
};

/**
 * Encodes the body of a remote read (proto/remote-read.proto, ReadRequest; not yet compressed): one query per
 * alternative of the selector, since a query's matchers must all hold. The window's start is exclusive, a
 * query's is inclusive.
 */
export function encodeReadRequest(selector: Selector, window: Window, form: ReadForm = "chunks"): Buffer {
  const queries = selector.groups.map((group) =>
    bytesField(
      1,
      numberField(1, window.fromMs + 1),
      numberField(2, window.toMs),
      ...matchersOf(group).map(({ label, op, value }) =>
        bytesField(
          3,
          numberField(1, matcherTypes[op]),
          bytesField(2, Buffer.from(label)),
          bytesField(3, Buffer.from(value)),
        ),
      ),
    ),
  );
  return Buffer.concat([...queries, bytesField(2, acceptedResponseTypes[form])]);
}

/** Prometheus rejects a query without matchers; a selector without filters matches everything. */
function matchersOf(group: readonly LabelFilter[]): readonly LabelFilter[] {
  return group.length > 0 ? group : [{ label: "__name__", op: "!=", value: "" }];
}

function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8 + wireTypes.varint), varint(value)]);
}

function bytesField(field: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + wireTypes.bytes), varint(content.length), content]);
}

/** int64 as protobuf writes it: two's complement, seven bits a byte. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
