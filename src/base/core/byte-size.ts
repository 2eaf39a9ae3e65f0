const units: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/**
 * Parses a size such as `64KiB`, `256MiB`, `1.5GB` or plain bytes. @returns bytes, or undefined when the text
 * is not a size
 */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB|)$/.exec(text);
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN));
}

/** Formats a size: `512B`, `64KiB`, `1.5MiB`. */
export function formatByteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  for (const unit of ["KiB", "MiB"]) {
    const amount = bytes / (units[unit] ?? 1);
    if (amount < 1024) return `${Number(amount.toFixed(1))}${unit}`;
  }
  return `${Number((bytes / 2 ** 30).toFixed(1))}GiB`;
}
