import { type FieldError, unsupportedValue } from "../api/status.ts";

/**
 * Parses `dryRun`. An empty value is an error: its sender does not intend a write.
 *
 * @param errors receives an error for every value other than All
 */
export function readDryRun(values: readonly string[], errors: FieldError[]): boolean {
  if (values.some((value) => value !== "All")) errors.push(unsupportedValue("dryRun", values, ["All"]));
  return values.length > 0;
}
