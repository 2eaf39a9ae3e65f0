import type { Expr, LabelFilter } from "../ast/ast.ts";
import { precedence } from "../ast/words.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";

/**
 * Maximum nodes, filters and labels of an expression with its templates expanded: templates that each use the
 * previous one twice grow exponentially.
 */
const maxNodes = 16_384;

/** Maximum depth of the tree, not counting chains of operators of one precedence (`a or b or c …`). */
const maxDepth = 240;

/** A text without templates has fewer nodes per character, so it is never rejected for its size. */
const nodesPerCharacter = 3;

/** Texts (names, strings, numbers) count too, since they are printed: this many characters make a node. */
const charactersPerNode = 16;

/** The remaining growth of one expansion, and the depth of its tree. */
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
    if (this.#nodes < 0) this.#fail(`the templates expand to more than ${maxNodes} nodes`, pos);
  }

  /** @throws MetricsqlSyntaxError when a node is too deep */
  checkDepth(depth: number, pos: number): void {
    if (depth > maxDepth) this.#fail(`nested deeper than ${maxDepth} levels`, pos);
  }

  #fail(message: string, pos: number): never {
    throw new MetricsqlSyntaxError(message, this.#text, pos);
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
  #spendNode(node: Expr, pos: number): void {
    this.spend(1, pos);
    if (node.type === "selector") for (const group of node.groups) this.spendFilters(group, pos);
    else if (node.type === "string") this.spendText(node.value.length, pos);
    else if (node.type === "number") this.spendText(node.text.length, pos);
    else if (node.type === "duration") this.spendText(node.duration.text.length, pos);
    else if (node.type === "aggregate") this.spend(node.grouping?.labels.length ?? 0, pos);
    else if (node.type === "binary")
      this.spend((node.matching?.labels.length ?? 0) + (node.join?.labels.length ?? 0), pos);
  }

  /** Charges an argument at each use: it is shared, but printing and walking cost as much as for a copy. */
  spendTree(value: Expr, depth: number, pos: number): void {
    const waiting: [Expr, number][] = [[value, depth]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [node, level] = next;
      this.#spendNode(node, pos);
      this.checkDepth(level, pos);
      if (node.type === "binary") {
        const { left, right } = node;
        const chained =
          left.type === "binary" && precedence(left.op) === precedence(node.op) && node.op !== "^";
        waiting.push([left, chained && !left.keepMetricNames ? level : level + 1], [right, level + 1]);
      } else if (node.type === "rollup") {
        waiting.push([node.expr, level + 1]);
        if (node.at) waiting.push([node.at, level + 1]);
      } else if ("args" in node) {
        for (const arg of node.args) waiting.push([arg, level + 1]);
      }
    }
  }
}
