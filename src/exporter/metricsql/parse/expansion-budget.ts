import type { Expr, LabelFilter } from "../ast/ast.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";

/**
 * Maximum nodes, filters and labels of an expression with its templates expanded: templates that each use the
 * previous one twice grow exponentially.
 */
const maxNodes = 16_384;

/** A text without templates has fewer nodes per character, so it is never rejected for its size. */
const nodesPerCharacter = 3;

/** Texts (names, strings, numbers) count too, since they are printed: this many characters make a node. */
const charactersPerNode = 16;

/** The remaining growth of one expansion. */
export class ExpansionBudget {
  readonly #text: string;
  #nodes: number;

  /** @param text the text to expand, for messages and for its length */
  constructor(text: string) {
    this.#text = text;
    this.#nodes = Math.max(maxNodes, text.length * nodesPerCharacter);
  }

  /** @throws MetricsqlSyntaxError when the budget is exceeded */
  spend(nodes: number, pos: number): void {
    this.#nodes -= nodes;
    if (this.#nodes >= 0) return;
    throw new MetricsqlSyntaxError(`the templates expand to more than ${maxNodes} nodes`, this.#text, pos);
  }

  spendText(length: number, pos: number): void {
    this.spend(length / charactersPerNode, pos);
  }

  spendFilters(filters: readonly LabelFilter[], pos: number): void {
    for (const { label, value } of filters) {
      this.spend(1, pos);
      this.spendText(label.length + value.length, pos);
    }
  }

  /** Charges a node without its children. A shared node counts like a copy, since it is walked like one. */
  spendNode(node: Expr, pos: number): void {
    this.spend(1, pos);
    if (node.type === "selector") for (const group of node.groups) this.spendFilters(group, pos);
    else if (node.type === "string") this.spendText(node.value.length, pos);
    else if (node.type === "number") this.spendText(node.text.length, pos);
    else if (node.type === "duration") this.spendText(node.duration.text.length, pos);
    else if (node.type === "aggregate") this.spend(node.grouping?.labels.length ?? 0, pos);
    else if (node.type === "binary")
      this.spend((node.matching?.labels.length ?? 0) + (node.join?.labels.length ?? 0), pos);
  }
}
