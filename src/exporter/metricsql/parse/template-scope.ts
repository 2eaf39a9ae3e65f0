import type { Expr } from "../ast/ast.ts";
import type { Definition } from "./template-ast.ts";

export type Binding =
  | {
      readonly type: "definition";
      readonly index: number;
      readonly definition: Definition;
      readonly scope: Scope;
    }
  | { readonly type: "argument"; readonly index: number; readonly value: Expr };

/** Lookups that go further out than this are cached, because scopes may be deeply nested. */
const nearScopes = 8;

/** The definitions of one WITH, or the parameters of one call. */
export class Scope {
  readonly #bindings: ReadonlyMap<string, Binding>;
  /** The number of definitions in scope. */
  readonly #visible: number;
  readonly #parent: Scope | undefined;
  #found: Map<string, Binding | undefined> | undefined;

  constructor(bindings: ReadonlyMap<string, Binding>, visible: number, parent: Scope | undefined) {
    this.#bindings = bindings;
    this.#visible = visible;
    this.#parent = parent;
  }

  /** The meaning of a name, in the innermost scope that defines it. */
  lookup(name: string): Binding | undefined {
    if (this.#found?.has(name)) return this.#found.get(name);
    let found: Binding | undefined;
    let passed = 0;
    for (let at: Scope | undefined = this; at !== undefined && found === undefined; at = at.#parent) {
      const binding = at.#bindings.get(name);
      if (binding !== undefined && binding.index < at.#visible) found = binding;
      passed++;
    }
    if (passed > nearScopes) {
      this.#found ??= new Map();
      this.#found.set(name, found);
    }
    return found;
  }
}
