/**
 * Regular expressions as RE2 (Go's `regexp`) reads them: without lookaround or backreferences, so that
 * matching takes time in proportion to the text. `regex.ts` parses them into this tree, for three uses: to
 * reject patterns that a store would reject, to match (`regex-match.ts`), and to list the values of patterns
 * that match only a few.
 *
 * As in VictoriaMetrics and Prometheus, `.` matches a line end too.
 */
export type Regex =
  | { readonly type: "char"; readonly code: number; readonly fold: boolean }
  | { readonly type: "class"; readonly test: (code: number) => boolean }
  | {
      readonly type: "assert";
      readonly what: "textStart" | "textEnd" | "lineStart" | "lineEnd" | "word" | "notWord";
    }
  | { readonly type: "sequence"; readonly parts: readonly Regex[] }
  | { readonly type: "choice"; readonly parts: readonly Regex[] }
  | { readonly type: "repeat"; readonly part: Regex; readonly min: number; readonly max: number };

/** The number of automaton states that the expression needs. */
export function states(regex: Regex): number {
  switch (regex.type) {
    case "sequence":
    case "choice":
      return regex.parts.reduce((sum, part) => sum + states(part), 1);
    case "repeat": {
      const times = Number.isFinite(regex.max) ? Math.max(regex.max, 1) : regex.min + 1;
      return 1 + times * states(regex.part);
    }
    default:
      return 1;
  }
}

/**
 * The number of those states that can be active however many characters were read: all within an unbounded
 * repetition and after one. The others are active at the beginning of the text only, if matched from there.
 */
export function lastingStates(regex: Regex, isAfterUnbounded = false): number {
  switch (regex.type) {
    case "sequence": {
      let [lasting, isAfter] = [0, isAfterUnbounded];
      for (const part of regex.parts) {
        lasting += lastingStates(part, isAfter);
        isAfter ||= hasUnbounded(part);
      }
      return lasting;
    }
    case "choice":
      return regex.parts.reduce((sum, part) => sum + lastingStates(part, isAfterUnbounded), 0);
    case "repeat": {
      if (!Number.isFinite(regex.max)) return states(regex);
      const isAfter = isAfterUnbounded || (regex.max > 1 && hasUnbounded(regex.part));
      return Math.max(regex.max, 1) * lastingStates(regex.part, isAfter);
    }
    default:
      return isAfterUnbounded ? 1 : 0;
  }
}

function hasUnbounded(regex: Regex): boolean {
  switch (regex.type) {
    case "sequence":
    case "choice":
      return regex.parts.some(hasUnbounded);
    case "repeat":
      return !Number.isFinite(regex.max) || hasUnbounded(regex.part);
    default:
      return false;
  }
}

/** The product of nested counted repetitions. */
export function repeats(regex: Regex): number {
  switch (regex.type) {
    case "sequence":
    case "choice":
      return regex.parts.reduce((most, part) => Math.max(most, repeats(part)), 1);
    case "repeat": {
      const times = Number.isFinite(regex.max) ? regex.max : regex.min;
      return Math.max(times, 1) * repeats(regex.part);
    }
    default:
      return 1;
  }
}

/** Whether the expression matches the empty text. Linear in the pattern, even with many repetitions. */
export function matchesEmptyText(regex: Regex): boolean {
  switch (regex.type) {
    case "assert":
      return regex.what !== "word";
    case "sequence":
      return regex.parts.every(matchesEmptyText);
    case "choice":
      return regex.parts.some(matchesEmptyText);
    case "repeat":
      return regex.min === 0 || matchesEmptyText(regex.part);
    default:
      return false;
  }
}

/** The character in both cases. */
export function foldings(code: number): readonly number[] {
  const char = String.fromCodePoint(code);
  return [code, char.toLowerCase().codePointAt(0) ?? code, char.toUpperCase().codePointAt(0) ?? code];
}

/** All texts that the expression can match, if there are at most `limit`. */
export function finiteTexts(regex: Regex, limit: number): readonly string[] | undefined {
  const { texts, areWhole } = beginnings(regex, limit);
  return areWhole ? texts : undefined;
}

/** Each text that the expression matches begins with one of the `texts`, or is one, if they are whole. */
interface Beginnings {
  readonly texts: readonly string[];
  readonly areWhole: boolean;
}

const anyText: Beginnings = { texts: [""], areWhole: false };

/** At most `limit` texts, as long as they can be. */
export function beginnings(regex: Regex, limit: number): Beginnings {
  switch (regex.type) {
    case "char":
      return regex.fold ? anyText : { texts: [String.fromCodePoint(regex.code)], areWhole: true };
    case "choice": {
      const texts: string[] = [];
      let areWhole = true;
      for (const part of regex.parts) {
        const own = beginnings(part, limit);
        if (texts.length + own.texts.length > limit) return anyText;
        texts.push(...own.texts);
        areWhole &&= own.areWhole;
      }
      return { texts, areWhole };
    }
    case "sequence": {
      let texts: readonly string[] = [""];
      for (const part of regex.parts) {
        const own = beginnings(part, limit);
        if (texts.length * own.texts.length > limit) return { texts, areWhole: false };
        texts = texts.flatMap((text) => own.texts.map((next) => text + next));
        if (!own.areWhole) return { texts, areWhole: false };
      }
      return { texts, areWhole: true };
    }
    default:
      return anyText;
  }
}
