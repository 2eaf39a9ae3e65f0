import type { ReceivedRequest } from "./receiver.ts";

/** What a receiver got per hour. */
export interface DeliveredRates {
  readonly requests: number;
  /** Of the requests' bodies, compressed. */
  readonly bytes: number;
  readonly samples: number;
  /** How long was measured. */
  readonly ms: number;
}

const hourMs = 3_600_000;

/** The latest time of a request's samples (Unix ms); undefined for a request without samples. */
export function endOf({ series }: ReceivedRequest): number | undefined {
  const times = series.flatMap(({ samples }) => samples.map(({ timestampMs }) => Number(timestampMs)));
  return times.length === 0 ? undefined : times.reduce((last, ms) => Math.max(last, ms));
}

/**
 * Rates by the samples' times: from the end of one cycle to that of a later one, so that whole cycles count,
 * however late they arrived.
 *
 * @param fromMs the end of a cycle; @param toMs at the latest
 */
export function deliveredRates(
  requests: readonly ReceivedRequest[],
  fromMs: number,
  toMs: number,
): DeliveredRates {
  const ended = requests.map((request) => ({ request, atMs: endOf(request) ?? fromMs }));
  const lastMs = ended
    .map(({ atMs }) => atMs)
    .filter((ms) => ms <= toMs)
    .reduce((a, b) => Math.max(a, b), fromMs);
  const counted = ended.filter(({ atMs }) => atMs > fromMs && atMs <= lastMs).map(({ request }) => request);
  const perHour = (amount: number) => (amount / (lastMs - fromMs)) * hourMs;
  const samplesOf = ({ series }: ReceivedRequest) =>
    series.reduce((sum, { samples }) => sum + samples.length, 0);
  return {
    requests: perHour(counted.length),
    bytes: perHour(counted.reduce((sum, { body }) => sum + body.length, 0)),
    samples: perHour(counted.reduce((sum, request) => sum + samplesOf(request), 0)),
    ms: lastMs - fromMs,
  };
}
