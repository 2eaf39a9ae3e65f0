const legalLabelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * The name of a label as remote write 1.0 allows it, `[a-zA-Z_][a-zA-Z0-9_]*`
 * (https://prometheus.io/docs/concepts/data_model/): each bad character becomes `_`, as Prometheus' own underscore
 * escaping does; a digit in front is a bad character.
 *
 * @returns the very same text where it is legal already
 */
export function legalizeLabelName(name: string): string {
  if (legalLabelName.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_]/gu, "_").replace(/^[0-9]/, "_");
}
