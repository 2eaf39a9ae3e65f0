import type { Duration, NumberLiteral } from "../ast/ast.ts";
import { parseDuration, parseNumber, parseString } from "../ast/literals.ts";
import type { Lexer } from "./lexer.ts";
import type { StringPart } from "./template-ast.ts";

/** Grafana variables that stand for the query's step. */
export const stepVariables = new Set(["$__interval", "$__rate_interval", "$__range"]);

/** The current token, as messages show it. */
export function found(lexer: Lexer): string {
  if (lexer.is("end")) return "end of the text";
  const raw = lexer.raw.length > 40 ? `${lexer.raw.slice(0, 40)}…` : lexer.raw;
  return lexer.is("string") ? `string ${raw}` : JSON.stringify(raw);
}

export function isInfOrNaN(lexer: Lexer): boolean {
  return lexer.isWord("inf") || lexer.isWord("nan");
}

/**
 * The lowest layer of the parser: numbers, strings, durations, lists of labels. Each method starts at the
 * current token and ends at the first token that is not its own.
 */
export class TokenParser {
  protected readonly lexer: Lexer;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  protected unexpected(expected: string): never {
    this.lexer.fail(`unexpected ${found(this.lexer)}; expected ${expected}`);
  }

  protected take(kind: "(" | ")" | "]" | "="): void {
    if (!this.lexer.is(kind)) this.unexpected(`"${kind}"`);
    this.lexer.next();
  }

  protected number(): NumberLiteral {
    const { lexer } = this;
    const pos = lexer.start;
    const text = lexer.raw;
    const value = lexer.is("number") || isInfOrNaN(lexer) ? parseNumber(text) : undefined;
    if (value === undefined) return this.unexpected("a number");
    lexer.next();
    return { type: "number", value, text, pos };
  }

  /** `(a, "b", …)`, or `(*)` where it may mean all labels. */
  protected labelList(starAllowed: boolean): string[] {
    const { lexer } = this;
    const labels: string[] = [];
    this.take("(");
    if (starAllowed && lexer.is("*")) {
      lexer.next();
      this.take(")");
      return ["*"];
    }
    while (!lexer.is(")")) {
      if (lexer.is("name")) labels.push(lexer.value);
      else if (lexer.is("string")) labels.push(this.stringToken());
      else this.unexpected('a label name or ")"');
      lexer.next();
      if (lexer.is(",")) lexer.next();
      else if (!lexer.is(")")) this.unexpected('"," or ")"');
    }
    lexer.next();
    return labels;
  }

  /** The value of the string token; does not advance. */
  protected stringToken(): string {
    const value = parseString(this.lexer.raw);
    if (value === undefined) this.unexpected("only valid escape sequences, and UTF-8, in a string");
    return value;
  }

  /** `"a" + b + "c"`. A name after the plus belongs to the string, unless it starts a call or a selector. */
  protected stringParts(): StringPart[] {
    const { lexer } = this;
    const parts: StringPart[] = [];
    for (;;) {
      const pos = lexer.start;
      if (lexer.is("string")) parts.push({ type: "literal", text: this.stringToken(), pos });
      else parts.push({ type: "reference", text: lexer.value, pos });
      lexer.next();
      const plus = lexer.start;
      if (!lexer.is("+")) return parts;
      lexer.next();
      if (lexer.is("string")) continue;
      if (lexer.is("name") && !isInfOrNaN(lexer)) {
        const name = lexer.start;
        lexer.next();
        if (!lexer.is("(") && !lexer.is("{")) {
          lexer.seek(name);
          continue;
        }
      }
      lexer.seek(plus);
      return parts;
    }
  }

  protected durationToken(negative: boolean): Duration {
    const { lexer } = this;
    if (!lexer.is("duration") && !lexer.is("number")) this.unexpected("a duration such as 5m");
    const duration = parseDuration(negative ? `-${lexer.raw}` : lexer.raw);
    if (!duration || (lexer.is("number") && parseNumber(lexer.raw) === undefined))
      this.unexpected("a duration such as 5m");
    return duration;
  }
}
