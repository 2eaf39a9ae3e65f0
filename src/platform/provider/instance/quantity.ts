const multipliers: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity of bytes, such as `10Gi`; undefined for anything else. */
export function parseQuantity(value: unknown): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)([kMGT]i?|Ki)?$/.exec(String(value));
  const multiplier = multipliers[match?.[2] ?? ""];
  if (match === null || multiplier === undefined) return undefined;
  return Math.ceil(Number(match[1]) * multiplier);
}
