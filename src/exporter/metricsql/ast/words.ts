import type { BinaryOp } from "./ast.ts";

/** The precedence of the operators, weakest first. All associate to the left, except `^`. */
const precedences: ReadonlyMap<string, number> = new Map(
  [
    ["default"],
    ["if", "ifnot"],
    ["or"],
    ["and", "unless"],
    ["==", "!=", ">", "<", ">=", "<=", "</", ">/"],
    ["+", "-"],
    ["*", "/", "%", "atan2"],
    ["^"],
  ].flatMap((ops, level) => ops.map((op): [string, number] => [op, level + 1])),
);

/** The precedence of an operator, from 1; higher binds tighter. */
export function precedence(op: BinaryOp): number {
  return precedences.get(op) ?? 0;
}

/** The operator that a token names, in any case. */
export function asBinaryOp(text: string): BinaryOp | undefined {
  if (precedences.has(text)) return text as BinaryOp;
  const lower = text.toLowerCase();
  return precedences.has(lower) ? (lower as BinaryOp) : undefined;
}

export function isComparison(op: BinaryOp): boolean {
  return precedence(op) === precedence("==") && op !== "</" && op !== ">/";
}

export function isSetOperator(op: BinaryOp): boolean {
  return op === "and" || op === "or" || op === "unless";
}

/**
 * Words with a special meaning in some place. A metric with such a name is printed as a filter on `__name__`,
 * which is valid in every place and for every version.
 */
const reservedWords: ReadonlySet<string> = new Set([
  ...["by", "without", "limit", "on", "ignoring", "group_left", "group_right", "prefix", "bool"],
  ...["fill", "fill_left", "fill_right", "offset", "with", "keep_metric_names", "inf", "nan"],
  ...["default", "if", "ifnot", "or", "and", "unless", "atan2"],
]);

export function isReserved(name: string): boolean {
  return reservedWords.has(name.toLowerCase());
}

/** Whether both PromQL's and MetricsQL's grammar accept the name without escapes. */
export function isPlainName(name: string): boolean {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);
}

/** Whether a name may begin with this character (code point). */
export function isNameStart(code: number): boolean {
  if (code < 128) {
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
  }
  return /\p{L}/u.test(String.fromCodePoint(code));
}

export function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57) || code === 46;
}

/** A label name in the grammar's form: every character that is not allowed is escaped by a backslash. */
export function escapeName(name: string): string {
  let escaped = "";
  for (const char of name) {
    const code = char.codePointAt(0) ?? 0;
    const plain = escaped === "" ? isNameStart(code) : isNamePart(code);
    if (plain) escaped += char;
    else if (/\p{C}|\p{Zl}|\p{Zp}/u.test(char) && code < 0x10000) {
      escaped += `\\u${code.toString(16).padStart(4, "0")}`;
    } else escaped += `\\${char}`;
  }
  return escaped;
}
