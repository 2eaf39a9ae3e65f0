/** Formats that the Kubernetes API server checks (kube-openapi's `strfmt`), as far as the kinds use them. */

const dateTime = /^(\d{4}-\d\d-\d\d)t(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** RFC 3339 with a valid date. Rejects leap seconds, which Go cannot parse. */
export function isDateTime(text: string): boolean {
  const [, date = "", hour = "", minute = "", second = ""] = dateTime.exec(text) ?? [];
  return isDate(date) && hour <= "23" && minute <= "59" && second <= "59";
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  // 31 February would roll over into March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const integerBits: Readonly<Record<string, number>> = { int32: 31, int64: 63 };

/** Whether an integer fits its format; formats other than int32 and int64 fit all. */
export function isInRange(value: number, format: string | undefined): boolean {
  const bits = integerBits[format ?? ""];
  return bits === undefined || (value >= -(2 ** bits) && value < 2 ** bits);
}
