const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A count for a narrow column: `9,999`, `12.3K`, `4.56M`. */
export function formatCount(count: number): string {
  return Math.abs(count) < 10_000 ? grouped.format(count) : compact.format(count);
}

/** A count with every digit: `12,345,678`. */
export function formatExactCount(count: number): string {
  return grouped.format(count);
}

/** A rate in samples per second: `0`, `0.25/s`, `3.4/s`, `12.3K/s`. */
export function formatRate(perSecond: number): string {
  if (perSecond === 0) return "0/s";
  if (perSecond < 10) return `${Number(perSecond.toPrecision(2))}/s`;
  return `${formatCount(Math.round(perSecond))}/s`;
}

/** An age as kubectl prints it: exact while young, a single unit when old (`95s`, `4m10s`, `42m`, `3d2h`). */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, "d", hours % 24, "h");
  return `${days}d`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
