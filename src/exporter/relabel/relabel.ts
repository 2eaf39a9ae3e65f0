import { hash } from "node:crypto";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { LabelBuilder } from "./label-builder.ts";
import { RelabelRegex } from "./relabel-regex.ts";
import type { RelabelAction, RelabelRule } from "./rule.ts";
import { toLower, toUpper } from "./simple-case.ts";

/**
 * What rules make of a series: kept, dropped by choice, or a reason why it cannot be sent: rules of tenants
 * meet labels of others, so whatever they compute is bounded.
 */
export type RelabelResult = "kept" | "dropped" | "too_long" | "too_many" | "too_costly";

export interface RelabelBounds {
  readonly maxLabels: number;
  /** Of a value, in characters. */
  readonly maxLength: number;
}

/**
 * Steps that a series may cost, about 10 ms at the worst; see `PatternCost`. A list of the largest weight
 * stays below it for values of up to 200 characters, or of 20 where all of its patterns repeat without bound.
 */
const maxSteps = 1_000_000;
/** Of a character that is joined, compared, hashed, set, or changed in case. */
const plainSteps = 5;
/** Of a rule's use with one text, whatever its length. */
const stepsOfUse = 100;
const usesExpression: ReadonlySet<RelabelAction> = new Set(["keep", "drop", "replace"]);

/** Rules, ready to be applied to any number of series. */
export class Relabelling {
  readonly #rules: readonly ReadyRule[];
  #isPrepared = false;

  /** @param rules without a fault; see `checkRelabelRules` */
  constructor(rules: readonly RelabelRule[]) {
    this.#rules = rules.map((rule) => ({ ...rule, expression: new RelabelRegex(rule.regex) }));
  }

  /** Compiles the rules' expressions, each in a turn of its own. */
  async prepare(): Promise<void> {
    if (this.#isPrepared) return;
    for (const { expression } of this.#rules) {
      expression.prepare();
      await yieldToEventLoop();
    }
    this.#isPrepared = true;
  }

  /** Applies the rules in order, as Prometheus' `relabel.ProcessBuilder` does. */
  apply(labels: LabelBuilder, bounds: RelabelBounds): RelabelResult {
    const run = new RelabelRun(labels, bounds);
    for (const rule of this.#rules) {
      const result = run.apply(rule);
      if (result !== "kept") return result;
    }
    return "kept";
  }
}

interface ReadyRule extends RelabelRule {
  readonly expression: RelabelRegex;
}

/** One series' way through the rules. */
class RelabelRun {
  readonly #labels: LabelBuilder;
  readonly #bounds: RelabelBounds;
  #steps = 0;

  constructor(labels: LabelBuilder, bounds: RelabelBounds) {
    this.#labels = labels;
    this.#bounds = bounds;
  }

  apply(rule: ReadyRule): RelabelResult {
    const { action, expression } = rule;
    if (action === "labelmap" || action === "labeldrop" || action === "labelkeep") return this.#ofNames(rule);
    const value = rule.sourceLabels.map((name) => this.#labels.get(name)).join(rule.separator);
    if (!this.#afford(usesExpression.has(action) ? expression.steps : plainSteps, value)) return "too_costly";
    switch (action) {
      case "keep":
      case "drop":
        return expression.matches(value) === (action === "keep") ? "kept" : "dropped";
      case "keepequal":
      case "dropequal":
        return (this.#labels.get(rule.targetLabel) === value) === (action === "keepequal")
          ? "kept"
          : "dropped";
      case "replace":
        return this.#replace(rule, value);
      case "lowercase":
        return this.#set(rule.targetLabel, toLower(value));
      case "uppercase":
        return this.#set(rule.targetLabel, toUpper(value));
      case "hashmod":
        return this.#set(rule.targetLabel, hashMod(value, rule.modulus));
    }
  }

  #ofNames({ action, expression, replacement }: ReadyRule): RelabelResult {
    for (const { name, value } of this.#labels.labels()) {
      if (!this.#afford(expression.steps, name)) return "too_costly";
      if (action !== "labelmap") {
        if (expression.matches(name) === (action === "labeldrop")) this.#labels.delete(name);
        continue;
      }
      const [mapped] = expression.expand(name, [replacement], this.#bounds.maxLength) ?? [];
      const result = mapped === undefined ? "kept" : this.#set(mapped, value);
      if (result !== "kept") return result;
    }
    return "kept";
  }

  #replace({ expression, targetLabel, replacement }: ReadyRule, value: string): RelabelResult {
    const expanded = expression.expand(value, [targetLabel, replacement], this.#bounds.maxLength);
    const [name = "", text = ""] = expanded ?? [];
    return name === "" ? "kept" : this.#set(name, text);
  }

  #set(name: string, value: string): RelabelResult {
    const { maxLabels, maxLength } = this.#bounds;
    if (name.length > maxLength || value.length > maxLength) return "too_long";
    if (!this.#afford(plainSteps, name) || !this.#afford(plainSteps, value)) return "too_costly";
    this.#labels.set(name, value);
    return this.#labels.size > maxLabels ? "too_many" : "kept";
  }

  #afford(stepsOfCharacter: number, text: string): boolean {
    this.#steps += stepsOfUse + stepsOfCharacter * text.length;
    return this.#steps <= maxSteps;
  }
}

/** The last 8 bytes of the value's MD5, big-endian. */
function hashMod(value: string, modulus: number): string {
  const digest = hash("md5", value, "buffer");
  return String(digest.readBigUInt64BE(8) % BigInt(modulus));
}
