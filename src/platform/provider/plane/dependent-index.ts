/** What each object names, and by name who does. */
export class DependentIndex {
  readonly #names = new Map<string, readonly string[]>();
  readonly #dependents = new Map<string, Set<string>>();

  /** The objects that name it. */
  of(name: string): ReadonlySet<string> {
    return this.#dependents.get(name) ?? none;
  }

  /** Replaces what an object names; nothing, for one that is gone. */
  set(object: string, names: readonly string[]): void {
    for (const name of this.#names.get(object) ?? []) {
      const dependents = this.#dependents.get(name);
      dependents?.delete(object);
      if (dependents?.size === 0) this.#dependents.delete(name);
    }
    if (names.length === 0) this.#names.delete(object);
    else this.#names.set(object, names);
    for (const name of names) {
      const dependents = this.#dependents.get(name);
      if (dependents === undefined) this.#dependents.set(name, new Set([object]));
      else dependents.add(object);
    }
  }
}

const none: ReadonlySet<string> = new Set();
