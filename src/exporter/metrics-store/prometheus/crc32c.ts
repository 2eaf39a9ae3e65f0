const polynomial = 0x82f63b78;

/** Tables for a byte followed by none, one, two and three bytes: four bytes are looked up in parallel. */
const tables = Int32Array.from({ length: 4 * 256 }, () => 0);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  tables[byte] = crc;
}
for (let index = 256; index < tables.length; index++) {
  const before = tables[index - 256] as number;
  tables[index] = (tables[before & 255] as number) ^ (before >>> 8);
}

/** CRC-32C (Castagnoli, RFC 3720, appendix B.4) of the bytes from `start` to `end` (exclusive), unsigned. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = -1;
  let at = start;
  for (const wholeEnd = end - 3; at < wholeEnd; at += 4) {
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    crc =
      (tables[768 + (crc & 255)] as number) ^
      (tables[512 + ((crc >>> 8) & 255)] as number) ^
      (tables[256 + ((crc >>> 16) & 255)] as number) ^
      (tables[crc >>> 24] as number);
  }
  for (; at < end; at++) crc = (tables[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
