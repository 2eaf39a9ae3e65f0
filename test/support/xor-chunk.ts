/** A sample whose value is given by its bits, so that every NaN is itself. */
export interface BitSample {
  readonly timestampMs: number;
  readonly bits: bigint;
}

/**
 * Encodes samples as Prometheus' appender does (tsdb/chunkenc/xor.go), plainly: the bits as a text of 0 and 1.
 */
export function encodeXorChunk(samples: readonly BitSample[]): Buffer {
  const bits: string[] = [word(BigInt(samples.length), 16)];
  let window: { leading: number; trailing: number } | undefined;
  let delta = 0n;
  for (const [index, sample] of samples.entries()) {
    const time = BigInt(sample.timestampMs);
    const previous = samples[index - 1];
    if (previous === undefined) {
      bits.push(varint(time < 0n ? -2n * time - 1n : 2n * time), word(sample.bits, 64));
      continue;
    }
    const newDelta = time - BigInt(previous.timestampMs);
    bits.push(index === 1 ? varint(BigInt.asUintN(64, newDelta)) : deltaOfDelta(newDelta - delta));
    delta = newDelta;
    const changed = sample.bits ^ previous.bits;
    if (changed === 0n) {
      bits.push("0");
      continue;
    }
    const text = word(changed, 64);
    const leading = Math.min(31, text.indexOf("1"));
    const trailing = 63 - text.lastIndexOf("1");
    if (window !== undefined && leading >= window.leading && trailing >= window.trailing) {
      bits.push("10", text.slice(window.leading, 64 - window.trailing));
      continue;
    }
    window = { leading, trailing };
    const width = 64 - leading - trailing;
    bits.push(
      "11",
      word(BigInt(leading), 5),
      word(BigInt(width % 64), 6),
      text.slice(leading, 64 - trailing),
    );
  }
  const all = bits.join("");
  const whole = all.padEnd(Math.ceil(all.length / 8) * 8, "0");
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
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

function word(value: bigint, width: number): string {
  return BigInt.asUintN(width, value).toString(2).padStart(width, "0");
}

function varint(value: bigint): string {
  const bytes: string[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(word((rest & 127n) | 128n, 8));
  return [...bytes, word(rest, 8)].join("");
}
