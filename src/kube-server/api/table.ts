import { ageColumn, type KindDefinition, nameColumn, type PrinterColumn } from "./kind.ts";
import type { Json, JsonObject, KubeObject } from "./object.ts";

/** Part of an object that accompanies its row (`includeObject`). */
export type IncludeObject = "None" | "Metadata" | "Object";

export function parseIncludeObject(text: string | undefined): IncludeObject | undefined {
  if (text === undefined || text === "" || text === "Metadata") return "Metadata";
  return text === "None" || text === "Object" ? text : undefined;
}

/** Version of meta.k8s.io for tables and partial metadata; both have the same fields. */
export type MetaVersion = "v1" | "v1beta1";

/** Requested form of a row. */
export interface RowForm {
  readonly include: IncludeObject;
  readonly metaVersion: MetaVersion;
}

function columnsOf({ columns }: KindDefinition): readonly PrinterColumn[] {
  if (columns.some(({ name }) => name === nameColumn.name)) return columns;
  return columns.includes(ageColumn) ? [nameColumn, ...columns] : [nameColumn, ...columns, ageColumn];
}

/** `columnDefinitions` of a kind. */
export function columnDefinitions(kind: KindDefinition): JsonObject[] {
  return columnsOf(kind).map((each) => {
    const type = each.type === "date" && kind.builtIn ? "string" : each.type;
    const format = each.name === nameColumn.name ? "name" : "";
    return column(each.name, type, format, each.description, each.priority);
  });
}

function column(
  name: string,
  type: string,
  format: string,
  description: string,
  priority: number,
): JsonObject {
  return { name, type, format, description, priority };
}

/** One row (meta/v1 TableRow). */
export function tableRow(
  kind: KindDefinition,
  object: KubeObject,
  { include, metaVersion }: RowForm,
  nowMs: number,
): JsonObject {
  const cells: Json[] = columnsOf(kind).map((each) => cell(each, object, nowMs));
  if (include === "None") return { cells, object: null };
  return { cells, object: include === "Object" ? object : partialMetadata(object, metaVersion) };
}

function cell(printed: PrinterColumn, object: KubeObject, nowMs: number): Json {
  const value = printed.value(object);
  if (printed.type === "date" && (value !== null || printed === ageColumn)) return age(value, nowMs);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

function age(time: unknown, nowMs: number): string {
  const sinceMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(sinceMs) ? "<unknown>" : humanDuration(nowMs - sinceMs);
}

/** The object reduced to its metadata (meta/v1 PartialObjectMetadata). */
export function partialMetadata(
  { metadata }: Pick<KubeObject, "metadata">,
  version: MetaVersion,
): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** A table without its rows. @param columns absent in all but the first event of a watch */
export function tableHead(
  columns: JsonObject[] | null,
  metadata: JsonObject,
  version: MetaVersion,
): JsonObject {
  return { kind: "Table", apiVersion: `meta.k8s.io/${version}`, metadata, columnDefinitions: columns };
}

/** An age in kubectl's format: two units if the first is small, else one (`90s`, `5m10s`, `3h`, `2d4h`). */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return two(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 365 * 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`;
}
