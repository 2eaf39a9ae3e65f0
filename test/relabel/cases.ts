import type { WrittenRule } from "../../src/exporter/relabel/check-rule.ts";
import { relabelActions } from "../../src/exporter/relabel/rule.ts";
import { compareNames } from "../../src/exporter/remote-write/encoding/label-names.ts";
import { randomInteger } from "../support/random.ts";

/** Rules, and the labels (sorted by name) that they are applied to. */
export interface RelabelCase {
  readonly rules: readonly WrittenRule[];
  readonly labels: readonly (readonly [name: string, value: string])[];
}

/** What Prometheus makes of a case. */
export interface RelabelOutcome {
  /** Why it does not accept the rules. */
  readonly fault?: string;
  readonly kept: boolean;
  readonly labels: readonly (readonly [name: string, value: string])[] | null;
}

const names = ["__name__", "a", "b", "job", "le", "pod.name", "zone", "été", "𝒳", "__meta"];
const values = [
  "",
  "a",
  "b",
  "web-1",
  "web-22",
  "ABC",
  "aBc",
  "x\ny",
  "1;2",
  "Straße ΣΑΣ",
  "ﬁ İ ı ᾳ ΐ",
  "𝒳𝒴",
  "$1",
  "-",
];
const separators = [";", "", "-", "$", "\n"];
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: Go's references
const templates = [
  "$1",
  "${1}",
  "$0",
  "$2",
  "x",
  "",
  "$1_b",
  "${1}_b",
  "$$1",
  "$",
  "a$",
  "${",
  "${x",
  "$name",
  "${name}",
  "job",
  "b-$1-$2",
  "${01}",
  "$é",
  "été$1",
  "$1234567890",
  "_$0",
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: Go's references
const atoms = [
  "a",
  "b",
  "web",
  "x",
  ".",
  ".*",
  ".+",
  "(.*)",
  "(.+)",
  "([a-z]+)",
  "(\\d+)",
  "(?P<name>[a-z]*)",
  "(?<other>.)",
  "[^-;]+",
  "\\w*",
  "(?i)abc",
  "(?i:a)",
  "a|b",
  "(a)|b",
  ";",
  "-",
  "\\n",
  "(?:)",
  "\\pL+",
  "\\p{Greek}*",
  "^a",
  "b$",
  "(?m:^y$)",
  "\\bweb\\b",
  "(?-s:.)*",
  "(?U:(.*))",
  "(x|)",
  "𝒳",
  "é",
  "[[:upper:]]+",
  "_",
  "__.*",
  "{2}",
  "*",
  "(",
  "\\Qa.b\\E",
  "(a|ab)(c|bcd)?",
  "(?s).",
  "a{2,3}",
];

/** A case in which each feature of relabelling is likely to meet another. */
export function randomCase(random: () => number): RelabelCase {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const maybe = (chance: number) => random() < chance;
  const some = <T>(list: readonly T[], most: number) =>
    Array.from({ length: randomInteger(random, 0, most) }, () => pick(list));
  // Prometheus' library takes the name of a group twice; RE2 and Go's own do not.
  const someAtoms = () =>
    some(atoms, 3)
      .filter((atom, index, all) => !atom.includes("<") || all.indexOf(atom) === index)
      .join("");
  const rule = (): WrittenRule => {
    const action = pick(relabelActions);
    const isOfNames = action.startsWith("label");
    const isEqual = action.endsWith("equal");
    const hasTarget = !isOfNames && action !== "keep" && action !== "drop";
    return {
      ...(maybe(0.9) && { action: maybe(0.1) ? action.toUpperCase() : action }),
      ...(maybe(isOfNames ? 0.05 : 0.9) && { sourceLabels: some(names, 3) }),
      ...(maybe(isEqual || isOfNames ? 0.05 : 0.3) && { separator: pick(separators) }),
      ...(maybe(hasTarget ? 0.95 : 0.05) && { targetLabel: pick(maybe(0.7) ? names : templates) }),
      ...(maybe(isEqual ? 0.05 : 0.7) && { regex: someAtoms() }),
      ...(maybe(action === "hashmod" ? 0.9 : 0.03) && { modulus: pick([0, 1, 7, 1_000, 2 ** 40 + 1]) }),
      ...(maybe(action === "labelmap" || action === "replace" ? 0.7 : 0.05) && {
        replacement: pick(templates),
      }),
    };
  };
  const labels = new Map(names.flatMap((name) => (maybe(0.5) ? [[name, pick(values)] as const] : [])));
  return {
    rules: Array.from({ length: randomInteger(random, 1, 4) }, rule),
    labels: [...labels].filter(([, value]) => value !== "").sort(([a], [b]) => compareNames(a, b)),
  };
}
