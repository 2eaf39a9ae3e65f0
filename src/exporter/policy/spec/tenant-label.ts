import { labelsNamed, labelsWritten } from "../../metricsql/analysis/labels.ts";
import type { Expr } from "../../metricsql/ast/ast.ts";
import { legalizeLabelName } from "../../series/label-name.ts";

/*
 * Whether an expression meddles with the label that tells projects apart. Names are compared as receivers get them: a
 * query language that takes any text for a name would otherwise write `tenant-id`, and remote write deliver `tenant_id`.
 */

/** Does the expression name the label in any way: in filters, groupings, joins, label functions? */
export function namesTenantLabel(expr: Expr, tenantLabel: string): boolean {
  return labelsNamed(expr).some((name) => becomes(name, tenantLabel));
}

/** Can the expression give series a value of this label that the series it reads do not have? */
export function writesTenantLabel(expr: Expr, tenantLabel: string): boolean {
  return labelsWritten(expr).some((name) => becomes(name, tenantLabel));
}

/** @param name `p*` stands for every label that begins with p (`group_left(*) prefix "p"`) */
function becomes(name: string, tenantLabel: string): boolean {
  if (name === "") return false;
  return (
    legalizeLabelName(name) === tenantLabel ||
    (name.endsWith("*") && tenantLabel.startsWith(legalizeLabelName(name.slice(0, -1))))
  );
}
