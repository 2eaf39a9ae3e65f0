import { parseRegex } from "./regex.ts";
import { foldings, type Regex } from "./regex-tree.ts";

/** One state of the automaton. States with `test` consume a character; the others are transitions only. */
type State =
  | { readonly type: "take"; readonly test: (code: number) => boolean; readonly next: number }
  | { readonly type: "fork"; readonly next: readonly number[] }
  | {
      readonly type: "assert";
      readonly what: Extract<Regex, { type: "assert" }>["what"];
      readonly next: number;
    }
  | { readonly type: "done" };

/**
 * Compiles a regular expression to a predicate that matches the whole text. All states are followed in
 * parallel, so the time is proportional to text times pattern for any pattern.
 *
 * @throws RegexError
 */
export function compileRegex(pattern: string): (text: string) => boolean {
  if (pattern === ".*") return () => true;
  if (pattern === ".+") return (text) => text !== "";
  if (/^[\w\- |/]*$/.test(pattern)) {
    const texts = new Set(pattern.split("|"));
    return (text) => texts.has(text);
  }
  const states: State[] = [{ type: "done" }];
  const start = build(parseRegex(pattern), 0, states);
  return (text) =>
    run(
      states,
      start,
      Array.from(text, (char) => char.codePointAt(0) ?? 0),
    );
}

/** Adds the states of a part that leads to `next`. @returns the index of its first state */
function build(regex: Regex, next: number, states: State[]): number {
  switch (regex.type) {
    case "char": {
      const { code, fold } = regex;
      const wanted = new Set(foldings(code));
      const test = fold
        ? (seen: number) => foldings(seen).some((one) => wanted.has(one))
        : (seen: number) => seen === code;
      return states.push({ type: "take", test, next }) - 1;
    }
    case "class":
      return states.push({ type: "take", test: regex.test, next }) - 1;
    case "assert":
      return states.push({ type: "assert", what: regex.what, next }) - 1;
    case "sequence":
      return regex.parts.reduceRight((after, part) => build(part, after, states), next);
    case "choice":
      return states.push({ type: "fork", next: regex.parts.map((part) => build(part, next, states)) }) - 1;
    case "repeat": {
      const { part, min, max } = regex;
      let start = next;
      if (!Number.isFinite(max)) {
        const loop: number[] = [next];
        start = states.push({ type: "fork", next: loop }) - 1;
        loop.push(build(part, start, states));
      } else {
        for (let i = min; i < max; i++)
          start = states.push({ type: "fork", next: [next, build(part, start, states)] }) - 1;
      }
      for (let i = 0; i < min; i++) start = build(part, start, states);
      return start;
    }
  }
}

function run(states: readonly State[], start: number, codes: readonly number[]): boolean {
  let current = new Set<number>();
  follow(states, start, codes, 0, current);
  for (let at = 0; at < codes.length && current.size > 0; at++) {
    const following = new Set<number>();
    for (const index of current) {
      const state = states[index];
      if (state?.type === "take" && state.test(codes[at] ?? 0))
        follow(states, state.next, codes, at + 1, following);
    }
    current = following;
  }
  return current.has(0);
}

/** Adds a state, and every state reachable from it without a character, to a set. */
function follow(
  states: readonly State[],
  from: number,
  codes: readonly number[],
  at: number,
  into: Set<number>,
): void {
  const waiting = [from];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (into.has(index)) continue;
    into.add(index);
    const state = states[index];
    if (state?.type === "fork") waiting.push(...state.next);
    if (state?.type === "assert" && holds(state.what, codes, at)) waiting.push(state.next);
  }
}

function holds(
  what: Extract<Regex, { type: "assert" }>["what"],
  codes: readonly number[],
  at: number,
): boolean {
  switch (what) {
    case "textStart":
      return at === 0;
    case "textEnd":
      return at === codes.length;
    case "lineStart":
      return at === 0 || codes[at - 1] === 10;
    case "lineEnd":
      return at === codes.length || codes[at] === 10;
    default:
      return (isWord(codes[at - 1]) !== isWord(codes[at])) === (what === "word");
  }
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code));
}
