import { isLabelKey, isLabelValue, type SelectorOutcome } from "./selectors.ts";

/** One requirement of a label selector; a match meets all of them. */
export type LabelRequirement =
  | { readonly operator: "in" | "notin"; readonly key: string; readonly values: ReadonlySet<string> }
  | { readonly operator: "exists" | "absent"; readonly key: string }
  | { readonly operator: "greater" | "less"; readonly key: string; readonly bound: bigint };

/**
 * Parses a label selector as Kubernetes does: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`,
 * `a<2`, `a`, `!a`, joined by commas. `!=` and `notin` also match if the label is missing. Runs in linear
 * time.
 */
export function parseLabelSelector(text: string): SelectorOutcome<LabelRequirement> {
  try {
    return { ok: true, requirements: new SelectorParser(tokensOf(text)).parse() };
  } catch (error) {
    if (!(error instanceof SelectorFault)) throw error;
    return { ok: false, message: error.message };
  }
}

/** A syntax error in a selector; converted to an outcome at the boundary of this file. */
class SelectorFault extends Error {}

/**
 * A symbol, or the text between symbols. `in` and `notin` are texts too; their position decides their
 * meaning.
 */
interface Token {
  readonly kind: "symbol" | "text" | "end";
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };

function tokensOf(selector: string): Token[] {
  const tokens: Token[] = [];
  for (const [text, symbol] of selector.matchAll(/(==|!=|[=!(),<>])|[^=!(),<>\s]+/g)) {
    tokens.push({ kind: symbol === undefined ? "text" : "symbol", text });
  }
  return tokens;
}

/** Recursive descent over the tokens; each is read once. */
class SelectorParser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#ahead().kind !== "end") {
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === "end") break;
      if (separator.text !== ",") throw expected(separator, "',' or 'end of string'");
      const next = this.#ahead();
      if (next.kind !== "text" && next.text !== "!") throw expected(next, "identifier after ','");
    }
    return requirements;
  }

  #ahead(): Token {
    return this.#tokens[this.#next] ?? end;
  }

  #take(): Token {
    return this.#tokens[this.#next++] ?? end;
  }

  #isAtEnd(): boolean {
    const { kind, text } = this.#ahead();
    return kind === "end" || text === ",";
  }

  #requirement(): LabelRequirement {
    const isNegated = this.#ahead().text === "!";
    if (isNegated) this.#take();
    const key = this.#text();
    if (!isLabelKey(key)) throw invalid(key, "is not a valid label key");
    if (isNegated) return { operator: "absent", key };
    if (this.#isAtEnd()) return { operator: "exists", key };
    const operator = this.#take();
    switch (operator.text) {
      case "in":
      case "notin":
        return { operator: operator.text, key, values: new Set(this.#values().map(checkedValue)) };
      case "=":
      case "==":
        return { operator: "in", key, values: new Set([checkedValue(this.#value())]) };
      case "!=":
        return { operator: "notin", key, values: new Set([checkedValue(this.#value())]) };
      case ">":
        return { operator: "greater", key, bound: checkedBound(this.#value()) };
      case "<":
        return { operator: "less", key, bound: checkedBound(this.#value()) };
      default:
        throw expected(operator, "in, notin, =, ==, !=, <, >");
    }
  }

  #text(): string {
    const token = this.#take();
    if (token.kind !== "text") throw expected(token, "identifier");
    return token.text;
  }

  /** Value of an equality; may be empty. */
  #value(): string {
    return this.#isAtEnd() ? "" : this.#text();
  }

  /** Values of a set, in parentheses; nothing between two commas is an empty value. */
  #values(): string[] {
    const open = this.#take();
    if (open.text !== "(") throw expected(open, "'('");
    const values: string[] = [];
    let value = "";
    for (;;) {
      const token = this.#take();
      if (token.kind === "text" && value === "") {
        value = token.text;
      } else if (token.text === "," || token.text === ")") {
        values.push(value);
        value = "";
        if (token.text === ")") return values;
      } else {
        throw expected(token, "',' or ')'");
      }
    }
  }
}

function expected(found: Token, what: string): SelectorFault {
  return new SelectorFault(`unable to parse requirement: found '${cut(found.text)}', expected: ${what}`);
}

function invalid(value: string, why: string): SelectorFault {
  return new SelectorFault(
    `unable to parse requirement: Invalid value: ${JSON.stringify(cut(value))}: ${why}`,
  );
}

function cut(text: string): string {
  return text.length > 256 ? `${text.slice(0, 256)}…` : text;
}

function checkedValue(value: string): string {
  if (!isLabelValue(value)) throw invalid(value, "is not a valid label value");
  return value;
}

function checkedBound(value: string): bigint {
  const bound = integerOf(checkedValue(value));
  if (bound === undefined) throw invalid(value, "for '>' and '<' operators, the value must be an integer");
  return bound;
}

/** A 64-bit integer in decimal. */
function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

function holds(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "in":
      return value !== undefined && requirement.values.has(value);
    case "notin":
      return value === undefined || !requirement.values.has(value);
    case "greater":
    case "less": {
      const number = value === undefined ? undefined : integerOf(value);
      if (number === undefined) return false;
      return requirement.operator === "greater" ? number > requirement.bound : number < requirement.bound;
    }
  }
}
