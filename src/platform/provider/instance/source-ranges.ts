import ipaddr from "ipaddr.js";
import { parseAddress } from "../../../base/net/address-range.ts";

/** Addresses of one family from the first to the last, as numbers. */
export interface Span {
  readonly family: "ipv4" | "ipv6";
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The addresses in some blocks without those in their exceptions. An exception of one block may lie in
 * another.
 *
 * @returns undefined if a block has a whole family without exceptions: that is everybody
 */
export function sourceSpans(
  blocks: readonly { readonly cidr: string; readonly except: readonly string[] }[],
): Span[] | undefined {
  const spans: Span[] = [];
  for (const { cidr, except } of blocks) {
    const outer = spanOf(cidr);
    // One that cannot be read admits nobody; an exception that cannot be read leaves nobody of its block.
    if (outer === undefined) continue;
    if (cidr.endsWith("/0") && except.length === 0) return undefined;
    const exceptions = except.map(spanOf).filter((each) => each?.family === outer.family);
    if (exceptions.length < except.length) continue;
    spans.push(...without(outer, exceptions as Span[]));
  }
  return spans;
}

/** As `first-last`, of which no two overlap or touch. */
export function rangeTexts(spans: readonly Span[]): string[] {
  return merged(spans).map(({ family, first, last }) => `${textOf(family, first)}-${textOf(family, last)}`);
}

function without({ family, first, last }: Span, exceptions: readonly Span[]): Span[] {
  const left: Span[] = [];
  let next = first;
  for (const gap of exceptions.toSorted(byFirst)) {
    if (gap.first > next) left.push({ family, first: next, last: smaller(gap.first - 1n, last) });
    if (gap.last >= next) next = gap.last + 1n;
    if (next > last) return left;
  }
  return [...left, { family, first: next, last }];
}

function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted(byFirst)) {
    const before = result.at(-1);
    if (before?.family !== span.family || span.first > before.last + 1n) result.push(span);
    else if (span.last > before.last) result.splice(-1, 1, { ...before, last: span.last });
  }
  return result;
}

function byFirst(a: Span, b: Span): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return a.first < b.first ? -1 : Number(a.first > b.first);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function spanOf(cidr: string): Span | undefined {
  const [, start = "", bits = ""] = /^([0-9a-fA-F:.]{2,45})\/(\d{1,3})$/.exec(cidr) ?? [];
  const address = parseAddress(start);
  if (address === undefined) return undefined;
  const bytes = address.toByteArray();
  const hostBits = bytes.length * 8 - Number(bits);
  if (hostBits < 0) return undefined;
  const hosts = (1n << BigInt(hostBits)) - 1n;
  const first = numberOf(bytes) & ~hosts;
  return { family: address.kind(), first, last: first | hosts };
}

function numberOf(bytes: readonly number[]): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function textOf(family: Span["family"], number: bigint): string {
  const digits = family === "ipv4" ? 8 : 32;
  const bytes = [...Buffer.from(number.toString(16).padStart(digits, "0"), "hex")];
  return ipaddr.fromByteArray(bytes).toString();
}
