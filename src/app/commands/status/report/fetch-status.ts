import { describeError, TelemetrydError } from "../../../../base/core/errors.ts";
import { formatAge } from "../../../../base/core/human.ts";
import { withEither } from "../../../../base/core/signals.ts";
import type { DaemonStatus } from "../../../../exporter/policy/status/status-view.ts";
import { opsUrl, unreachable } from "../../ops-address.ts";

const responseLimitMs = 5_000;

/**
 * Fetches a running daemon's status from its ops address: a URL, or host:port.
 *
 * @throws INVALID_ARGUMENT for an invalid address, UNREACHABLE when no daemon responds there
 */
export async function fetchStatus(address: string, signal: AbortSignal): Promise<DaemonStatus> {
  const url = statusUrl(address);
  const limit = AbortSignal.timeout(responseLimitMs);
  let response: Response;
  let body: unknown;
  try {
    [response, body] = await withEither([signal, limit], (either) => fetchJson(url, either));
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted ? `no response within ${formatAge(responseLimitMs)}` : describeError(error);
    throw unreachable(url, reason, error);
  }
  if (response.status !== 200 || !isDaemonStatus(body)) {
    throw new TelemetrydError(
      "UNREACHABLE",
      `${url.origin} responds with HTTP ${response.status}, but not as telemetryd's ops address does; give the address of ops.listen with --address`,
    );
  }
  return body;
}

/** The body is undefined when it is not JSON. */
async function fetchJson(url: URL, signal: AbortSignal): Promise<[Response, unknown]> {
  const response = await fetch(url, { signal, redirect: "manual" });
  const body = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  return [response, body];
}

/** The address that a daemon's status is read from. @throws INVALID_ARGUMENT for an invalid address */
export function statusUrl(address: string): URL {
  return opsUrl(address, "api/v1/status");
}

/** Distinguishes a daemon from other servers; a daemon's response is otherwise trusted. */
function isDaemonStatus(body: unknown): body is DaemonStatus {
  return (
    typeof body === "object" &&
    body !== null &&
    "policies" in body &&
    Array.isArray(body.policies) &&
    "degraded" in body &&
    Array.isArray(body.degraded)
  );
}
