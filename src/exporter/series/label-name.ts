const legalLabelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Converts a label's name to one that remote write 1.0 allows, `[a-zA-Z_][a-zA-Z0-9_]*`
 * (https://prometheus.io/docs/concepts/data_model/): each invalid character becomes `_`, as in Prometheus'
 * own underscore escaping; a leading digit is an invalid character.
 *
 * @returns the same string if it is already valid
 */
export function legalizeLabelName(name: string): string {
  if (legalLabelName.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_]/gu, "_").replace(/^[0-9]/, "_");
}

const legalMetricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** The same for a metric's name (the value of `__name__`), in which the colon is allowed. */
export function legalizeMetricName(name: string): string {
  if (legalMetricName.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_:]/gu, "_").replace(/^[0-9]/, "_");
}
