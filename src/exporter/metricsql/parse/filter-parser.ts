import type { FilterOp } from "../ast/ast.ts";
import type { TemplateFilter } from "./template-ast.ts";
import { TokenParser } from "./token-parser.ts";

/** The middle layer of the parser: the contents of a selector's braces. */
export class FilterParser extends TokenParser {
  /** `{a="b",c or d=~"e"}`; `name` is the metric name before the braces, which each group gets. */
  protected filterGroups(name: TemplateFilter | undefined): TemplateFilter[][] {
    const { lexer } = this;
    const groups: TemplateFilter[][] = [];
    lexer.next();
    if (lexer.is("}")) {
      lexer.next();
      return [name ? [name] : []];
    }
    let shared = name;
    for (;;) {
      const group: TemplateFilter[] = name ? [name] : [];
      do {
        group.push(this.#filter());
        if (!lexer.is(",")) break;
        lexer.next();
      } while (!lexer.is("}"));
      const own = this.#metricName(group);
      if (!own && shared) group.unshift(shared);
      shared ??= own && isBareName(own) ? own : undefined;
      groups.push(group);
      if (lexer.is("}")) break;
      if (!lexer.isWord("or")) this.unexpected('",", "or" or "}"');
      lexer.next();
    }
    lexer.next();
    return groups;
  }

  /** The filter that names the metric. A name in quotes (`{"name", …}`) must be the only one of its group. */
  #metricName(group: readonly TemplateFilter[]): TemplateFilter | undefined {
    const names = group.filter(
      (filter) => filter.type === "filter" && filter.label === "__name__" && filter.op === "=",
    );
    const [first] = names;
    const other = names.find((filter) => nameOf(filter) !== nameOf(first));
    const quoted = names.some(
      (filter) => isBareName(filter) && /["'`]/.test(this.lexer.text[filter.pos] ?? ""),
    );
    if (other && quoted)
      this.lexer.fail(`the metric is named twice: "${nameOf(first)}" and "${nameOf(other)}"`, other.pos);
    return first;
  }

  #filter(): TemplateFilter {
    const { lexer } = this;
    const pos = lexer.start;
    if (!lexer.is("name") && !lexer.is("string")) this.unexpected("a label name");
    const quoted = lexer.is("string");
    const label = quoted ? this.stringToken() : lexer.value;
    lexer.next();
    const { kind } = lexer;
    if (kind === "=" || kind === "!=" || kind === "=~" || kind === "!~") {
      lexer.next();
      if (!lexer.is("string") && !lexer.is("name")) this.unexpected("a string in quotes");
      return { type: "filter", label, op: kind satisfies FilterOp, value: this.stringParts(), pos };
    }
    if (kind !== "," && kind !== "}" && !lexer.isWord("or")) this.unexpected('"=", "!=", "=~" or "!~"');
    if (!quoted) return { type: "reference", name: label, pos };
    return {
      type: "filter",
      label: "__name__",
      op: "=",
      value: [{ type: "literal", text: label, pos }],
      pos,
    };
  }
}

/** Whether this is a bare name, `name{…}` or `{"name"}`, not `{__name__="name"}`. */
function isBareName(filter: TemplateFilter): boolean {
  return filter.type === "filter" && filter.value[0]?.pos === filter.pos;
}

function nameOf(filter: TemplateFilter | undefined): string {
  return filter?.type === "filter" ? filter.value.map((part) => part.text).join("+") : "";
}
