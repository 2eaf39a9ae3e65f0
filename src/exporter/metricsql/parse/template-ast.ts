import type {
  Aggregate,
  Binary,
  Call,
  Duration,
  DurationLiteral,
  FilterOp,
  NumberLiteral,
  Rollup,
  Union,
} from "../ast/ast.ts";

/**
 * The tree before WITH templates are expanded: as in `ast.ts`, but with references wherever a template may be
 * named (a string, a duration, a label filter). The meaning of a name is known only in its scope. A name in
 * place of an expression is a plain selector here.
 */
export type Template =
  | NumberLiteral
  | DurationLiteral
  | TemplateString
  | TemplateSelector
  | Rollup<Template, TemplateDuration>
  | Call<Template>
  | Aggregate<Template>
  | Binary<Template, readonly StringPart[]>
  | Union<Template>
  | With;

/** `"a" + b + "c"`, with at least one part. */
interface TemplateString {
  readonly type: "concat";
  readonly parts: readonly StringPart[];
  readonly pos: number;
}

export interface StringPart {
  /** A literal's value, or the name of a template. */
  readonly type: "literal" | "reference";
  readonly text: string;
  readonly pos: number;
}

export interface TemplateSelector {
  readonly type: "selector";
  readonly groups: readonly (readonly TemplateFilter[])[];
  readonly pos: number;
}

/** A filter whose value is a string template, or a bare name that refers to a template of filters. */
export type TemplateFilter =
  | {
      readonly type: "filter";
      readonly label: string;
      readonly op: FilterOp;
      readonly value: readonly StringPart[];
      readonly pos: number;
    }
  | { readonly type: "reference"; readonly name: string; readonly pos: number };

export type TemplateDuration = Duration | DurationReference;

export interface DurationReference {
  readonly reference: string;
  readonly pos: number;
}

/** `WITH (definitions) body`. A definition sees those before it, not itself. */
export interface With {
  readonly type: "with";
  readonly definitions: readonly Definition[];
  readonly body: Template;
  readonly pos: number;
}

export interface Definition {
  readonly name: string;
  /** Undefined without parentheses; a definition with `()` can also be used without them. */
  readonly params: readonly string[] | undefined;
  readonly body: Template;
  readonly pos: number;
}
