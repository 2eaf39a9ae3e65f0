import type { BinaryOp, Join, Matching, NumberLiteral } from "../ast/ast.ts";
import { isAggregate } from "../ast/functions.ts";
import { asBinaryOp, isComparison, precedence } from "../ast/words.ts";
import { DurationParser } from "./duration-parser.ts";
import { Lexer } from "./lexer.ts";
import { ModifierParser } from "./modifier-parser.ts";
import { close, minus, type PendingOperator } from "./pending-operator.ts";
import type { Definition, StringPart, Template, TemplateDuration, TemplateFilter } from "./template-ast.ts";
import { found, isInfOrNaN, stepVariables } from "./token-parser.ts";

/**
 * Maximum nesting of parentheses, calls and templates, and maximum operators that wait for their right
 * operand. Bounds the parser's use of the stack. Somewhat more than `expand` allows, so that a printed tree
 * can always be parsed again.
 */
const maxDepth = 250;

/** Maximum length of a text, in UTF-16 units. VictoriaMetrics accepts less by default. */
const maxLength = 1 << 20;

/**
 * Reads an expression without expanding its WITH templates.
 *
 * @throws MetricsqlSyntaxError
 */
export function parseTemplate(text: string): Template {
  const lexer = new Lexer(text);
  if (text.length > maxLength)
    lexer.fail(`the text has ${text.length} characters; expected at most ${maxLength}`);
  lexer.next();
  const parser = new TemplateParser(lexer);
  const template = parser.expression();
  if (!lexer.is("end")) {
    lexer.fail(`unexpected ${found(lexer)}; expected an operator or the end`);
  }
  return template;
}

/** The top layer of the parser: expressions. */
class TemplateParser extends ModifierParser {
  readonly #durations = new DurationParser(this.lexer);
  #depth = 0;
  /** The only node of the parentheses just closed. */
  #parenthesized: Template | undefined;

  #deeper(): void {
    if (++this.#depth > maxDepth) this.lexer.fail(`nested deeper than ${maxDepth} levels`);
  }

  /** Operators and operands by precedence, with an explicit stack of waiting operators. */
  expression(): Template {
    this.#deeper();
    const { lexer } = this;
    const waiting: PendingOperator[] = [];
    let operand = this.#signed(waiting);
    for (;;) {
      const op = lexer.is("name") ? asBinaryOp(lexer.word) : asBinaryOp(lexer.kind);
      const level = op === undefined ? 0 : precedence(op);
      const reach = op === "^" ? level : level - 1;
      for (let last = waiting.at(-1); last && last.level > reach; last = waiting.at(-1)) {
        waiting.pop();
        operand = close(last, operand);
      }
      if (op === undefined) break;
      waiting.push(this.#operator(op, operand));
      operand = this.#signed(waiting);
      if (lexer.isWord("keep_metric_names")) {
        const binary = waiting.findLast((pending) => !pending.unary);
        if (binary) binary.keepMetricNames = true;
        lexer.next();
      }
    }
    this.#depth--;
    return operand;
  }

  /** An operand with its leading signs; a minus joins the waiting operators. */
  #signed(waiting: PendingOperator[]): Template {
    const { lexer } = this;
    for (;;) {
      if (waiting.length > maxDepth) lexer.fail(`more than ${maxDepth} operators wait for their right side`);
      if (lexer.is("-")) {
        const pos = lexer.start;
        lexer.next();
        const level = Math.max(precedence("-"), waiting.at(-1)?.level ?? 0);
        const left: NumberLiteral = { type: "number", value: 0, text: "0", pos };
        const none = { bool: false, matching: undefined, join: undefined, fill: undefined };
        waiting.push({ op: "-", level, unary: true, left, ...none, pos, keepMetricNames: false });
      } else if (lexer.is("+")) lexer.next();
      else return this.#suffixed();
    }
  }

