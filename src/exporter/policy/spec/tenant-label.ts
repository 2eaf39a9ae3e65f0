import { labelsNamed, labelsWritten } from "../../metricsql/analysis/labels.ts";
import type { Expr } from "../../metricsql/ast/ast.ts";
import { legalizeLabelName } from "../../series/label-name.ts";

/*
 * Whether an expression uses the label that separates projects. Names are compared as receivers get them: a
 * query language that accepts any text as a name could otherwise write `tenant-id`, which remote write
 * delivers as `tenant_id`.
 */

/** Whether the expression names the label in any way: in filters, groupings, joins or label functions. */
export function namesTenantLabel(expr: Expr, tenantLabel: string): boolean {
  return labelsNamed(expr).some((name) => becomes(name, tenantLabel));
}

/** Whether the expression can give series a value of this label that its input series do not have. */
export function writesTenantLabel(expr: Expr, tenantLabel: string): boolean {
  return labelsWritten(expr).some((name) => becomes(name, tenantLabel));
}

/** @param name `p*` means every label that begins with p (`group_left(*) prefix "p"`) */
function becomes(name: string, tenantLabel: string): boolean {
  if (name === "") return false;
  return (
    legalizeLabelName(name) === tenantLabel ||
    (name.endsWith("*") && tenantLabel.startsWith(legalizeLabelName(name.slice(0, -1))))
  );
}
