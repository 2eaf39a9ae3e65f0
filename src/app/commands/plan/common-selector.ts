import { intersectionOf, overlapOf } from "../../../exporter/metricsql/analysis/overlap.ts";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import { print } from "../../../exporter/metricsql/print/printer.ts";

/** Alternatives of a common selector: each of one selector with each of the other. */
const maxAlternatives = 64;

/**
 * What two sources have in common: the same series, nothing, or what a selector matches, which only the store
 * knows. Expressions, and selectors of many alternatives, count as different unless they are equal.
 *
 * @param a MetricsQL without faults, like `b`
 */
export function commonSelector(a: string, b: string): "same" | "nothing" | { readonly selector: string } {
  const [left, right] = [parse(a), parse(b)];
  if (print(left) === print(right)) return "same";
  if (left.type !== "selector" || right.type !== "selector") return "nothing";
  if (overlapOf(left, right).kind === "impossible") return "nothing";
  if (left.groups.length * right.groups.length > maxAlternatives) return "nothing";
  return { selector: print(intersectionOf(left, right)) };
}
