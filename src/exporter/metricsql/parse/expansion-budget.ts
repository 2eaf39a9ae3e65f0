import type { Expr, LabelFilter } from "../ast/ast.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";

/**
 * How many nodes, filters and labels an expression may have with its templates expanded: 30 templates, each of which
 * uses the one before twice, are a billion.
 */
const MAX_NODES = 16_384;

/** A text without templates has fewer for each of its characters, so none of those is refused for its size. */
const NODES_PER_CHARACTER = 3;

/** Texts (names, strings, numbers) count as well, since whoever prints the expression writes them: so many make a node. */
const CHARACTERS_PER_NODE = 16;

/** What one expansion may still grow to. */
export class ExpansionBudget {
  readonly #text: string;
  #nodes: number;

  /** @param text what is expanded, for messages and for its length */
  constructor(text: string) {
    this.#text = text;
    this.#nodes = Math.max(MAX_NODES, text.length * NODES_PER_CHARACTER);
  }

  /** @throws MetricsqlSyntaxError when there are more than may be */
  spend(nodes: number, pos: number): void {
    this.#nodes -= nodes;
    if (this.#nodes >= 0) return;
    throw new MetricsqlSyntaxError(`the templates expand to more than ${MAX_NODES} nodes`, this.#text, pos);
  }

  spendText(length: number, pos: number): void {
    this.spend(length / CHARACTERS_PER_NODE, pos);
  }

  spendFilters(filters: readonly LabelFilter[], pos: number): void {
    for (const { label, value } of filters) {
      this.spend(1, pos);
      this.spendText(label.length + value.length, pos);
    }
  }

  /** A node without its parts: one that is shared costs whoever walks the tree as much as one that is copied. */
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