  /** The operator at the current token and its modifiers. */
  #operator(op: BinaryOp, left: Template): PendingOperator {
    const { lexer } = this;
    const pos = lexer.start;
    lexer.next();
    const bool = lexer.isWord("bool");
    if (bool) {
      if (!isComparison(op)) lexer.fail(`"bool" cannot follow "${op}"; expected it after a comparison only`);
      lexer.next();
    }
    let matching: Matching | undefined;
    let join: Join<readonly StringPart[]> | undefined;
    const { word } = lexer;
    if (word === "on" || word === "ignoring") {
      lexer.next();
      matching = { op: word, labels: this.labelList(false) };
      join = this.join(op);
    }
    const fill = this.fill(op);
    const level = precedence(op);
    return { op, level, unary: false, left, bool, matching, join, fill, pos, keepMetricNames: false };
  }

  /** An operand followed by `[window]`, `anchored` or `smoothed`, `offset` and `@`. */
  #suffixed(): Template {
    const { lexer } = this;
    const inner = this.#suffixOf(this.#operand());
    if (!lexer.is("[") || inner.type !== "rollup" || inner.window || inner.subquery) return inner;
    // PromQL takes a subquery of what has an offset or an instant, without parentheses.
    const { start } = lexer;
    const outer = this.#suffixOf(inner);
    if (outer.type !== "rollup" || !outer.subquery) {
      lexer.seek(start);
      this.unexpected("an operator or the end");
    }
    return outer;
  }

  #suffixOf(expr: Template): Template {
    const { lexer } = this;
    const pos = lexer.start;
    let window: TemplateDuration | undefined;
    let step: TemplateDuration | undefined;
    let offset: TemplateDuration | undefined;
    let at: Template | undefined;
    let extension: "anchored" | "smoothed" | undefined;
    let subquery = false;
    if (!lexer.is("[") && !lexer.is("@") && !isSuffix(lexer.word)) return expr;
    if (lexer.is("[")) {
      lexer.next(true);
      if (lexer.is("variable") && stepVariables.has(lexer.raw)) lexer.next(true);
      else if (!lexer.is(":")) window = this.#durations.window();
      if (lexer.is(":")) {
        subquery = true;
        lexer.next(true);
        if (!lexer.is("]")) step = this.#durations.window();
      }
      if (!lexer.is("]")) this.unexpected(subquery ? '"]"' : '":" or "]"');
      lexer.next();
    }
    while (lexer.is("@") || isSuffix(lexer.word)) {
      const { word } = lexer;
      if (word === "anchored" || word === "smoothed") {
        if (extension) lexer.fail(`"${word}" cannot follow "${extension}"`);
        lexer.next();
        extension = word;
      } else if (lexer.is("@")) {
        if (at) lexer.fail('"@" is given twice');
        lexer.next();
        at = this.#instant();
      } else {
        if (offset) lexer.fail('"offset" is given twice');
        lexer.next();
        offset = this.#durations.offset();
      }
    }
    if (!window && !step && !subquery && !extension && !offset && !at) return expr;
    return { type: "rollup", expr, window, subquery, step, extension, offset, at, pos };
  }

  /** The operand after `@`, with an optional sign. */
  #instant(): Template {
    const { lexer } = this;
    this.#deeper();
    const { kind, start } = lexer;
    let operand: Template;
    if (kind === "-" || kind === "+") {
      lexer.next();
      operand = this.#instant();
      if (kind === "-") operand = minus(operand, start);
    } else operand = this.#operand();
    this.#depth--;
    return operand;
  }

  #operand(): Template {
    const { lexer } = this;
    const pos = lexer.start;
    switch (lexer.kind) {
      case "name":
        return this.#named();
      case "number":
        return this.number();
      case "duration": {
        const duration = this.durationToken(false);
        lexer.next();
        return { type: "duration", duration, pos };
      }
      case "string":
        return { type: "concat", parts: this.stringParts(), pos };
      case "(":
        return this.#parentheses();
      case "{":
        return { type: "selector", groups: this.filterGroups(undefined), pos };
      case "variable":
        if (stepVariables.has(lexer.raw)) {
          lexer.next();
          return { type: "duration", duration: { text: "1i", ms: 0, steps: 1 }, pos };
        }
        return this.unexpected("its value: variables must be replaced before the query is sent");
      default:
        return this.unexpected("an expression");
    }
  }

  /** `(a)` is a; `(a, b)` and `()` are unions. */
  #parentheses(): Template {
    const { lexer } = this;
    const pos = lexer.start;
    const args = this.#args();
    const [inner] = args;
    if (args.length !== 1 || inner === undefined) return { type: "union", args, pos };
    const direct = inner !== this.#parenthesized;
    this.#parenthesized = inner;
    if (direct && inner.type === "binary" && lexer.isWord("keep_metric_names")) {
      lexer.next();
      return { ...inner, keepMetricNames: true };
    }
    return inner;
  }

  /** `(a, b, …)`; a trailing comma is allowed. */
  #args(): Template[] {
    const { lexer } = this;
    this.take("(");
    const args: Template[] = [];
    while (!lexer.is(")")) {
      args.push(this.expression());
      if (lexer.is(",")) lexer.next();
      else if (!lexer.is(")")) this.unexpected('an operator, "," or ")"');
    }
    lexer.next();
    return args;
  }

  /** Anything that starts with a name: a template, an aggregate, a call or a selector. */
  #named(): Template {
    const { lexer } = this;
    const { word, start: pos } = lexer;
    if (isInfOrNaN(lexer)) return this.number();
    const name = lexer.value;
    lexer.next();
    if (word === "with" && lexer.is("(")) return this.#withTemplates(pos);
    const called = lexer.is("(") || lexer.isWord("by") || lexer.isWord("without");
    if (called && isAggregate(name.toLowerCase())) return this.#aggregate(name, pos);
    if (lexer.is("(")) {
      const args = this.#args();
      const keepMetricNames = lexer.isWord("keep_metric_names");
      if (keepMetricNames) lexer.next();
      return { type: "call", name, args, keepMetricNames, pos };
    }
    const filter: TemplateFilter = {
      type: "filter",
      label: "__name__",
      op: "=",
      value: [{ type: "literal", text: name, pos }],
      pos,
    };
    const groups = lexer.is("{") ? this.filterGroups(filter) : [[filter]];
    return { type: "selector", groups, pos };
  }

  #aggregate(name: string, pos: number): Template {
    const { lexer } = this;
    let grouping = this.grouping();
    const args = this.#args();
    grouping ??= this.grouping();
    let limit: number | undefined;
    if (lexer.isWord("limit")) {
      lexer.next();
      if (!lexer.is("number") || !/^\d{1,15}$/.test(lexer.raw)) this.unexpected("a whole number");
      limit = Number(lexer.raw);
      lexer.next();
    }
    return { type: "aggregate", name, args, grouping, limit, pos };
  }

  #withTemplates(pos: number): Template {
    const { lexer } = this;
    const definitions: Definition[] = [];
    const names = new Set<string>();
    this.take("(");
    while (!lexer.is(")")) {
      if (!lexer.is("name")) this.unexpected('the name of a template or ")"');
      const definition = this.#definition();
      if (names.has(definition.name))
        lexer.fail(`template "${definition.name}" is defined twice`, definition.pos);
      names.add(definition.name);
      definitions.push(definition);
      if (lexer.is(",")) lexer.next();
      else if (!lexer.is(")")) this.unexpected('an operator, "," or ")"');
    }
    lexer.next();
    return { type: "with", definitions, body: this.expression(), pos };
  }

  #definition(): Definition {
    const { lexer } = this;
    const pos = lexer.start;
    const name = lexer.value;
    let params: string[] | undefined;
    lexer.next();
    if (lexer.is("(")) {
      params = this.labelList(false);
      if (new Set(params).size < params.length)
        lexer.fail(`template "${name}" has two parameters of one name`, pos);
    }
    this.take("=");
    return { name, params, body: this.expression(), pos };
  }
}

/** Whether the word continues the operand before it. */
function isSuffix(word: string): boolean {
  return word === "offset" || word === "anchored" || word === "smoothed";
}
