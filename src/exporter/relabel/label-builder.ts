import { legalizeLabelName } from "../series/label-name.ts";
import type { Label } from "../series/series.ts";

/**
 * A series' labels while rules change them. Labels are visited in Prometheus' order, which decides where two
 * become one: those of the series first, then those that were set, in the order in which they were added.
 */
export class LabelBuilder {
  readonly #own = new Map<string, string>();
  readonly #set = new Map<string, string>();
  readonly #protected: string | undefined;

  /**
   * @param labels sorted by name
   * @param protectedLabel cannot be set, nor any label whose legal name is this
   */
  constructor(labels: readonly Label[], protectedLabel?: string) {
    for (const { name, value } of labels) if (value !== "") this.#own.set(name, value);
    this.#protected = protectedLabel;
  }

  get size(): number {
    return this.#own.size + this.#set.size;
  }

  /** Empty for a label that is absent. */
  get(name: string): string {
    return this.#set.get(name) ?? this.#own.get(name) ?? "";
  }

  /** An empty value deletes the label. */
  set(name: string, value: string): void {
    if (this.#protected !== undefined && legalizeLabelName(name) === this.#protected) return;
    this.#own.delete(name);
    if (value === "") this.#set.delete(name);
    else this.#set.set(name, value);
  }

  delete(name: string): void {
    this.#own.delete(name);
    this.#set.delete(name);
  }

  /** A copy: changes do not affect it. */
  labels(): Label[] {
    return [...this.#own, ...this.#set].map(([name, value]) => ({ name, value }));
  }
}
