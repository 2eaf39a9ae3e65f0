import type { Binary, Duration, Expr, Grouping, LabelFilter, Matching, Selector } from "../ast/ast.ts";
import { parseDuration } from "../ast/literals.ts";
import { precedence } from "../ast/words.ts";
import { checkRegex } from "../regex/regex.ts";
import { ExpansionBudget } from "./expansion-budget.ts";
import { commonName, nameFirst, nameOnly, unique } from "./label-filters.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";
import type {
  StringPart,
  Template,
  TemplateDuration,
  TemplateFilter,
  TemplateSelector,
} from "./template-ast.ts";
import { type Binding, Scope } from "./template-scope.ts";

/**
 * Expands WITH templates, with arguments and scoping, and joins string literals. A definition sees earlier
 * definitions and the enclosing ones; arguments are expanded in the scope of the call.
 *
 * @param text the text that `template` was parsed from, for messages
 * @throws MetricsqlSyntaxError
 */
export function expand(template: Template, text: string): Expr {
  return new Expander(text).expr(template, undefined, 1);
}

function durationOf(value: Expr): Duration | undefined {
  return value.type === "duration" ? value.duration : undefined;
}

class Expander {
  readonly #text: string;
  readonly #budget: ExpansionBudget;
  /** The names of all templates and parameters so far: nearly all names in a text are neither. */
  readonly #known = new Set<string>();
  /** The fault of each regular expression, cached because a template may be used many times. */
  readonly #regexes = new Map<string, string | undefined>();

  constructor(text: string) {
    this.#text = text;
    this.#budget = new ExpansionBudget(text);
  }

  #fail(message: string, pos: number): never {
    throw new MetricsqlSyntaxError(message, this.#text, pos);
  }

