import { RE2JS } from "re2js";
import { parseRegex, RegexError } from "../metricsql/regex/regex.ts";
import { states } from "../metricsql/regex/regex-tree.ts";
import { relabelDefaults } from "./rule.ts";
import { expand, type Groups } from "./template.ts";

/** A class of Unicode has hundreds of ranges, which each of its states is compared with. */
const unicodeClassWeight = 20;
/** Counted repetitions from 10 on: the states of `(a?){100}` are followed side by side. */
const countedWeight = 4;
/** Capture groups that cost as much again as matching without them. */
const groupsOfWeight = 8;

/**
 * What a pattern costs, about in states of its automaton: matching takes at most this many steps a character.
 *
 * @returns the fault of a pattern that is not RE2
 */
export function patternWeight(pattern: string): number | { readonly problem: string } {
  if (pattern === relabelDefaults.regex) return 5;
  try {
    const ofClasses = /\\[pP]/.test(pattern) ? unicodeClassWeight : 1;
    const ofCounts = /\{\d*,?\d{2}/.test(pattern) ? countedWeight : 1;
    const size = states(parseRegex(pattern)) * ofClasses * ofCounts;
    const groups = pattern.split("(").length - 1;
    return Math.ceil(size * (1 + groups / groupsOfWeight));
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
  readonly weight: number;
  readonly #pattern: string;
  #compiled: RE2JS | undefined;

  /** @param pattern without a fault */
  constructor(pattern: string) {
    this.#pattern = pattern;
    const weight = patternWeight(pattern);
    if (typeof weight !== "number") throw new TypeError(`invalid pattern: ${weight.problem}`);
    this.weight = weight;
  }

  matches(text: string): boolean {
    return this.#isAny || this.#re.test(text);
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
