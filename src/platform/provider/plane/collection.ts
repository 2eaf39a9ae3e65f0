import type { PlaneObject, ReflectorEffect } from "../../client/api/reflector-step.ts";
import { keyOf, textAt } from "./plane-object.ts";

/** An object before and after a change; one of them may be absent. */
export interface Change {
  readonly key: string;
  readonly before: PlaneObject | undefined;
  readonly after: PlaneObject | undefined;
  /** The version is known already: from an own write, or after a relist. */
  readonly isKnown: boolean;
}

/** The objects of one collection as last seen, by `namespace/name`. */
export class Collection {
  readonly path: string;
  readonly #onChange: (change: Change) => void;
  readonly #objects = new Map<string, PlaneObject>();
  #isListed = false;

  /** @param path of the collection across namespaces, below the control plane's base */
  constructor(path: string, onChange: (change: Change) => void) {
    this.path = path;
    this.#onChange = onChange;
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): PlaneObject | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  entries(): Iterable<[string, PlaneObject]> {
    return this.#objects.entries();
  }

  values(): Iterable<PlaneObject> {
    return this.#objects.values();
  }

  /** Takes what a reflector has seen. */
  take(effect: ReflectorEffect): void {
    if (effect.kind !== "swap") {
      const [key, object] = [keyOf(effect.object), effect.object];
      const known = this.#objects.get(key);
      // A watch brings what was read already, and what was before it.
      if (known !== undefined && isOlder(object, known)) return;
      this.#set(key, effect.kind === "put" ? object : undefined);
    } else {
      const listed = new Map(effect.items.map((object) => [keyOf(object), object]));
      this.#isListed = true;
      for (const key of [...this.#objects.keys()]) if (!listed.has(key)) this.#set(key, undefined);
      for (const [key, object] of listed) this.#set(key, object);
    }
  }

  /** Takes the response to an own write: it wakes nobody, and the watch brings it too, later. */
  keep(object: PlaneObject): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known !== undefined && !isOlder(object, known)) this.#objects.set(key, object);
  }

  /** Takes an object that was read, with the changes of others: the watch brings them too, later. */
  notice(object: PlaneObject): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known !== undefined && !isOlder(object, known)) this.#set(key, object);
  }

  #set(key: string, after: PlaneObject | undefined): void {
    const before = this.#objects.get(key);
    if (before === undefined && after === undefined) return;
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    this.#onChange({ key, before, after, isKnown: versionOf(before) === versionOf(after) });
  }
}

function versionOf(object: PlaneObject | undefined): string | undefined {
  return object && textAt(object, "metadata", "resourceVersion");
}

/** Whether one of two states of the same name is older than the other; resource versions are numbers. */
function isOlder(object: PlaneObject, than: PlaneObject): boolean {
  return Number(versionOf(object)) < Number(versionOf(than));
}
