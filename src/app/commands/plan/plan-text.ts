import { formatCount, formatExactCount } from "../../../base/core/human.ts";
import { printable, renderTable } from "../table.ts";
import type { PlanReport, PolicyReport, SinkReport, SourceReport } from "./plan-report.ts";

/** The report of `telemetryd plan` for a person. */
export function planText({ policies }: PlanReport): string {
  return policies.map(policyText).join("\n");
}

function policyText({ policy, sources, sinks, warnings }: PolicyReport): string {
  return [
    `Policy ${printable(policy)}\n`,
    ...sources.map(sourceText),
    ...sinks.map(sinkText),
    ...(warnings.length === 0 ? [] : ["\nWarnings\n"]),
    ...warnings.map((warning) => `  ${printable(warning)}\n`),
  ].join("");
}

function sourceText(source: SourceReport): string {
  const { name, query, series, samplesPerMinute, metrics, labels, isPartial } = source;
  const atLeast = isPartial ? "at least " : "";
  return [
    `\nSource ${printable(name)}: ${printable(query)}\n`,
    fact("Series", `${atLeast}${formatExactCount(series)}`),
    fact("Samples", `${atLeast}${formatExactCount(samplesPerMinute)} a minute`),
    counts(
      ["METRIC", "SERIES"],
      metrics.map((metric) => [metric.name, metric.series]),
    ),
    counts(
      ["LABEL", "VALUES"],
      labels.map((label) => [label.name, label.values]),
    ),
  ].join("");
}

function counts(header: readonly string[], rows: readonly (readonly [string, number])[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map(([name, count]) => [name, formatExactCount(count)]);
  return renderTable(header, cells).replace(/^/gm, "  ").trimEnd().concat("\n");
}

function sinkText(sink: SinkReport): string {
  const { requestsPerHour = 0, bytesPerHour = 0, bytesPerMonth = 0 } = sink;
  const { samplesPerMinute = 0, samplesPerMonth = 0, probe, problem } = sink;
  const lines = [
    `\nSink ${printable(sink.name)}: ${printable(sink.endpoint)}\n`,
    fact("Tenant", sink.tenant),
    ...(problem === undefined ? [] : [fact("Problem", problem)]),
  ];
  if (sink.from !== undefined) {
    lines.push(
      fact("Read", `${sink.from} to ${sink.to}`),
      fact("Protocol", `remote write ${sink.protocol}`),
      fact("Requests", `${formatExactCount(requestsPerHour)} an hour`),
      fact("Bytes", `${formatBytes(bytesPerHour)} an hour, ${formatBytes(bytesPerMonth)} a month`),
      fact(
        "Samples",
        `${formatExactCount(samplesPerMinute)} a minute, ${formatCount(samplesPerMonth)} a month`,
      ),
    );
  }
  if (probe !== undefined) {
    lines.push(fact("Probe", `${probe.accepted ? "accepted" : "not accepted"} (${probe.message})`));
  }
  for (const { series, sent, problem: reason } of sink.examples ?? []) {
    lines.push(fact("Example", series), fact("  sent as", sent ?? `not at all: ${reason}`));
  }
  return lines.join("");
}

function fact(name: string, text: string): string {
  return `  ${`${name}:`.padEnd(11)} ${printable(text)}\n`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** `1.5 MiB`: three significant digits. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1_024 && unit < units.length - 1) {
    amount /= 1_024;
    unit++;
  }
  return `${unit === 0 ? amount : Number(amount.toPrecision(amount >= 1_000 ? 4 : 3))} ${units[unit]}`;
}
