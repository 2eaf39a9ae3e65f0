import fc from "fast-check";
import { expect, test } from "vitest";
import { matcher } from "../../metricsql/analysis/matcher.ts";
import type { Selector } from "../../metricsql/ast/ast.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import {
  externalLabelsIn,
  promqlSelector,
  remoteReadSelector,
  withExternalLabels,
} from "./external-labels.ts";

function response(yaml: string): string {
  return JSON.stringify({ status: "success", data: { yaml } });
}

const config = `global:
  scrape_interval: 15s
  external_labels:
    cluster: 'a: b'
    text: |
      ü
    zone: "1"
scrape_configs:
- job_name: x
`;
const labels = [
  { name: "cluster", value: "a: b" },
  { name: "text", value: "ü\n" },
  { name: "zone", value: "1" },
];

test.each<[string, string, typeof labels]>([
  ["with labels", response(config), labels],
  ["that is cut off after them", response(config).slice(0, -12), labels],
  ["that is cut off in an escape", response(`${config}\ta`).slice(0, -5), labels],
  ["of global only", response("global:\n  external_labels:\n    a: b\n"), [{ name: "a", value: "b" }]],
  [
    "with global in the middle",
    response("a: 1\nglobal:\n  external_labels: {a: b}\nz: 1\n"),
    [{ name: "a", value: "b" }],
  ],
  ["without them", response("global:\n  scrape_interval: 15s\n"), []],
  ["that is empty", response(""), []],
  ["with a list of them", response("global:\n  external_labels: [a]\n"), []],
  ["that is broken", response("global:\n  external_labels: {a\n"), []],
  ["that is no text", '{"data":{"yaml":7}}', []],
  ["that is no JSON", "<html>", []],
])("a configuration %s", (_, text, expected) => {
  expect(externalLabelsIn(text)).toEqual(expected);
});

test("a series' own label wins, and labels stay sorted", () => {
  const own = [
    { name: "__name__", value: "up" },
    { name: "zone", value: "own" },
  ];
  expect(withExternalLabels(own, labels).map(({ name, value }) => `${name}=${value}`)).toEqual([
    "__name__=up",
    "cluster=a: b",
    "text=ü\n",
    "zone=own",
  ]);
});

const anyName = '{__name__!=""}';

test.each([
  // given, by remote read, in PromQL
  ['up{zone="1"}', "up", 'up{zone!="",zone="1"} or up{zone=""}'],
  ['{zone="1"}', anyName, '{zone!="",zone="1"} or {zone=""}'],
  ['up{zone="2"}', 'up{zone!="",zone="2"}', 'up{zone!="",zone="2"}'],
  ['up{zone!="1"}', 'up{zone!="",zone!="1"}', 'up{zone!="",zone!="1"}'],
  ['up{zone=""}', 'up{zone!="",zone=""}', 'up{zone!="",zone=""}'],
  ['up{zone!="2"}', "up", 'up{zone!="2"}'],
  ['up{zone=~"1|2"}', "up", 'up{zone!="",zone=~"1|2"} or up{zone=""}'],
  ['up{zone!~"|2"}', "up", 'up{zone!="",zone!~"|2"} or up{zone=""}'],
  ['{a="1" or zone="1"}', `{a="1"} or ${anyName}`, '{a="1"} or {zone!="",zone="1"} or {zone=""}'],
])("%s is asked for as %s, and in PromQL as %s", (given, read, queried) => {
  const { groups } = remoteReadSelector(selectorOf(given), labels);
  expect(groups.map(printed).join(" or ")).toBe(read);
  expect(promqlSelector(selectorOf(given), labels).groups.map(printed).join(" or ")).toBe(queried);
});

test("both select what the selector selects with the external labels added", () => {
  const value = fc.constantFrom("", "1", "2", "a: b");
  const filter = fc.record({
    label: fc.constantFrom("zone", "cluster", "a"),
    op: fc.constantFrom("=" as const, "!=" as const, "=~" as const, "!~" as const),
    value: fc.oneof(value, fc.constantFrom("1|2", ".*", ".+", "|1")),
  });
  const selector = fc.array(fc.array(filter, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const own = fc.record({ zone: value, cluster: value, a: value });
  fc.assert(
    fc.property(selector, own, (groups, series) => {
      const whole = { type: "selector" as const, groups, pos: 0 };
      const present = Object.entries({ ...series, __name__: "up" }).filter(([, text]) => text !== "");
      const stored = present.map(([name, text]) => ({ name, value: text }));
      const added = new Map(withExternalLabels(stored, labels).map(({ name, value: text }) => [name, text]));
      const before = new Map(present);
      const isSelected = matcher(whole)(added);
      expect(matcher(promqlSelector(whole, labels))(before)).toBe(isSelected);
      if (isSelected) expect(matcher(remoteReadSelector(whole, labels))(before)).toBe(true);
      const times = promqlSelector({ ...whole, groups: groups.slice(0, 1) }, labels).groups.filter((group) =>
        matcher({ ...whole, groups: [group] })(before),
      );
      expect(times.length).toBeLessThan(2);
    }),
    { numRuns: 2_000 },
  );
});

function selectorOf(text: string): Selector {
  const selector = parse(text);
  if (selector.type !== "selector") throw new Error(text);
  return selector;
}

function printed(group: Selector["groups"][number]): string {
  return print({ type: "selector", groups: [group], pos: 0 });
}
