import type { Duration } from "../ast/ast.ts";
import { isPromqlDuration, isPromqlNumber, parseDuration } from "../ast/literals.ts";
import type { DurationReference, TemplateDuration } from "./template-ast.ts";
import { stepVariables, TokenParser } from "./token-parser.ts";

/** Maximum nesting within one duration. */
const maxNesting = 220;

/** Maximum depth of its tree: less, so that its canonical form, with more parentheses, can be read again. */
const maxDepth = 100;

/** A part of a duration. */
interface Part {
  /** In canonical form. */
  readonly text: string;
  /** Its value where `step()` and `range()` are zero. */
  readonly seconds: number;
  /** `whole` needs no parentheses anywhere. */
  readonly form: "sum" | "product" | "power" | "signed" | "whole";
  /** Whether it is one number or duration, perhaps with a sign. */
  readonly literal: boolean;
  readonly depth: number;
  readonly pos: number;
}

/**
 * Reads durations: MetricsQL's, and PromQL's arithmetic, as in `[5m * 2]`, `[max_of(step(), 1m)]` and
 * `offset -(1h - 30m)`.
 */
export class DurationParser extends TokenParser {
  #nesting = 0;
  /** Between brackets a colon is a token. */
  #inWindow = false;

  /** The window of `[window:step]`, or its step. */
  window(): TemplateDuration {
    const { lexer } = this;
    const { start } = lexer;
    this.#inWindow = true;
    if (this.#isPlain()) return this.#plainDuration();
    if (lexer.is("duration") && lexer.raw.includes("-")) {
      // MetricsQL's `1h-5m` is one duration if nothing follows it.
      const whole = this.durationToken(false);
      lexer.next(true);
      if (lexer.is("]") || lexer.is(":")) return whole;
    }
    const part = this.#arithmetic(() => {
      lexer.seek(start, true);
      return this.#sum();
    });
    if (part.form === "signed" && part.literal) {
      lexer.seek(start, true);
      this.unexpected("a duration such as 5m");
    }
    return asDuration(part);
  }

  /**
   * The duration after `offset`. As for PromQL it is a single term, unless it begins with a parenthesis:
   * `m offset step() * 2` is twice `m offset step()`, but `m offset (5m) * 2` has an offset of 10m.
   */
  offset(): TemplateDuration {
    const { lexer } = this;
    const pos = lexer.start;
    this.#inWindow = false;
    const negative = lexer.is("-");
    const signed = negative || lexer.is("+");
    if (signed) lexer.next();
    if (lexer.is("(") || this.#isCall()) {
      const part = this.#arithmetic(() => (lexer.is("(") && !signed ? this.#sum() : this.#atom()));
      return asDuration(negative ? this.#negated(part, pos) : part);
    }
    if (lexer.is("name") ? !signed : lexer.is("variable")) return this.#plainDuration(negative);
    const duration = this.durationToken(negative);
    lexer.next();
    return duration;
  }

  /** Whether the name of a template, or a step variable, comes next. */
  #isPlain(): boolean {
    const { lexer } = this;
    return lexer.is("variable") || (lexer.is("name") && !this.#isCall());
  }

  #plainDuration(negative = false): TemplateDuration {
    const { lexer } = this;
    let duration: Duration | DurationReference;
    if (lexer.is("name")) duration = { reference: lexer.value, pos: lexer.start };
    else if (stepVariables.has(lexer.raw)) {
      duration = { text: negative ? "-1i" : "1i", ms: 0, steps: negative ? -1 : 1 };
    } else this.unexpected("a duration such as 5m");
    this.#advance();
    return duration;
  }

  #advance(): void {
    this.lexer.next(this.#inWindow);
  }

  /** Whether `step()`, `range()`, `min_of(…)` or `max_of(…)` comes next. */
  #isCall(): boolean {
    const { lexer } = this;
    if (!/^(?:step|range|min_of|max_of)$/.test(lexer.word)) return false;
    const { start } = lexer;
    this.#advance();
    const isCall = lexer.is("(");
    lexer.seek(start, this.#inWindow);
    return isCall;
  }

  #deeper(): void {
    if (++this.#nesting > maxNesting)
      this.lexer.fail(`a duration is nested deeper than ${maxNesting} levels`);
  }

  #arithmetic(read: () => Part): Part {
    this.lexer.splitsDurations = true;
    const part = read();
    this.lexer.splitsDurations = false;
    return part;
  }

  #sum(): Part {
    const { lexer } = this;
    this.#deeper();
    let left = this.#product();
    while (lexer.is("+") || lexer.is("-")) left = this.#combined("sum", left, this.#product.bind(this));
    this.#nesting--;
    return left;
  }

  #product(): Part {
    const { lexer } = this;
    let left = this.#signed();
    while (lexer.is("*") || lexer.is("/") || lexer.is("%"))
      left = this.#combined("product", left, this.#signed.bind(this));
    return left;
  }

  /** A sign binds less than a power: `-2 ^ 2` is `-(2 ^ 2)`. */
  #signed(): Part {
    const { lexer } = this;
    const pos = lexer.start;
    this.#deeper();
    let part: Part;
    if (lexer.is("-") || lexer.is("+")) {
      const negative = lexer.is("-");
      this.#advance();
      part = this.#signed();
      if (negative) part = this.#negated(part, pos);
    } else {
      part = this.#atom();
      if (lexer.is("^")) part = this.#combined("power", part, this.#signed.bind(this));
    }
    this.#nesting--;
    return part;
  }

  #atom(): Part {
    const { lexer } = this;
    const pos = lexer.start;
    if (lexer.is("(")) {
      this.#advance();
      const inner = this.#sum();
      this.#close();
      return inner;
    }
    if (this.#isCall()) return this.#call();
    const { text, ms } = this.durationToken(false);
    this.#advance();
    return { text, seconds: ms / 1000, form: "whole", literal: true, depth: 1, pos };
  }

  #call(): Part {
    const { lexer } = this;
    const pos = lexer.start;
    const name = lexer.word;
    this.#advance();
    this.#advance();
    const common = { form: "whole", literal: false, pos } as const;
    if (name === "step" || name === "range") {
      this.#close();
      return { ...common, text: `${name}()`, seconds: 0, depth: 1 };
    }
    const first = this.#operand(this.#sum());
    if (!lexer.is(",")) this.unexpected('","');
    this.#advance();
    const second = this.#operand(this.#sum());
    this.#close();
    const seconds = Math[name === "min_of" ? "min" : "max"](first.seconds, second.seconds);
    const depth = this.#depthOver(first, second);
    return { ...common, text: `${name}(${first.text}, ${second.text})`, seconds, depth };
  }

  #close(): void {
    if (!this.lexer.is(")")) this.unexpected('an arithmetic operator or ")"');
    this.#advance();
  }

  #combined(form: "sum" | "product" | "power", left: Part, operand: () => Part): Part {
    const op = this.lexer.raw;
    this.#advance();
    const right = this.#operand(operand());
    const leftText = left.form === form && form !== "power" ? left.text : inParentheses(this.#operand(left));
    const depth = left.form === form ? Math.max(left.depth, right.depth + 1) : this.#depthOver(left, right);
    return {
      text: `${leftText} ${op} ${inParentheses(right)}`,
      seconds: calculate(op, left.seconds, right.seconds),
      form,
      literal: false,
      depth,
      pos: left.pos,
    };
  }

  #negated(part: Part, pos: number): Part {
    const seconds = -part.seconds;
    if (part.literal && part.form === "whole")
      return { ...part, text: `-${part.text}`, seconds, form: "signed", pos };
    const depth = this.#depthOver(this.#operand(part), part);
    return { text: `-${inParentheses(part)}`, seconds, form: "signed", literal: false, depth, pos };
  }

  /** MetricsQL's own notations have no arithmetic. */
  #operand(part: Part): Part {
    const text = part.text.replace(/^-/, "");
    if (part.literal && !isPromqlDuration(text) && !isPromqlNumber(text))
      this.lexer.fail(
        `unexpected ${JSON.stringify(text)}; arithmetic takes durations such as 1h30m, and numbers`,
        part.pos,
      );
    return part;
  }

  #depthOver(one: Part, other: Part): number {
    const depth = Math.max(one.depth, other.depth) + 1;
    if (depth > maxDepth) this.lexer.fail(`a duration is nested deeper than ${maxDepth} levels`, one.pos);
    return depth;
  }
}

function inParentheses({ form, text }: Part): string {
  return form === "whole" ? text : `(${text})`;
}

function calculate(op: string, left: number, right: number): number {
  switch (op) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    default:
      return left ** right;
  }
}

function asDuration({ text, seconds, literal }: Part): Duration {
  const plain = literal ? parseDuration(text) : undefined;
  return plain ?? { text, ms: seconds * 1000, steps: 0, arithmetic: true };
}
