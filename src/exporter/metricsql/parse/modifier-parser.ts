import type { BinaryOp, Fill, Grouping, Join, NumberLiteral } from "../ast/ast.ts";
import { isSetOperator, precedence } from "../ast/words.ts";
import { FilterParser } from "./filter-parser.ts";
import type { StringPart } from "./template-ast.ts";

/** The layer of the parser for modifiers of operators and aggregates: label lists, prefixes, fill values. */
export class ModifierParser extends FilterParser {
  protected join(op: BinaryOp): Join<readonly StringPart[]> | undefined {
    const { lexer } = this;
    const { word } = lexer;
    if (word !== "group_left" && word !== "group_right") return undefined;
    if (isSetOperator(op))
      lexer.fail(`"${word}" cannot follow "${op}"; expected it after an arithmetic or comparison operator`);
    lexer.next();
    const labels = lexer.is("(") ? this.labelList(true) : [];
    if (!lexer.isWord("prefix")) return { op: word, labels, prefix: undefined };
    lexer.next();
    if (!lexer.is("string") && !lexer.is("name")) this.unexpected("a string with the prefix");
    return { op: word, labels, prefix: this.stringParts() };
  }

  /**
   * `fill(v)`, or `fill_left(v)` and `fill_right(v)` in either order; of several for a side the last one
   * counts, as in VictoriaMetrics. A word without "(" is an operand.
   */
  protected fill(op: BinaryOp): Fill | undefined {
    const { lexer } = this;
    let left: NumberLiteral | undefined;
    let right: NumberLiteral | undefined;
    while (lexer.isWord("fill") || lexer.isWord("fill_left") || lexer.isWord("fill_right")) {
      const { word, start } = lexer;
      lexer.next();
      if (!lexer.is("(")) {
        lexer.seek(start);
        break;
      }
      if (precedence(op) < precedence("==")) {
        lexer.fail(
          `"${word}" cannot follow "${op}"; expected it after an arithmetic or comparison operator`,
          start,
        );
      }
      lexer.next();
      const negative = lexer.is("-");
      if (negative || lexer.is("+")) lexer.next();
      const number = this.number();
      const value = negative ? { ...number, value: -number.value, text: `-${number.text}` } : number;
      this.take(")");
      if (word !== "fill_right") left = value;
      if (word !== "fill_left") right = value;
    }
    return left || right ? { left, right } : undefined;
  }

  protected grouping(): Grouping | undefined {
    const { word } = this.lexer;
    if (word !== "by" && word !== "without") return undefined;
    this.lexer.next();
    return { op: word, labels: this.labelList(false) };
  }
}
