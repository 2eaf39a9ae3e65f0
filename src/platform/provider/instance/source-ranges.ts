import { addressText, parseSpan, type AddressSpan as Span } from "../../../base/net/address-span.ts";

export type { Span };

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
  return merged(spans).map(
    ({ family, first, last }) => `${addressText(family, first)}-${addressText(family, last)}`,
  );
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
  return cidr.includes("/") ? parseSpan(cidr) : undefined;
}
