import { RE2JS } from "re2js";
import { parseRegex, RegexError } from "../metricsql/regex/regex.ts";
import { lastingStates, states } from "../metricsql/regex/regex-tree.ts";
import { relabelDefaults } from "./rule.ts";
import { expand, type Groups } from "./template.ts";

/** A class of Unicode has hundreds of ranges, of which each of its states is made. */
const unicodeClassWeight = 20;
/** Counted repetitions from 10 on: the states of `(a?){100}` are followed side by side. */
const countedWeight = 4;
/** Capture groups that cost as much again as matching without them. */
const groupsOfWeight = 8;
/** Steps for a state that is active at each character; most end with the first ones. */
const lastingStateSteps = 10;

/** What a pattern costs. */
interface PatternCost {
  /** About the states of its automaton, which is what compiling takes. */
  readonly weight: number;
  /** Steps of matching a character, of about 8 ns each on one core of 2.6 GHz. */
  readonly steps: number;
}

const costOfAny: PatternCost = { weight: 5, steps: 5 };

/** @returns the fault of a pattern that is not RE2 */
export function patternCost(pattern: string): PatternCost | { readonly problem: string } {
  if (pattern === relabelDefaults.regex) return costOfAny;
  try {
    const regex = parseRegex(pattern);
    const ofClasses = /\\[pP]/.test(pattern) ? unicodeClassWeight : 1;
    const ofCounts = /\{\d*,?\d{2}/.test(pattern) ? countedWeight : 1;
    const groups = pattern.split("(").length - 1;
    const factor = ofClasses * ofCounts * (1 + groups / groupsOfWeight);
    const weight = Math.ceil(states(regex) * factor);
    return { weight, steps: weight + Math.ceil(lastingStates(regex) * factor * lastingStateSteps) };
  } catch (error) {
    if (error instanceof RegexError) return { problem: error.message };
    throw error;
  }
}

/**
 * A rule's expression, which matches a whole text: linear in the text, for any pattern. It is compiled when
 * it is first used, which takes up to 10 ms for a pattern of the largest weight.
 */
export class RelabelRegex {
  readonly #pattern: string;
  #steps: number | undefined;
  #compiled: RE2JS | undefined;

  /** @param pattern without a fault */
  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** See {@link PatternCost}. */
  get steps(): number {
    if (this.#steps !== undefined) return this.#steps;
    const cost = patternCost(this.#pattern);
    if ("problem" in cost) throw new TypeError(`invalid pattern: ${cost.problem}`);
    this.#steps = cost.steps;
    return cost.steps;
  }

  /** Compiles it. */
  prepare(): void {
    if (this.steps > 0 && !this.#isAny) void this.#re;
  }

  matches(text: string): boolean {
    // Not `test`, whose automaton keeps up to 8 MiB for each pattern.
    return this.#isAny || this.#re.matcher(text).find();
  }

  /**
   * The expanded templates, for the groups of the match with the text.
   *
   * @returns undefined when it does not match
   */
  expand(text: string, templates: readonly string[], maxLength: number): string[] | undefined {
    if (this.#isAny) {
      const groups: Groups = { at: (index) => (index <= 1 ? text : undefined), named: () => undefined };
      return templates.map((template) => expand(template, groups, maxLength));
    }
    const matcher = this.#re.matcher(text);
    if (!matcher.find()) return undefined;
    const names = this.#re.namedGroups();
    const at = (index: number) =>
      index <= matcher.groupCount() ? (matcher.group(index) ?? undefined) : undefined;
    const named = (name: string) => {
      const index = Object.hasOwn(names, name) ? names[name] : undefined;
      return index === undefined ? undefined : at(index);
    };
    return templates.map((template) => expand(template, { at, named }, maxLength));
  }

  /** The default, which most rules have: it needs no automaton. */
  get #isAny(): boolean {
    return this.#pattern === relabelDefaults.regex;
  }

  get #re(): RE2JS {
    this.#compiled ??= RE2JS.compile(`^(?s:${this.#pattern})$`);
    return this.#compiled;
  }
}
