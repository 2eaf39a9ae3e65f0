import { type FieldError, unsupportedValue } from "../status.ts";

/**
 * Whether `dryRun` says so. An empty value is a fault: who writes it does not want to write.
 *
 * @param errors gets a fault for every value but All
 */
export function readDryRun(values: readonly string[], errors: FieldError[]): boolean {
  if (values.some((value) => value !== "All")) errors.push(unsupportedValue("dryRun", values, ["All"]));
  return values.length > 0;
}
