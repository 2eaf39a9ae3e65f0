import { posixClass, unicodeClass } from "./regex-classes.ts";
import { foldings, type Regex, repeats, states } from "./regex-tree.ts";

/** RE2's own limit for a repetition, and for the product of nested ones. */
const maxRepeat = 1000;
const maxStates = 100_000;
const maxDepth = 200;

/** The pattern is not valid; the message gives the reason. */
export class RegexError extends Error {}

/** The fault of a regular expression, or undefined. */
export function checkRegex(pattern: string): string | undefined {
  if (/^[\w\-. |/]*$/.test(pattern)) return undefined;
  try {
    parseRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexError) return error.message;
    throw error;
  }
}

/** @throws RegexError */
export function parseRegex(pattern: string): Regex {
  const parser = new RegexParser(pattern);
  const regex = parser.choice();
  parser.finish();
  if (states(regex) > maxStates) throw new RegexError("the repetitions are too large");
  return regex;
}

interface Flags {
  readonly fold: boolean;
  readonly lines: boolean;
  readonly dotAll: boolean;
}

const escapedChars: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const escapedAsserts = { A: "textStart", z: "textEnd", b: "word", B: "notWord" } as const;

class RegexParser {
  readonly #chars: readonly string[];
  readonly #names = new Set<string>();
  #at = 0;
  #depth = 0;
  #flags: Flags = { fold: false, lines: false, dotAll: true };

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  finish(): void {
    if (this.#at < this.#chars.length) throw new RegexError('unexpected ")"');
  }

  #looking(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#chars[this.#at + i] !== text[i]) return false;
    return true;
  }

