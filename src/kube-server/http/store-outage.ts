const outage =
  /timed out|isn't writeable|Connection is closed|max retries|^(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN)|ECONN|EPIPE|ENOENT/i;

/** Errors of a Redis that is down, hanging, starting or out of memory. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return outage.test(error.message);
}
