import { isObject } from "../../base/documents/yaml/document-path.ts";
import { Quantity, type Unit } from "./sections/fields.ts";

type KeyWithUnit<K, V> = K extends string
  ? [Exclude<V, undefined>] extends [Quantity<infer U>]
    ? NameWithUnit<K, U>
    : K
  : K;

type NameWithUnit<K extends string, U extends Unit> = U extends "ms"
  ? `${K}Ms`
  : K extends "size"
    ? "bytes"
    : K extends `${infer Stem}Size`
      ? `${Stem}Bytes`
      : `${K}Bytes`;

/** The same tree with every {@link Quantity} as a plain number, its unit in the key's name. */
export type WithUnits<T> =
  T extends Quantity<Unit>
    ? number
    : T extends readonly (infer E)[]
      ? readonly WithUnits<E>[]
      : T extends object
        ? { readonly [K in keyof T as KeyWithUnit<K, T[K]>]: WithUnits<T[K]> }
        : T;

/**
 * `{ interval: 15s }` -> `{ intervalMs: 15000 }`, `{ maxSize: 64KiB }` -> `{ maxBytes: 65536 }`, `size` ->
 * `bytes`, at any depth.
 */
export function withUnits<T>(value: T): WithUnits<T> {
  return convert(value) as WithUnits<T>;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (value instanceof Quantity) return value.amount;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A key left empty counts as absent.
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [
        member instanceof Quantity ? nameWithUnit(key, member.unit) : key,
        convert(member),
      ]),
  );
}

function nameWithUnit(key: string, unit: Unit): string {
  if (unit === "ms") return `${key}Ms`;
  if (key === "size") return "bytes";
  return key.endsWith("Size") ? `${key.slice(0, -"Size".length)}Bytes` : `${key}Bytes`;
}
