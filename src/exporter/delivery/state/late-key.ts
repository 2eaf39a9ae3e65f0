const suffix = " late";

/**
 * The state store's key for the windows in which a sink's late samples are sent. A policy's name never
 * contains a space.
 */
export function lateKey(sink: string): string {
  return sink + suffix;
}

/** The sink that a key of the state store belongs to. */
export function sinkOfKey(key: string): string {
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}
