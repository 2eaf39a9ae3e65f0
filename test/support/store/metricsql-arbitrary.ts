import fc from "fast-check";

/**
 * Random valid MetricsQL texts, and random series for them, with few names and values, so that filters
 * sometimes match.
 */
const label = fc.constantFrom("a", "b", "t", "le", "a-b", "é");
const value = fc.constantFrom("", "x", "y", "own", 'q"\\\n', "x.y");
const pattern = fc.constantFrom("x", "x|y", ".*", ".+", "[xy].*", "(?i)OWN", "", "x?y{0,2}", "\\w+");
const metric = fc.constantFrom("m", "n", "by", "sum", "http-requests");
const arithmetic: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("5m", "1h30m", "300", "1h-2m", "1.5", "step()", "RANGE()"),
    fc
      .tuple(tie("any"), fc.constantFrom("+", "-", "*", "/", "%", "^"), tie("any"))
      .map(([left, op, right]) => `${left} ${op} ${right}`),
    tie("any").map((inner) => `-${inner}`),
    tie("any").map((inner) => `(${inner})`),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `max_of(${one}, ${other})`),
  ),
})).any;
const duration = fc.oneof(
  { arbitrary: fc.constantFrom("5m", "1h30m", "1.5d", "5i", "300", "1h-2m", "$__interval"), weight: 3 },
  arithmetic,
);

function escaped(name: string): string {
  return name.replaceAll("-", "\\-");
}

const filter = fc.oneof(
  fc
    .tuple(label, fc.constantFrom("=", "!="), value)
    .map(([l, op, v]) => `${escaped(l)}${op}${JSON.stringify(v)}`),
  fc
    .tuple(label, fc.constantFrom("=~", "!~"), pattern)
    .map(([l, op, v]) => `${escaped(l)} ${op} ${JSON.stringify(v)}`),
  metric.map((name) => `__name__="${name}"`),
);
const group = fc.array(filter, { minLength: 1, maxLength: 3 }).map((filters) => filters.join(","));

export const selectorText: fc.Arbitrary<string> = fc.oneof(
  metric.map(escaped).filter((name) => name !== "by" && name !== "sum"),
  fc.constant("{}"),
  fc
    .tuple(fc.option(fc.constantFrom("m", "n"), { nil: "" }), fc.array(group, { minLength: 1, maxLength: 3 }))
    .map(([name, groups]) => `${name}{${groups.join(" or ")}}`),
);

const labels = fc.array(label, { maxLength: 2 }).map((names) => `(${names.map(escaped).join(",")})`);
const operator = fc.oneof(
  fc.constantFrom("+", "-", "*", "/", "%", "^", "atan2", "or", "AND", "unless", "default", "if", "ifNot"),
  fc.constantFrom("==", "!=", "> bool", "<", ">=", "<= BOOL"),
  fc.tuple(fc.constantFrom("+ on", "* ignoring", "== bool on"), labels).map(([op, list]) => `${op} ${list}`),
  labels.map((list) => `/ on${list} group_left${list} prefix "p"`),
  fc.constantFrom("* on(a) group_right(*)", "+ fill(0)", "</", "- on(a) fill_left(-1)"),
);

export const expressionText: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    selectorText,
    fc.constantFrom("1", "-2", "1.5Ki", "0x1f", "NaN", "-Inf", "5m", "time()", '"s"', '"s" + "t"'),
    fc.tuple(selectorText, duration).map(([inner, window]) => `${inner}[${window}]`),
    fc.tuple(tie("any"), duration, duration).map(([inner, window, step]) => `(${inner})[${window}:${step}]`),
    fc.tuple(tie("any"), fc.constantFrom("5m", "-1h", "2i")).map(([inner, by]) => `(${inner}) offset ${by}`),
    fc.tuple(tie("any"), arithmetic).map(([inner, by]) => `(${inner}) offset (${by})`),
    fc
      .tuple(selectorText, duration, fc.constantFrom("anchored", "SMOOTHED"))
      .map(([inner, window, extension]) => `${inner}[${window}] ${extension} offset 5m`),
    tie("any").map((inner) => `info(${inner})`),
    fc.tuple(tie("any"), selectorText).map(([inner, filters]) => `Info(${inner}, ${filters})`),
    fc.tuple(tie("any"), labels).map(([inner, list]) => `limit_ratio(0.5, ${inner}) by ${list}`),
    fc.tuple(tie("any"), tie("any")).map(([inner, at]) => `(${inner}) @ (${at})`),
    fc.tuple(tie("any"), operator, tie("any")).map(([left, op, right]) => `${left} ${op} ${right}`),
    fc
      .tuple(tie("any"), operator, tie("any"))
      .map(([left, op, right]) => `(${left} ${op} ${right}) keep_metric_names`),
    tie("any").map((inner) => `-${inner}`),
    tie("any").map((inner) => `(${inner})`),
    fc
      .tuple(fc.constantFrom("rate", "ABS", "max_over_time"), tie("any"))
      .map(([name, inner]) => `${name}(${inner})`),
    tie("any").map((inner) => `ceil(${inner}) keep_metric_names`),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `union(${one}, (${other}, ${one}))`),
    fc.tuple(tie("any"), labels).map(([inner, list]) => `sum by ${list} (${inner}) limit 3`),
    fc.tuple(tie("any"), labels).map(([inner, list]) => `topk(2, ${inner}) without ${list}`),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `WITH (w = ${one}, f(q) = q * w) f(${other})`),
    fc
      .tuple(group, selectorText)
      .map(([own, other]) => `WITH (ct = {${own}}) max(m{ct}, n{ct or t="x"}, ${other})`),
  ),
})).any;

/** The labels of a series; the label `t` is often absent. */
export const series: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    __name__: metric,
    a: value,
    b: value,
    t: fc.constantFrom("own", "other", ""),
    le: value,
    "a-b": value,
    é: value,
  },
  { requiredKeys: ["__name__"] },
);
