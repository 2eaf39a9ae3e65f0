import { isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { relabelLimits } from "../../relabel/rule.ts";
import { type DocumentFault, errorAt } from "./document-fault.ts";

/** Of all patterns of a policy, in characters: parsing them must not block the event loop. */
const maxPatternCharacters = 20_000;

const relabelPath = ["target", "prometheusRemoteWrite", "relabel"] as const;

/**
 * The faults of lists of rules that are too large to be parsed, by the index of their sink: those with too
 * many rules, and those from the first on whose patterns make the policy's too long.
 */
export function relabelSizeFaults(rawSinks: readonly unknown[]): ReadonlyMap<number, DocumentFault> {
  const faults = new Map<number, DocumentFault>();
  let characters = 0;
  for (const [index, raw] of rawSinks.entries()) {
    const path = ["spec", "sinks", index, ...relabelPath];
    const list = valueAt(raw, relabelPath);
    if (!Array.isArray(list)) continue;
    if (list.length > relabelLimits.rules) {
      const message = `must have at most ${relabelLimits.rules} items, not ${list.length}`;
      faults.set(index, errorAt(path, "FieldValueTooMany", message));
      continue;
    }
    for (const rule of list) characters += isObject(rule) ? String(rule["regex"] ?? "").length : 0;
    if (characters <= maxPatternCharacters) continue;
    const message = `makes the regular expressions of all sinks longer than ${maxPatternCharacters} characters`;
    faults.set(index, errorAt(path, "FieldValueInvalid", `${message}; use fewer or shorter ones`));
  }
  return faults;
}

/** A sink without its rules. */
export function withoutRelabel(raw: unknown): unknown {
  const target = valueAt(raw, ["target"]);
  const remoteWrite = valueAt(target, ["prometheusRemoteWrite"]);
  if (!isObject(raw) || !isObject(target) || !isObject(remoteWrite)) return raw;
  const { relabel: _, ...rest } = remoteWrite;
  return { ...raw, target: { ...target, prometheusRemoteWrite: rest } };
}
