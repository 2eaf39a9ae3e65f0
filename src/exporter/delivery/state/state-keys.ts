/** The state store's keys beside that of a sink, whose name never contains a space. */
const suffixes = { late: " late", ahead: " ahead" } as const;

/** For the windows in which a sink's late samples are sent. */
export function lateKey(sink: string): string {
  return sink + suffixes.late;
}

/** For what a sink delivers before the time that precedes it: see `ahead-spans.ts`. */
export function aheadKey(sink: string): string {
  return sink + suffixes.ahead;
}

/** The sink that a key of the state store belongs to. */
export function sinkOfKey(key: string): string {
  const suffix = Object.values(suffixes).find((each) => key.endsWith(each));
  return suffix === undefined ? key : key.slice(0, -suffix.length);
}
