/** A sample whose value is given as bits, to distinguish NaNs. */
export interface BitSample {
  readonly timestampMs: number;
  readonly bits: bigint;
}

/** A time with a start timestamp; 0 and undefined mean none. */
export interface StartedTime {
  readonly timestampMs: number;
  readonly startMs?: number;
}

/** A sample with a start timestamp, which only XOR2 chunks support. */
export interface StartedSample extends BitSample, StartedTime {}

/**
 * Encodes samples as Prometheus' appender does (tsdb/chunkenc/xor.go), with the bits as a string of 0 and 1.
 */
export function encodeXorChunk(samples: readonly BitSample[]): Buffer {
  const bits: string[] = [word(BigInt(samples.length), 16)];
  const values = new ValueWriter();
  let delta = 0n;
  for (const [index, sample] of samples.entries()) {
    const time = BigInt(sample.timestampMs);
    const previous = samples[index - 1];
    if (previous === undefined) {
      bits.push(signedVarint(time), values.first(sample.bits));
      continue;
    }
    const newDelta = time - BigInt(previous.timestampMs);
    bits.push(index === 1 ? varint(BigInt.asUintN(64, newDelta)) : deltaOfDelta(newDelta - delta));
    delta = newDelta;
    bits.push(values.next(sample.bits, { same: "0", inWindow: "10", inNewWindow: "11" }));
  }
  return packed(bits);
}

const staleNan = 0x7ff0000000000002n;
/** Prefix codes of a value, when the time's delta has changed and when it has not. */
const valueCodes = { same: "0", inWindow: "10", inNewWindow: "110" };
const changeCodes = { same: "", inWindow: "0", inNewWindow: "1" };
/** The largest index that the head can store as the first change of a start timestamp. */
const lastStartIndex = 127;

/** Encodes samples as XOR2 (tsdb/chunkenc/xor2.go). */
export function encodeXor2Chunk(samples: readonly StartedSample[]): Buffer {
  const values = new ValueWriter();
  const starts = new StartWriter();
  const bits: string[] = [];
  let delta = 0n;
  for (const [index, sample] of samples.entries()) {
    const time = BigInt(sample.timestampMs);
    const isStale = sample.bits === staleNan;
    const value = (): string => (isStale ? "111" : values.next(sample.bits, valueCodes));
    const previous = samples[index - 1];
    if (previous === undefined) {
      bits.push(signedVarint(time), isStale ? word(staleNan, 64) : values.first(sample.bits));
    } else {
      const newDelta = time - BigInt(previous.timestampMs);
      const change = newDelta - delta;
      delta = newDelta;
      if (index === 1) bits.push(varint(BigInt.asUintN(64, newDelta)), value());
      else if (change !== 0n) bits.push(changeOfDelta(change), value());
      else if (isStale) bits.push("11111");
      else if (values.last === sample.bits) bits.push("0");
      else bits.push("10", values.next(sample.bits, changeCodes));
    }
    bits.push(starts.next(sample, previous, index));
  }
  return packed([word(BigInt(samples.length), 16), starts.head, ...bits]);
}

/**
 * Encodes values as differences from the previous one, within a window of bits that is reused while it is
 * large enough.
 */
export class ValueWriter {
  last = 0n;
  #window: { leading: number; trailing: number } | undefined;

  first(bits: bigint): string {
    this.last = bits;
    return word(bits, 64);
  }

  next(bits: bigint, codes: { same: string; inWindow: string; inNewWindow: string }): string {
    const changed = bits ^ this.last;
    this.last = bits;
    if (changed === 0n) return codes.same;
    const text = word(changed, 64);
    const leading = Math.min(31, text.indexOf("1"));
    const trailing = 63 - text.lastIndexOf("1");
    const window = this.#window;
    if (window !== undefined && leading >= window.leading && trailing >= window.trailing) {
      return codes.inWindow + text.slice(window.leading, 64 - window.trailing);
    }
    this.#window = { leading, trailing };
    const width = 64 - leading - trailing;
    const head = word(BigInt(leading), 5) + word(BigInt(width % 64), 6);
    return codes.inNewWindow + head + text.slice(leading, 64 - trailing);
  }
}

/**
 * Encodes start timestamps: the first one, and from the first change on the distance of each before the
 * previous sample.
 */
export class StartWriter {
  #known = false;
  #changesFrom = 0;
  #before = 0n;

  get head(): string {
    return (this.#known ? "1" : "0") + word(BigInt(this.#changesFrom), 7);
  }

  next({ timestampMs, startMs = 0 }: StartedTime, previous: StartedTime | undefined, index: number): string {
    if (previous === undefined) {
      this.#known = startMs !== 0;
      return this.#known ? signedVarint(BigInt(timestampMs) - BigInt(startMs)) : "";
    }
    const before = BigInt(previous.timestampMs) - BigInt(startMs);
    if (this.#changesFrom > 0) {
      const text = varbit(before - this.#before);
      this.#before = before;
      return text;
    }
    if (startMs === (previous.startMs ?? 0) && index !== lastStartIndex) return "";
    this.#changesFrom = index;
    this.#before = before;
    return varbit(before);
  }
}

export function packed(bits: readonly string[]): Buffer {
  const all = bits.join("");
  const whole = all.padEnd(Math.ceil(all.length / 8) * 8, "0");
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function changeOfDelta(value: bigint): string {
  for (const [width, prefix] of [
    [13, "110"],
    [20, "1110"],
  ] as const) {
    const half = 1n << BigInt(width - 1);
    if (value >= -half && value < half) return prefix + word(value, width);
  }
  return `11110${word(value, 64)}`;
}

/** tsdb/chunkenc/varbit.go */
export function varbit(value: bigint): string {
  if (value === 0n) return "0";
  for (const [index, width] of [3, 6, 9, 12, 18, 25, 56].entries()) {
    const half = 1n << BigInt(width - 1);
    if (value > -half && value <= half) return `${"1".repeat(index + 1)}0${word(value, width)}`;
  }
  return `11111111${word(value, 64)}`;
}

function deltaOfDelta(value: bigint): string {
  if (value === 0n) return "0";
  for (const [width, prefix] of [
    [14, "10"],
    [17, "110"],
    [20, "1110"],
  ] as const) {
    const half = 1n << BigInt(width - 1);
    if (value > -half && value <= half) return prefix + word(value, width);
  }
  return `1111${word(value, 64)}`;
}

export function word(value: bigint, width: number): string {
  return BigInt.asUintN(width, value).toString(2).padStart(width, "0");
}

function signedVarint(value: bigint): string {
  return varint(value < 0n ? -2n * value - 1n : 2n * value);
}

function varint(value: bigint): string {
  const bytes: string[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(word((rest & 127n) | 128n, 8));
  return [...bytes, word(rest, 8)].join("");
}
