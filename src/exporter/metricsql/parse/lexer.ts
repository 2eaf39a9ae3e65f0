import { isNamePart, isNameStart } from "../ast/words.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";

/** The kind of a token; each punctuation mark and symbolic operator is its own kind. */
type TokenKind =
  | "end"
  | "name"
  | "string"
  | "number"
  | "duration"
  | "variable"
  | ("{" | "}" | "[" | "]" | "(" | ")" | "," | "@" | ":")
  | (
      | "+"
      | "-"
      | "*"
      | "/"
      | "%"
      | "^"
      | "=="
      | "!="
      | ">="
      | "<="
      | ">"
      | "<"
      | "=~"
      | "!~"
      | "="
      | "</"
      | ">/"
    );

const unitPattern = "(?:[mM][sS]|m(?![iIbB])|[sShHdDwWyYiI])";
const positiveDurationPattern = new RegExp(`(?:\\d+(?:\\.\\d*)?${unitPattern})+`, "y");
const durationPattern = new RegExp(
  `\\d+(?:\\.\\d*)?${unitPattern}(?:-?\\d+(?:\\.\\d*)?${unitPattern})*`,
  "y",
);
const numberPattern =
  /0[xX][0-9a-fA-F]*|(?:0[oObB])?[\d_]*(?:\.[\d_]*)?(?:[kKmMgGtT][iI]?[bB]?|[eE][+-]?\d*)?/y;
const variablePattern = /\$(?:\w+|\{\w+\})/y;
const spacePattern = /(?:[ \t\n\v\f\r]|#[^\n]*)+/y;

/**
 * Splits a text into tokens, one at a time: `next` moves to the next token, and the fields hold its kind,
 * place and text. The parser can move back with `seek`.
 */
export class Lexer {
  readonly text: string;
  kind: TokenKind = "end";
  /** The token is `text.slice(start, end)`. */
  start = 0;
  end = 0;
  /**
   * For a name: its written form in lower case, so an escaped name is not a reserved word. Otherwise empty.
   */
  word = "";
  /** Whether `1h-5m` is three tokens, as for PromQL, and not one. */
  splitsDurations = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The text of the token. */
  get raw(): string {
    return this.text.slice(this.start, this.end);
  }

  /** Whether the current token is of this kind. (A method, since the fields change with every `next`.) */
  is(kind: TokenKind): boolean {
    return this.kind === kind;
  }

  /** Whether the current token is this word, in any case and without escapes. */
  isWord(word: string): boolean {
    return this.word === word;
  }

  fail(message: string, offset = this.start): never {
    throw new MetricsqlSyntaxError(message, this.text, offset);
  }

  /** Makes the token that starts at `offset` the current one. */
  seek(offset: number, inWindow = false): void {
    this.end = offset;
    this.next(inWindow);
  }

  /** `inWindow`: between square brackets a colon is a token; elsewhere it is part of names. */
  next(inWindow = false): void {
    let at = this.end;
    const code = this.text.charCodeAt(at);
    if (code <= 32 || code === 35) at = this.#match(spacePattern, at);
    this.start = at;
    this.end = at;
    this.word = "";
    this.kind = at < this.text.length ? this.#scan(at, inWindow) : "end";
  }

  /** The kind of the token at `at`; sets its end. */
  #scan(at: number, inWindow: boolean): TokenKind {
    const { text } = this;
    const code = text.codePointAt(at) ?? 0;
    if (inWindow && code === 58) return this.#symbol(":");
    if (code === 92 || isNameStart(code)) return this.#name(at, inWindow);
    if (code >= 48 && code <= 57) return this.#number(at);
    const following = text[at + 1] ?? "";
    const char = text[at] ?? "";
    switch (char) {
      case "{":
      case "}":
      case "[":
      case "]":
      case "(":
      case ")":
      case ",":
      case "@":
      case "+":
      case "-":
      case "*":
      case "/":
      case "%":
      case "^":
        return this.#symbol(char);
      case "=":
        if (following === "=") return this.#symbol("==");
        return this.#symbol(following === "~" ? "=~" : "=");
      case ">":
      case "<":
        return this.#symbol(following === "=" || following === "/" ? `${char}${following}` : char);
      case '"':
      case "'":
      case "`":
        return this.#string(at, char);
    }
    if (char === "!" && following === "=") return this.#symbol("!=");
    if (char === "!" && following === "~") return this.#symbol("!~");
    if (char === "." && /\d/.test(following)) return this.#number(at);
    if (char === "$") this.end = this.#match(variablePattern, at);
    if (this.end > at) return "variable";
    const shown = JSON.stringify(String.fromCodePoint(code));
    return this.fail(`unexpected character ${shown}; expected an expression or an operator`, at);
  }

  #match(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.text) ? pattern.lastIndex : at;
  }

  #symbol(kind: TokenKind): TokenKind {
    this.end = this.start + kind.length;
    return kind;
  }

  #name(start: number, inWindow: boolean): TokenKind {
    const { text } = this;
    let at = start;
    let escaped = false;
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      if (code === 92) {
        const length = escapeLength(text, at);
        if (length === 0) break;
        escaped = true;
        at += length;
      } else if (at === start ? isNameStart(code) : isNamePart(code) && !(inWindow && code === 58)) {
        at += code > 0xffff ? 2 : 1;
      } else break;
    }
    if (at === start) this.fail("unexpected backslash; expected a character to escape after it", start);
    this.end = at;
    if (!escaped) this.word = text.slice(start, at).toLowerCase();
    return "name";
  }

  #number(at: number): TokenKind {
    this.end = this.#match(this.splitsDurations ? positiveDurationPattern : durationPattern, at);
    if (this.end > at) return "duration";
    this.end = this.#match(numberPattern, at);
    return "number";
  }

  #string(start: number, quote: string): TokenKind {
    const { text } = this;
    for (let at = start + 1; at < text.length; at++) {
      const char = text[at];
      if (char === "\\") at++;
      else if (char === quote) {
        this.end = at + 1;
        return "string";
      }
    }
    return this.fail(`unexpected end of the text in a string; expected a closing ${quote}`, start);
  }

  /** The current name token with its escapes resolved. */
  get value(): string {
    const { raw } = this;
    if (!raw.includes("\\")) return raw;
    return raw.replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/gsu,
      (_, x?: string, u?: string, char?: string) =>
        char ?? String.fromCodePoint(Number.parseInt(x ?? u ?? "", 16)),
    );
  }
}

/** Length of the escape sequence in a name, or 0 if it is not one: control characters cannot be escaped. */
function escapeLength(text: string, at: number): number {
  const code = text.codePointAt(at + 1);
  if (code === undefined || code < 32 || code === 127) return 0;
  if (/^\\x[0-9a-fA-F]{2}/.test(text.slice(at, at + 4))) return 4;
  if (/^\\u[0-9a-fA-F]{4}/.test(text.slice(at, at + 6))) return 6;
  return code > 0xffff ? 3 : 2;
}
