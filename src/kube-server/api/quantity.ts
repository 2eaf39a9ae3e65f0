import type { Json } from "./object.ts";
import type { Schema } from "./schema.ts";

/**
 * Quantities of Kubernetes (apimachinery, `resource.Quantity`): a decimal number with a binary suffix
 * (`10Gi`), a decimal suffix (`500m`) or an exponent (`1e3`).
 */

/** Schema of a quantity, as API servers publish it in CRDs. */
export function quantityField(description: string): Schema {
  return {
    description,
    "x-kubernetes-int-or-string": true,
    pattern:
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  };
}

export const invalidQuantity =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?$/;

/** Largest amount: 2^63 - 1, in units of 10^-9. */
const maxNano = (2n ** 63n - 1n) * 10n ** 9n;
/** Bounds the arithmetic; longer texts are no quantities here. */
const maxLength = 100;
/** An exponent beyond this makes the longest or shortest number the largest or least amount. */
const maxExponent = 200;

/**
 * Parses a quantity. Amounts are rounded away from zero to a multiple of 10^-9, and cut at 2^63 - 1, as in
 * Kubernetes.
 *
 * @returns the amount in units of 10^-9, or undefined if the value is no quantity
 */
export function parseQuantity(value: Json | undefined): bigint | undefined {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? BigInt(value) * 10n ** 9n : undefined;
  }
  const match = typeof value === "string" && value.length <= maxLength ? form.exec(value) : null;
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", suffix = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  const ten = (decimalExponents[suffix] ?? 0) + Number(exponent) - fraction.length + 9;
  const nano = scaled(BigInt(whole + fraction), ten, binaryExponents[suffix] ?? 0);
  return sign === "-" ? -nano : nano;
}

/** `digits` times 10^ten times 2^two, rounded up and cut. */
function scaled(digits: bigint, ten: number, two: number): bigint {
  if (digits === 0n) return 0n;
  if (ten > maxExponent) return maxNano;
  if (ten < -maxExponent) return 1n;
  const raised = digits * 2n ** BigInt(two);
  const divisor = 10n ** BigInt(Math.max(0, -ten));
  const nano = (raised * 10n ** BigInt(Math.max(0, ten)) + divisor - 1n) / divisor;
  return nano < maxNano ? nano : maxNano;
}
