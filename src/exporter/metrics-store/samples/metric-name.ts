/**
 * Converts a source's name (`gateway-rps`) to a metric's (`gateway_rps`):
 * https://prometheus.io/docs/concepts/data_model/
 */
export function metricNameOf(sourceName: string): string {
  return sourceName.replace(/[^a-zA-Z0-9_:]/gu, "_").replace(/^[0-9]/, "_");
}
