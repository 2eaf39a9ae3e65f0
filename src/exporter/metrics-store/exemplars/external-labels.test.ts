import { expect, test } from "vitest";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import { externalLabelsIn, withExternalLabels, withoutExternalFilters } from "./external-labels.ts";

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

test.each([
  ['up{zone="1"}', "up"],
  ['{zone="1"}', '{__name__!=""}'],
  ['up{zone="2"}', 'up{zone="2"}'],
  ['up{zone!="1"}', 'up{zone!="1"}'],
  ['{a="1" or zone="1"}', '{a="1" or __name__!=""}'],
])("%s is asked for as %s", (given, expected) => {
  const selector = parse(given);
  if (selector.type !== "selector") throw new Error(given);
  expect(print(withoutExternalFilters(selector, labels))).toBe(print(parse(expected)));
});