  choice(): Regex {
    const parts = [this.#sequence()];
    while (this.#looking("|")) {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? (parts[0] as Regex) : { type: "choice", parts };
  }

  #sequence(): Regex {
    const parts: Regex[] = [];
    while (this.#at < this.#chars.length && !this.#looking("|") && !this.#looking(")")) {
      if (this.#looking("\\Q")) {
        const quoted = this.#quoted();
        const last = quoted.pop();
        parts.push(...quoted);
        if (last) parts.push(this.#repeated(last));
        continue;
      }
      const part = this.#atom();
      if (part) parts.push(this.#repeated(part));
    }
    return parts.length === 1 ? (parts[0] as Regex) : { type: "sequence", parts };
  }

  /**
   * The characters between `\Q` and `\E`. A missing `\E` is an error: the quotation would include the
   * parentheses that a store puts around the pattern.
   */
  #quoted(): Regex[] {
    const chars: Regex[] = [];
    this.#at += 2;
    while (!this.#looking("\\E")) {
      const char = this.#chars[this.#at++];
      if (char === undefined) throw new RegexError('missing "\\E"');
      chars.push(this.#char(char));
    }
    this.#at += 2;
    return chars;
  }

  /** A part with its repetition, if any. Two in a row are invalid: `a**`. */
  #repeated(part: Regex): Regex {
    const count = this.#count();
    if (!count) return part;
    if (this.#looking("?")) this.#at++;
    if (this.#count()) throw new RegexError("a repetition of a repetition");
    const { min, max } = count;
    const finite = Number.isFinite(max) ? max : min;
    if (finite > 1 && finite * repeats(part) > maxRepeat)
      throw new RegexError(`more than ${maxRepeat} repetitions`);
    return { type: "repeat", part, min, max };
  }

  #count(): { min: number; max: number } | undefined {
    const char = this.#chars[this.#at];
    if (char === "*" || char === "+" || char === "?") {
      this.#at++;
      return { min: char === "+" ? 1 : 0, max: char === "?" ? 1 : Number.POSITIVE_INFINITY };
    }
    if (char !== "{") return undefined;
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#chars.slice(this.#at, this.#at + 24).join(""));
    if (!match) return undefined;
    this.#at += match[0].length;
    const min = Number(match[1]);
    let max = min;
    if (match[2]) max = match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY;
    if (min > maxRepeat || max < min || (max > maxRepeat && Number.isFinite(max))) {
      throw new RegexError(`a wrong number of repetitions: ${match[0]}`);
    }
    return { min, max };
  }

  #char(char: string): Regex {
    return { type: "char", code: char.codePointAt(0) ?? 0, fold: this.#flags.fold };
  }

  /** One thing to match; undefined for a group that only sets flags. */
  #atom(): Regex | undefined {
    const char = this.#chars[this.#at] ?? "";
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#set();
      case ".": {
        this.#at++;
        const { dotAll } = this.#flags;
        return { type: "class", test: (code) => dotAll || code !== 10 };
      }
      case "^":
        this.#at++;
        return { type: "assert", what: this.#flags.lines ? "lineStart" : "textStart" };
      case "$":
        this.#at++;
        return { type: "assert", what: this.#flags.lines ? "lineEnd" : "textEnd" };
      case "*":
      case "+":
      case "?":
        throw new RegexError(`nothing to repeat before "${char}"`);
      case "{":
        if (this.#count()) throw new RegexError("nothing to repeat before a number of repetitions");
        this.#at++;
        return this.#char(char);
      case "\\":
        return this.#escape();
      default:
        this.#at++;
        return this.#char(char);
    }
  }

  #group(): Regex | undefined {
    const outer = this.#flags;
    this.#at++;
    if (this.#looking("?")) {
      const head = /^\?(?:P?<(\w+)>|([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)]))/.exec(
        this.#chars.slice(this.#at, this.#headEnd()).join(""),
      );
      if (!head)
        throw new RegexError(`"(${this.#chars.slice(this.#at, this.#at + 3).join("")}" is not supported`);
      const [text, name, on = "", off = "", end] = head;
      this.#at += text.length;
      if (name === undefined) {
        if (/[^imsU]/.test(on + off) || (on + off === "" && end === ")"))
          throw new RegexError(`unknown flags in "(${text}"`);
        this.#flags = {
          fold: (outer.fold || on.includes("i")) && !off.includes("i"),
          lines: (outer.lines || on.includes("m")) && !off.includes("m"),
          dotAll: (outer.dotAll || on.includes("s")) && !off.includes("s"),
        };
        if (end === ")") {
          if (this.#count()) throw new RegexError("nothing to repeat after the flags");
          return undefined;
        }
      } else {
        if (this.#names.has(name)) throw new RegexError(`two groups have the name ${name}`);
        this.#names.add(name);
      }
    }
    if (++this.#depth > maxDepth) throw new RegexError(`nested deeper than ${maxDepth} levels`);
    const inner = this.choice();
    if (!this.#looking(")")) throw new RegexError('missing ")"');
    this.#at++;
    this.#depth--;
    this.#flags = outer;
    return inner;
  }

  /** The offset after the first character that can end a group's head: `(?i:`, `(?s)`, `(?P<name>`. */
  #headEnd(): number {
    let end = this.#at;
    while (end < this.#at + 300 && !/^[:)>]$/.test(this.#chars[end] ?? ":")) end++;
    return end + 1;
  }

  #escape(): Regex {
    const letter = this.#chars[this.#at + 1] ?? "";
    if (letter in escapedAsserts) {
      this.#at += 2;
      return { type: "assert", what: escapedAsserts[letter as keyof typeof escapedAsserts] };
    }
    const test = this.#classEscape();
    if (test) return this.#folded(test);
    return { type: "char", code: this.#charEscape(), fold: this.#flags.fold };
  }

  /** `\d`, `\pL` and the like at the current place. */
  #classEscape(): ((code: number) => boolean) | undefined {
    const letter = this.#chars[this.#at + 1] ?? "";
    if (/[dswDSW]/.test(letter)) {
      this.#at += 2;
      const test = posixClass({ d: "digit", s: "perlspace", w: "word" }[letter.toLowerCase()] ?? "");
      if (!test) return undefined;
      return letter < "a" ? (code) => !test(code) : test;
    }
    if (letter !== "p" && letter !== "P") return undefined;
    const rest = this.#chars.slice(this.#at + 2, this.#at + 60).join("");
    const match = /^(?:([A-Z])|\{(\^?)(\w+)\})/.exec(rest);
    const test = match && unicodeClass(match[1] ?? match[3] ?? "");
    if (!match || !test) throw new RegexError(`unknown character class "\\${letter}${rest.slice(0, 12)}"`);
    this.#at += 2 + match[0].length;
    return (letter === "P") !== (match[2] === "^") ? (code) => !test(code) : test;
  }

  /** A single escaped character. */
  #charEscape(): number {
    const rest = this.#chars.slice(this.#at, this.#at + 12).join("");
    const match =
      /^\\(?:x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,8})\}|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([aftnrv])|([ -/:-@[-`{-~]))/.exec(
        rest,
      );
    if (!match)
      throw new RegexError(
        rest === "\\" ? "a backslash at the end" : `"${rest.slice(0, 2)}" is not supported`,
      );
    const [text, hex, braced, octal, letter, symbol] = match;
    this.#at += text.length;
    if (letter !== undefined) return escapedChars[letter] ?? 0;
    if (symbol !== undefined) return symbol.charCodeAt(0);
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const code = Number.parseInt(hex ?? braced ?? "", 16);
    if (code > 0x10ffff) throw new RegexError(`${text} is no character`);
    return code;
  }

  #folded(test: (code: number) => boolean): Regex {
    if (!this.#flags.fold) return { type: "class", test };
    return { type: "class", test: (code) => foldings(code).some(test) };
  }

  /** `[a-z\d[:alpha:]]`. A closing bracket that comes first is a literal. */
  #set(): Regex {
    this.#at++;
    const negated = this.#looking("^");
    if (negated) this.#at++;
    const tests: ((code: number) => boolean)[] = [];
    for (let first = true; first || !this.#looking("]"); first = false) {
      if (this.#at >= this.#chars.length) throw new RegexError('missing "]"');
      const named = this.#looking("[:")
        ? /^\[:(\^?)(\w+):\]/.exec(this.#chars.slice(this.#at, this.#at + 16).join(""))
        : undefined;
      if (named) {
        const test = posixClass(named[2] ?? "");
        if (!test) throw new RegexError(`unknown character class "${named[0]}"`);
        this.#at += named[0].length;
        tests.push(named[1] ? (code) => !test(code) : test);
        continue;
      }
      const test = this.#looking("\\") ? this.#classEscape() : undefined;
      if (test) {
        tests.push(test);
        continue;
      }
      const low = this.#setChar();
      let high = low;
      if (this.#looking("-") && this.#chars[this.#at + 1] !== "]" && this.#at + 1 < this.#chars.length) {
        this.#at++;
        high = this.#setChar();
        if (high < low) throw new RegexError("a range of characters from high to low");
      }
      tests.push((code) => code >= low && code <= high);
    }
    this.#at++;
    const any = (code: number) => tests.some((test) => test(code));
    const either = this.#flags.fold ? (code: number) => foldings(code).some(any) : any;
    return { type: "class", test: negated ? (code) => !either(code) : either };
  }

  #setChar(): number {
    if (this.#at >= this.#chars.length) throw new RegexError('missing "]"');
    if (this.#looking("\\")) return this.#charEscape();
    return (this.#chars[this.#at++] ?? "").codePointAt(0) ?? 0;
  }
}
