/** A series of the standard load: 11 labels, about 250 bytes as VictoriaMetrics writes them. */
export function metricText(index: number): string {
  return JSON.stringify(metricLabels(index));
}

export function metricLabels(index: number) {
  return {
    __name__: `http_requests_total_${index % 20}`,
    job: "node-exporter",
    instance: `10.0.${(index >> 8) & 255}.${index & 255}:9100`,
    datacenter: `dc-${index % 3}`,
    cluster: "production-eu-1",
    namespace: `team-${index % 50}`,
    pod: `server-${(Math.imul(index, 2_654_435_761) >>> 0).toString(36)}-${index}`,
    container: "main",
    method: "GET",
    code: `${200 + (index % 5)}`,
    handler: `/api/v1/query/${index % 11}`,
  };
}

/**
 * The body of an export: `series` lines with `perLine` samples each, 15 s apart, with typical counter and
 * gauge values.
 */
export function exportBody(series: number, perLine: number): Buffer {
  const lines: Buffer[] = [];
  for (let index = 0; index < series; index++) {
    const values = Array.from({ length: perLine }, (_, step) =>
      index % 2 === 0 ? index * 1_009 + step * 17 : Math.round((index + step) * 1_234.5) / 1_000,
    );
    const times = Array.from({ length: perLine }, (_, step) => 1_790_000_000_123 + index + step * 15_000);
    lines.push(Buffer.from(`{"metric":${metricText(index)},"values":[${values}],"timestamps":[${times}]}\n`));
  }
  return Buffer.concat(lines);
}

/** Cuts the body into chunks as a socket delivers them, each in its own memory. */
export function chunksOf(body: Buffer, bytes = 65_536): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += bytes) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(bytes, body.length - at));
    body.copy(chunk, 0, at, at + chunk.length);
    chunks.push(chunk);
  }
  return chunks;
}
