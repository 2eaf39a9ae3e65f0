import type { Expr } from "./ast.ts";
import type { Definition } from "./template-ast.ts";

/** The definitions of one WITH, or the parameters of one call. `visible`: only so many of them are in scope. */
export interface Scope {
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly visible: number;
  readonly parent: Scope | undefined;
}

export type Binding =
  | {
      readonly type: "definition";
      readonly index: number;
      readonly definition: Definition;
      readonly scope: Scope;
    }
  | { readonly type: "argument"; readonly index: number; readonly value: Expr };

/** What a name stands for, in the innermost scope that has it. */
export function lookup(scope: Scope | undefined, name: string): Binding | undefined {
  for (let at = scope; at; at = at.parent) {
    const binding = at.bindings.get(name);
    if (binding && binding.index < at.visible) return binding;
  }
  return undefined;
}
