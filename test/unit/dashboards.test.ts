import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dashboardFiles } from "../../scripts/grafana/dashboards.ts";
import { queryFaults } from "../support/documents/metric-queries.ts";

const folder = new URL("../../config/grafana/", import.meta.url);

interface Board {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly description?: string;
    readonly type: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }[];
}

test("config/grafana holds the dashboards and nothing else", () => {
  expect(readdirSync(folder).toSorted()).toEqual(Object.keys(dashboardFiles()).toSorted());
});

describe.each(Object.entries(dashboardFiles()))("%s", (name, text) => {
  const board = JSON.parse(text) as Board;
  const queries = board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );

  test("is what the code gives; renew it with npm run generate -- dashboards", () => {
    expect(readFileSync(new URL(name, folder), "utf8")).toBe(text);
  });

  test.each(queries)("$title: every metric and label of $expr is exposed", ({ expr, legendFormat }) => {
    expect(queryFaults(expr)).toEqual([]);
    // The query must preserve the labels of the legend.
    const grouping = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/);
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    if (grouping !== undefined) expect(grouping).toEqual(expect.arrayContaining(named));
  });

  test("its variables ask for metrics and labels that there are, and each one that is used is there", () => {
    for (const { definition } of board.templating.list) {
      const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(definition ?? "") ?? [];
      if (selector !== undefined) expect(queryFaults(`max by (${label}) (${selector})`)).toEqual([]);
    }
    const used = new Set([...text.matchAll(/\$([a-z]+)\b/g)].map(([, variable]) => variable));
    expect([...used].toSorted()).toEqual(board.templating.list.map((variable) => variable.name).toSorted());
  });

  test("no two panels lie on each other, and each says what to make of it", () => {
    const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    const silent = board.panels.filter(({ type, description }) => type !== "row" && !description);
    expect(silent.map(({ title }) => title)).toEqual([]);
  });
});
