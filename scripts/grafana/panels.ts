/** The subset of Grafana's dashboard JSON in use (schema version 39, Grafana 10.4 and newer). */
export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** Grafana's unit names. */
export type Unit = "short" | "s" | "bytes" | "Bps" | "ops" | "cps" | "percentunit" | "dateTimeFromNow";

const datasource = { type: "prometheus", uid: "$datasource" };

const targets = (queries: readonly Query[], instant: boolean) =>
  queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    expr,
    legendFormat: legend,
    ...(instant ? { instant: true, range: false } : { range: true }),
  }));

export interface PanelOptions {
  readonly title: string;
  /** Shown as a tooltip; explains how to read the panel. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
}

/** A time series panel. */
export function graph({ title, description, unit, queries }: PanelOptions): Panel {
  return {
    title,
    description,
    type: "timeseries",
    datasource,
    targets: targets(queries, false),
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never", spanNulls: false } },
      overrides: [],
    },
    options: {
      legend: { displayMode: "list", placement: "bottom" },
      tooltip: { mode: "multi", sort: "desc" },
    },
  };
}

/** A single current value; red above `bad`. */
export function stat(options: PanelOptions & { readonly bad?: number }): Panel {
  const { title, description, unit, queries, bad } = options;
  const steps = [
    { color: "green", value: null },
    ...(bad === undefined ? [] : [{ color: "red", value: bad }]),
  ];
  return {
    title,
    description,
    type: "stat",
    datasource,
    targets: targets(queries, true),
    fieldConfig: { defaults: { unit, thresholds: { mode: "absolute", steps } }, overrides: [] },
    options: { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "value", graphMode: "none" },
  };
}

/** A row of the dashboard: a title, and panels side by side. */
export interface Row {
  readonly title: string;
  readonly height: number;
  readonly panels: readonly Panel[];
}

const columns = 24;

/** Places rows below each other and divides the width among each row's panels. */
export function layOut(rows: readonly Row[]): Panel[] {
  let y = 0;
  let id = 1;
  return rows.flatMap(({ title, height, panels }) => {
    const headline = {
      id: id++,
      title,
      type: "row",
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    };
    y += 1;
    const width = Math.floor(columns / panels.length);
    const placed = panels.map((panel, index) => ({
      id: id++,
      ...panel,
      gridPos: { x: index * width, y, w: width, h: height },
    }));
    y += height;
    return [headline, ...placed];
  });
}

/** A variable with the values of a metric's label; "All" matches everything. */
export function labelVariable(name: string, metric: string, filters = "") {
  const query = `label_values(${metric}${filters}, ${name})`;
  return {
    name,
    label: name,
    type: "query",
    datasource,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current: { text: "All", value: "$__all" },
  };
}

export function dashboard(options: {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly object[];
  readonly rows: readonly Row[];
}) {
  const { uid, title, description, variables, rows } = options;
  return {
    uid,
    title,
    description,
    tags: ["telemetryd"],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    timezone: "",
    templating: {
      list: [
        { name: "datasource", label: "data source", type: "datasource", query: "prometheus" },
        ...variables,
      ],
    },
    annotations: { list: [] },
    links: [
      { title: "telemetryd", type: "dashboards", tags: ["telemetryd"], asDropdown: true, includeVars: true },
    ],
    panels: layOut(rows),
  };
}