  #lookup(scope: Scope | undefined, name: string): Binding | undefined {
    return this.#known.has(name) ? scope?.lookup(name) : undefined;
  }

  expr(node: Template, scope: Scope | undefined, depth: number): Expr {
    this.#budget.spend(1, node.pos);
    this.#budget.checkDepth(depth, node.pos);
    switch (node.type) {
      case "number":
        this.#budget.spendText(node.text.length, node.pos);
        return node;
      case "duration":
        this.#budget.spendText(node.duration.text.length, node.pos);
        return node;
      case "concat":
        return { type: "string", value: this.#string(node.parts, scope, depth), pos: node.pos };
      case "selector":
        return this.#selector(node, scope, depth);
      case "binary":
        return this.#binary(node, scope, depth);
      case "union":
        return { type: "union", args: this.#all(node.args, scope, depth), pos: node.pos };
      case "rollup": {
        const expr = this.expr(node.expr, scope, depth + 1);
        if (node.extension !== undefined && (node.subquery || expr.type !== "selector"))
          this.#fail(`"${node.extension}" can only follow a series selector`, node.pos);
        return {
          type: "rollup",
          expr,
          window: this.#duration(node.window, scope, depth),
          subquery: node.subquery,
          step: this.#duration(node.step, scope, depth),
          extension: node.extension,
          offset: this.#duration(node.offset, scope, depth),
          at: node.at && this.expr(node.at, scope, depth + 1),
          pos: node.pos,
        };
      }
      case "call": {
        const args = this.#all(node.args, scope, depth);
        const binding = this.#lookup(scope, node.name);
        if (binding) return this.#apply(node.name, binding, args, depth, node.pos);
        return { ...node, name: node.name.toLowerCase(), args };
      }
      case "aggregate": {
        const args = this.#all(node.args, scope, depth);
        const binding = this.#lookup(scope, node.name);
        if (binding) return this.#apply(node.name, binding, args, depth, node.pos);
        return {
          ...node,
          name: node.name.toLowerCase(),
          args,
          grouping: this.#labels(node.grouping, scope, node.pos),
        };
      }
      case "with": {
        const bindings = new Map<string, Binding>();
        node.definitions.forEach((definition, index) => {
          const seen = new Scope(bindings, index, scope);
          bindings.set(definition.name, { type: "definition", index, definition, scope: seen });
          this.#known.add(definition.name);
        });
        return this.expr(node.body, new Scope(bindings, bindings.size, scope), depth + 1);
      }
    }
  }

  #all(nodes: readonly Template[], scope: Scope | undefined, depth: number): Expr[] {
    return nodes.map((node) => this.expr(node, scope, depth + 1));
  }

  /** Loops over the left operands: chains of operators may be very long. */
  #binary(node: Extract<Template, { type: "binary" }>, scope: Scope | undefined, depth: number): Expr {
    const spine = [node];
    let down = depth;
    let bottom: Template = node.left;
    for (let above = node; bottom.type === "binary"; above = bottom, bottom = bottom.left) {
      this.#budget.spend(1, bottom.pos);
      if (precedence(bottom.op) !== precedence(above.op) || bottom.op === "^" || bottom.keepMetricNames)
        down++;
      spine.push(bottom);
    }
    let left = this.expr(bottom, scope, down + 1);
    for (let i = spine.length - 1; i >= 0; i--) {
      const { op, bool, matching, join, fill, keepMetricNames, right, pos } = spine[i] as typeof node;
      const rightExpr = this.expr(right, scope, down + 1);
      if (op === "+" && left.type === "string" && rightExpr.type === "string") {
        left = { type: "string", value: left.value + rightExpr.value, pos: left.pos };
        continue;
      }
      const joined: Binary["join"] = join && {
        ...(this.#labels(join, scope, pos) ?? join),
        prefix: join.prefix && this.#string(join.prefix, scope, depth),
      };
      const matched = this.#labels<Matching>(matching, scope, pos);
      left = {
        type: "binary",
        op,
        bool,
        matching: matched,
        join: joined,
        fill,
        keepMetricNames,
        left,
        right: rightExpr,
        pos,
      };
    }
    return left;
  }

  /** The value of a template named with arguments, or without any (undefined). */
  #apply(name: string, binding: Binding, args: readonly Expr[], depth: number, pos: number): Expr {
    if (binding.type === "argument") {
      if (args.length > 0) this.#fail(`template "${name}" got ${args.length} arguments; expected none`, pos);
      this.#budget.spendTree(binding.value, depth, pos);
      return binding.value;
    }
    const { definition, scope } = binding;
    const params = definition.params ?? [];
    if (args.length !== params.length) {
      this.#fail(`template "${name}" got ${args.length} arguments; expected ${params.length}`, pos);
    }
    const bindings = new Map(
      params.map((param, index): [string, Binding] => [
        param,
        { type: "argument", index, value: args[index] as Expr },
      ]),
    );
    for (const param of params) this.#known.add(param);
    const inner = params.length > 0 ? new Scope(bindings, params.length, scope) : scope;
    return this.expr(definition.body, inner, depth + 1);
  }

  #string(parts: readonly StringPart[], scope: Scope | undefined, depth: number): string {
    let value = "";
    for (const part of parts) {
      if (part.type === "literal") {
        value += part.text;
        this.#budget.spendText(part.text.length, part.pos);
        continue;
      }
      const binding = this.#lookup(scope, part.text);
      if (!binding)
        this.#fail(
          `unexpected "${part.text}"; expected a string in quotes, or a template of that name`,
          part.pos,
        );
      const expanded = this.#apply(part.text, binding, [], depth + 1, part.pos);
      if (expanded.type !== "string")
        this.#fail(`template "${part.text}" is not a string; expected one here`, part.pos);
      value += expanded.value;
    }
    return value;
  }

  #duration(
    duration: TemplateDuration | undefined,
    scope: Scope | undefined,
    depth: number,
  ): Duration | undefined {
    if (!duration || !("reference" in duration)) return duration;
    const { reference, pos } = duration;
    const binding = this.#lookup(scope, reference);
    if (!binding)
      this.#fail(
        `unexpected "${reference}"; expected a duration such as 5m, or a template of that name`,
        pos,
      );
    const value = this.#apply(reference, binding, [], depth + 1, pos);
    const parsed = value.type === "number" ? parseDuration(value.text) : durationOf(value);
    if (!parsed || parsed.text.startsWith("-"))
      this.#fail(`template "${reference}" is not a duration; expected one here`, pos);
    return parsed;
  }

  /** Replaces the names in a list that are templates of a label name, or of several in parentheses. */
  #labels<T extends Grouping | Matching | { readonly labels: readonly string[] }>(
    list: T | undefined,
    scope: Scope | undefined,
    pos: number,
  ): T | undefined {
    if (!list || !scope) return list && { ...list, labels: [...new Set(list.labels)] };
    const labels = list.labels.flatMap((label): readonly string[] => {
      this.#budget.spend(1, pos);
      this.#budget.spendText(label.length, pos);
      const binding = this.#template(label, scope);
      if (!binding) return [label];
      const value = binding.type === "argument" ? binding.value : binding.definition.body;
      const names =
        value.type === "union"
          ? (value.args as readonly (Expr | Template)[]).map(nameOnly)
          : [nameOnly(value)];
      for (const name of names) {
        this.#budget.spend(1, pos);
        this.#budget.spendText(name?.length ?? 0, pos);
      }
      const known = names.filter((name) => name !== undefined);
      if (known.length < names.length)
        this.#fail(`template "${label}" is not a list of label names; expected one here`, pos);
      return known;
    });
    return { ...list, labels: [...new Set(labels)] };
  }

  #selector(node: TemplateSelector, scope: Scope | undefined, depth: number): Expr {
    const only = nameOnly(node);
    if (only !== undefined) {
      const binding = this.#template(only, scope);
      if (binding) return this.#apply(only, binding, [], depth, node.pos);
      this.#budget.spend(1, node.pos);
      this.#budget.spendText(only.length, node.pos);
      return { type: "selector", groups: [[{ label: "__name__", op: "=", value: only }]], pos: node.pos };
    }
    const groups = node.groups.map((group) =>
      nameFirst(unique(group.flatMap((filter) => this.#filter(filter, scope, depth)))),
    );
    const name = scope && commonName(groups);
    const binding = name === undefined ? undefined : this.#template(name, scope);
    if (name === undefined || !binding) return { type: "selector", groups, pos: node.pos };
    const value = this.#apply(name, binding, [], depth, node.pos);
    if (groups.every((group) => group.length === 1)) return value;
    const base = value.type === "rollup" ? value.expr : value;
    if (base.type !== "selector")
      this.#fail(`template "${name}" is not a selector; no filters can be added to it`, node.pos);
    if (base.groups.length > 1 && groups.length > 1) {
      this.#fail(`template "${name}" has "or" filters; none can be added to them`, node.pos);
    }
    for (const own of base.groups) {
      for (const group of groups) {
        this.#budget.spendFilters(own, node.pos);
        this.#budget.spendFilters(group, node.pos);
      }
    }
    const merged = base.groups.flatMap((own) => groups.map((group) => [...own, ...group.slice(1)]));
    const filtered: Selector = { type: "selector", groups: merged.map(unique), pos: node.pos };
    return value.type === "rollup" ? { ...value, expr: filtered } : filtered;
  }

  /** The template that a metric name refers to, if it takes no arguments. */
  #template(name: string, scope: Scope | undefined): Binding | undefined {
    const binding = this.#lookup(scope, name);
    return binding?.type === "definition" && binding.definition.params?.length ? undefined : binding;
  }

  #filter(filter: TemplateFilter, scope: Scope | undefined, depth: number): readonly LabelFilter[] {
    if (filter.type === "filter") {
      const value = this.#string(filter.value, scope, depth);
      const { label, op, pos } = filter;
      this.#budget.spend(1, pos);
      this.#budget.spendText(label.length, pos);
      const wrong = op === "=~" || op === "!~" ? this.#regexFault(value) : undefined;
      if (wrong !== undefined)
        this.#fail(
          `the regular expression of "${label}" is not valid: ${wrong}`,
          filter.value[0]?.pos ?? pos,
        );
      return [{ label, op, value }];
    }
    const { name, pos } = filter;
    const binding = this.#lookup(scope, name);
    if (!binding)
      this.#fail(
        `unexpected "${name}"; expected a filter such as ${name}="value", or a template of that name`,
        pos,
      );
    const value = this.#apply(name, binding, [], depth + 1, pos);
    const [group] = value.type === "selector" ? value.groups : [];
    if (!group || value.type !== "selector" || commonName(value.groups) !== undefined) {
      this.#fail(`template "${name}" is not a list of filters in braces; expected one here`, pos);
    }
    if (value.groups.length > 1)
      this.#fail(`template "${name}" has "or" filters; expected one list of filters here`, pos);
    return group;
  }

  #regexFault(pattern: string): string | undefined {
    if (!this.#regexes.has(pattern)) this.#regexes.set(pattern, checkRegex(pattern));
    return this.#regexes.get(pattern);
  }
}
