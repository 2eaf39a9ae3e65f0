import type { SeriesForm } from "../../remote-write/encoding/labels.ts";
import { bytesOf, type Span } from "../../series/label-blocks.ts";

/** Further names are left out. */
const maxNames = 10_000;
/** Series with a longer name are left out. */
const maxNameLength = 1_024;

/** The name `__name__` in UTF-8, as two big-endian words. */
const nameBytes = 8;
const nameWords = [0x5f5f6e61, 0x6d655f5f] as const;

/** The distinct metric names of the series that one cycle sends, at most 10,000. */
export class MetricNames {
  /** The name in the store of each name as it is sent. */
  readonly #names = new Map<string, string>();
  /** Where the last name lies: neighbouring series mostly have the same. */
  #last: Span | undefined;

  /**
   * Takes the name as it is sent from the series' encoded labels: parsing the store's costs as much as
   * sending a sample.
   *
   * @param form of remote write 1.0
   */
  add(form: SeriesForm): void {
    if (form.kind !== "series" || this.#names.size >= maxNames) return;
    const name = nameIn(form);
    if (name === undefined || name.end - name.start > maxNameLength) return;
    if (this.#last !== undefined && isSame(this.#last, name)) return;
    this.#last = name;
    const sent = bytesOf(name).toString("utf8");
    const inStore = form.relabelled?.storeName ?? sent;
    if (inStore.length <= maxNameLength && !this.#names.has(sent)) this.#names.set(sent, inStore);
  }

  /** Each name as it is sent, and in the store. */
  entries(): Iterable<readonly [sent: string, inStore: string]> {
    return this.#names;
  }
}

/** The value of `__name__` among the fields `labels` of a `TimeSeries` (remote write 1.0). */
function nameIn({ view, start, end }: Span): Span | undefined {
  for (let at = start; at < end; ) {
    const content = varintAt(view, at + 1);
    const labelEnd = content.at + content.value;
    const nameAt = content.at + 2;
    if (
      view.getUint8(content.at + 1) === nameBytes &&
      view.getUint32(nameAt) === nameWords[0] &&
      view.getUint32(nameAt + 4) === nameWords[1]
    ) {
      const value = varintAt(view, nameAt + nameBytes + 1);
      return { view, start: value.at, end: labelEnd };
    }
    at = labelEnd;
  }
  return undefined;
}

/** @returns a varint of up to four bytes, and the offset after it */
function varintAt(view: DataView, offset: number): { readonly value: number; readonly at: number } {
  let value = 0;
  let at = offset;
  for (let shift = 0; ; shift += 7) {
    const byte = view.getUint8(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, at };
  }
}

function isSame(a: Span, b: Span): boolean {
  const length = a.end - a.start;
  if (length !== b.end - b.start) return false;
  for (let index = 0; index < length; index++) {
    if (a.view.getUint8(a.start + index) !== b.view.getUint8(b.start + index)) return false;
  }
  return true;
}
