import { isJsonObject, type Json, type JsonObject, setField } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { fieldSchema } from "../api/unknown-fields.ts";
import { itemElement, shapeOf } from "./typed-value.ts";

/**
 * Merges an applied configuration into an object: objects by field, lists marked `map` or `set` in the schema
 * by item; everything else is replaced. Nothing is removed, so null leaves an object or a list of items
 * unchanged. Neither argument is modified; the result shares structure with both.
 */
export function mergeApplied(
  live: Json | undefined,
  applied: Json | undefined,
  schema: Schema | undefined,
): Json | undefined {
  if (applied === undefined || live === undefined) return applied ?? live;
  const shape = shapeOf(live, schema);
  if (applied === null && shape !== "leaf" && !isEmptyContainer(live)) return live;
  if (shape === "leaf" || shape !== shapeOf(applied, schema)) return applied;
  if (Array.isArray(live) && Array.isArray(applied)) return new ItemMerge(live, applied, schema).run();
  if (!isJsonObject(live) || !isJsonObject(applied)) return applied;
  // Return the same object if nothing changes, so that later comparisons are cheap.
  let result: JsonObject = live;
  for (const [name, value] of Object.entries(applied)) {
    const known = Object.hasOwn(live, name) ? live[name] : undefined;
    if (known === value) continue;
    const merged = mergeApplied(known, value, fieldSchema(schema, name)) ?? null;
    if (merged === known) continue;
    if (result === live) result = { ...live };
    setField(result, name, merged);
  }
  return result;
}

function isEmptyContainer(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/**
 * Merges two lists by item. Applied items are in the applied order; the others keep their place in between,
 * as in structured-merge-diff.
 */
class ItemMerge {
  readonly #live: readonly Json[];
  readonly #applied: readonly Json[];
  readonly #schema: Schema | undefined;
  readonly #liveElements: readonly string[];
  readonly #appliedElements: readonly string[];
  /** Live items by element; duplicates are not merged. */
  readonly #known = new Map<string, Json | undefined>();
  readonly #isApplied: ReadonlySet<string>;
  /** Applied items that are also in the live list, in the applied order. */
  readonly #shared: readonly string[];
  #nextShared = 0;
  readonly #done = new Set<string>();
  readonly #result: Json[] = [];

  constructor(live: readonly Json[], applied: readonly Json[], schema: Schema | undefined) {
    this.#live = live;
    this.#applied = applied;
    this.#schema = schema?.items;
    this.#liveElements = live.map((item) => itemElement(item, schema));
    this.#appliedElements = applied.map((item) => itemElement(item, schema));
    for (const [index, element] of this.#liveElements.entries()) {
      this.#known.set(element, this.#known.has(element) ? undefined : live[index]);
    }
    this.#isApplied = new Set(this.#appliedElements);
    this.#shared = this.#appliedElements.filter((element) => this.#known.has(element));
  }

  run(): Json[] {
    let at = 0;
    let next = 0;
    while (at < this.#live.length || next < this.#applied.length) {
      const element = this.#liveElements[at];
      const appliedElement = this.#appliedElements[next];
      if (element !== undefined && appliedElement !== undefined) {
        if (element === appliedElement) {
          this.#takeApplied(next++, element);
          at++;
          this.#nextShared++;
          continue;
        }
        const awaited = this.#shared[this.#nextShared];
        if (this.#isApplied.has(element) && awaited !== undefined && awaited !== element) {
          // Placed by its position in the applied list.
          at++;
          continue;
        }
      }
      if (element !== undefined) {
        if (!this.#isApplied.has(element)) {
          this.#result.push(this.#live[at++] ?? null);
          continue;
        }
        if (this.#done.has(element)) at++;
      }
      if (appliedElement !== undefined) {
        this.#takeApplied(next++, appliedElement);
        if (appliedElement === this.#shared[this.#nextShared]) this.#nextShared++;
      }
    }
    return this.#result;
  }

  #takeApplied(index: number, element: string): void {
    const merged = mergeApplied(this.#known.get(element), this.#applied[index], this.#schema);
    if (merged !== undefined) this.#result.push(merged);
    this.#done.add(element);
  }
}
