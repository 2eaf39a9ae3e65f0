import {
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

export type Panel = StatBuilder | TimeSeriesBuilder;

/** Grafana's unit names. */
export type Unit = "short" | "s" | "bytes" | "Bps" | "ops" | "cps" | "percentunit" | "dateTimeFromNow";

const datasource = { type: "prometheus", uid: "$datasource" };

export interface PanelOptions {
  readonly title: string;
  /** Shown as a tooltip; explains how to read the panel. */
  readonly description: string;
  readonly unit: Unit;
  /** Expressions by their legends, in order. */
  readonly queries: Readonly<Record<string, string>>;
}

const targetsOf = (queries: PanelOptions["queries"]): DataqueryBuilder[] =>
  Object.entries(queries).map(([legend, expr], index) =>
    new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .datasource(datasource)
      .expr(expr)
      .legendFormat(legend),
  );

/** A time series panel. */
export function graph({ title, description, unit, queries }: PanelOptions): Panel {
  return new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .targets(targetsOf(queries).map((target) => target.range()))
    .unit(unit)
    .min(0)
    .fillOpacity(10)
    .showPoints(VisibilityMode.Never)
    .spanNulls(false)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
}

/** A single current value; red above `bad`. */
export function stat(options: PanelOptions & { readonly bad?: number }): Panel {
  const { title, description, unit, queries, bad } = options;
  const steps = [
    { color: "green", value: null },
    ...(bad === undefined ? [] : [{ color: "red", value: bad }]),
  ];
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .targets(targetsOf(queries).map((target) => target.instant()))
    .unit(unit)
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None);
}

/** A row of the dashboard: a title, and panels side by side. */
export interface Row {
  readonly title: string;
  readonly height: number;
  readonly panels: readonly Panel[];
}

/** The daemons that are chosen. */
export const ofJob = '{job=~"$job"}';

/** Increase a second of a counter. */
export function rate(metric: string, filters = ofJob): string {
  return `rate(${metric}${filters}[$__rate_interval])`;
}

/** A quantile of a histogram. @param by labels that are kept */
export function quantile(share: number, histogram: string, ...by: readonly string[]): string {
  return `histogram_quantile(${share}, sum by (${[...by, "le"].join(", ")}) (${rate(`${histogram}_bucket`)}))`;
}

/** Queries for several quantiles, such as `99 %`. */
export function quantiles(histogram: string, ...shares: readonly number[]): PanelOptions["queries"] {
  return Object.fromEntries(shares.map((share) => [`${share * 100} %`, quantile(share, histogram)]));
}

const columns = 24;

/** A variable with the values of a metric's label; "All" matches everything. */
export function labelVariable(name: string, metric: string, filters = ""): QueryVariableBuilder {
  const query = `label_values(${metric}${filters}, ${name})`;
  return new QueryVariableBuilder(name)
    .label(name)
    .datasource(datasource)
    .query({ query, refId: name })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current({ text: "All", value: "$__all" });
}

/** A dashboard with its rows below each other, and the width divided among each row's panels. */
export function dashboard(options: {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly QueryVariableBuilder[];
  readonly rows: readonly Row[];
}): Dashboard {
  const { uid, title, description, variables, rows } = options;
  const board = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(["telemetryd"])
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh("30s")
    .time({ from: "now-3h", to: "now" })
    .timezone("")
    .variables([
      new DatasourceVariableBuilder("datasource").label("data source").type("prometheus"),
      ...variables,
    ])
    .link(
      new DashboardLinkBuilder("telemetryd")
        .type(DashboardLinkType.Dashboards)
        .tags(["telemetryd"])
        .asDropdown(true)
        .includeVars(true),
    );
  let id = 1;
  for (const { title: rowTitle, height, panels } of rows) {
    board.withRow(new RowBuilder(rowTitle).id(id++));
    const width = Math.floor(columns / panels.length);
    for (const panel of panels) board.withPanel(panel.id(id++).span(width).height(height));
  }
  const built = board.build();
  // The SDK is of a newer Grafana: 10.4 reads the same fields, and the links stay where they are seen.
  const links = built.links?.map(({ placement: _placement, ...link }) => link);
  return { ...built, ...(links === undefined ? {} : { links }), schemaVersion: 39 };
}
