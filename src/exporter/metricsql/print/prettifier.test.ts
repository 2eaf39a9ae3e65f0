import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { parseTemplate } from "../parse/template-parser.ts";
import { prettify } from "./prettifier.ts";

function lines(...text: string[]): string {
  return text.join("\n");
}

describe("prettify", () => {
  it("leaves on one line what fits", () => {
    expect(prettify(parse("sum( rate(m[5m]) )by(a)"))).toBe("sum(rate(m[5m])) by(a)");
  });

  it("opens up calls, operators and selectors that do not fit", () => {
    const query =
      'sum(rate(http_requests_total{job="gateway",namespace="production",code=~"5..",path!~"/healthz|/ready"}[5m] offset 1h)) by (instance) / on(instance) group_left() clamp_min(sum(rate(http_requests_total[5m])) by (instance), 1) > 0.05';
    expect(prettify(parse(query))).toBe(
      lines(
        "(",
        "  sum(",
        "    rate(",
        "      http_requests_total{",
        '        job="gateway",namespace="production",code=~"5..",path!~"/healthz|/ready"',
        "      }[5m] offset 1h",
        "    )",
        "  ) by(instance)",
        "    / on(instance) group_left()",
        "  clamp_min(sum(rate(http_requests_total[5m])) by(instance), 1)",
        ")",
        "  >",
        "0.05",
      ),
    );
  });

  it("puts each filter of a long group on a line, and the groups apart", () => {
    const [a, b, c] = ["a", "b", "c"].map((char) => `label_${char}="${char.repeat(30)}"`);
    expect(prettify(parse(`metric{${a},${b},${c} or ${a}}`))).toBe(
      lines("metric{", `  ${a},`, `  ${b},`, `  ${c}`, "    or", `  ${a}`, "}"),
    );
  });

  it("writes a chain of operators one below the other", () => {
    const name = "a_metric_with_a_name_of_forty_characters";
    expect(prettify(parse(`${name} + ${name} - ${name}`))).toBe(lines(name, "  +", name, "  -", name));
    expect(prettify(parse(`(${name} + ${name}) keep_metric_names`))).toBe(
      lines("(", `  ${name}`, "    +", `  ${name}`, ") keep_metric_names"),
    );
  });

  it("keeps templates that are not expanded", () => {
    const query =
      'WITH (ct = {job="gateway", env="production"}, errors(q, w) = sum(rate(q{ct, code=~"5.."}[w])) by (path), p = "x" + "y") errors(http_requests_total, 5m) * 100';
    expect(prettify(parseTemplate(query))).toBe(
      lines(
        "WITH (",
        '  ct = {job="gateway",env="production"},',
        '  errors(q, w) = sum(rate(q{ct,code=~"5.."}[w])) by(path),',
        '  p = "x"+"y",',
        ")",
        "errors(http_requests_total, 5m) * 100",
      ),
    );
    expect(prettify(parseTemplate("with(x=1)x"))).toBe("WITH (x = 1) x");
  });
});
