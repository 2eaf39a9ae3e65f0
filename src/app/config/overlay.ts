import type { Fault } from "../../base/core/fault.ts";
import { suggestion } from "../../base/documents/closest.ts";
import { type DocumentPath, isObject, printPath } from "../../base/documents/yaml/document-path.ts";
import { type ConfigKey, configKeys } from "./keys.ts";

/** A value from outside the file: its key, and its origin for messages. */
export interface Setting {
  readonly path: DocumentPath;
  readonly value: unknown;
  /** `environment TELEMETRYD_…` or `--set …` */
  readonly origin: string;
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly faults: readonly Fault[];
}

/** Variables that Kubernetes sets in every container for a Service named telemetryd. */
const kubernetesVariable = /^TELEMETRYD_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)$/;

/** The settings from the environment, and a warning for each TELEMETRYD_ variable that matches no key. */
export function settingsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): Settings {
  const byVariable = new Map(
    configKeys.flatMap((key) => (key.variable === undefined ? [] : [[key.variable, key]])),
  );
  const settings: Setting[] = [];
  const faults: Fault[] = [];
  for (const [variable, text] of Object.entries(environment).toSorted()) {
    if (!variable.startsWith("TELEMETRYD_") || text === undefined || kubernetesVariable.test(variable))
      continue;
    const origin = `environment ${variable}`;
    const key = byVariable.get(variable);
    if (key !== undefined) {
      settings.push({ path: key.name.split("."), value: readText(text, key), origin });
      continue;
    }
    const message = `does not match any configuration key${suggestion(variable, byVariable.keys())}; ignored`;
    faults.push({ severity: "warning", file: origin, path: "", message });
  }
  return { settings, faults };
}

/** The settings of `--set key=value` flags, including members of maps: `metrics.headers.X-Scope-OrgID=a`. */
export function settingsOfFlags(flags: readonly string[]): Settings {
  const settings: Setting[] = [];
  const faults: Fault[] = [];
  for (const flag of flags) {
    const origin = `--set ${flag.split("=", 1)[0]}`;
    const setting = settingOfFlag(flag, origin);
    if (typeof setting === "string")
      faults.push({ severity: "error", file: origin, path: "", message: setting });
    else settings.push(setting);
  }
  return { settings, faults };
}

function settingOfFlag(flag: string, origin: string): Setting | string {
  const split = flag.indexOf("=");
  if (split <= 0) return "must be KEY=VALUE, for example metrics.interval=5s";
  const name = flag.slice(0, split);
  const text = flag.slice(split + 1);
  const key = configKeys.find((each) => each.name === name);
  if (key?.variable !== undefined) return { path: name.split("."), value: readText(text, key), origin };
  const map = configKeys.find((each) => each.type === "map" && name.startsWith(`${each.name}.`));
  if (map !== undefined && !map.name.includes("[]")) {
    return { path: [...map.name.split("."), name.slice(map.name.length + 1)], value: text, origin };
  }
  if (key !== undefined) return "can only be set in the file";
  const settable = configKeys.filter((each) => each.variable !== undefined).map((each) => each.name);
  return `is not a key${suggestion(name, settable)}`;
}

/** Converts text to the key's type; invalid text stays text, for the schema to reject. */
function readText(text: string, key: ConfigKey): unknown {
  switch (key.type) {
    case "whole number":
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case "true or false":
      return text === "true" ? true : text === "false" ? false : text;
    case "list":
      return splitList(text);
    case "text or list":
      // An address with several hosts contains commas itself.
      return addressSeparator.test(text) ? text.split(addressSeparator).map((item) => item.trim()) : text;
    default:
      return text;
  }
}

const addressSeparator = /,(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i;

function splitList(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  return items.length === 1 && items[0] === "" ? [] : items;
}

/**
 * Applies settings to the file's content; later ones win. A missing section is created. When the file has
 * something else in place of a section, it is kept, so that the file's fault is reported.
 *
 * @returns the result, and the origin of each path that was set
 */
export function overlay(
  fileValue: Readonly<Record<string, unknown>>,
  settings: readonly Setting[],
): { value: Record<string, unknown>; origins: ReadonlyMap<string, string> } {
  const value = structuredClone(fileValue) as Record<string, unknown>;
  const origins = new Map<string, string>();
  for (const setting of settings) {
    let parent: unknown = value;
    for (const step of setting.path.slice(0, -1)) {
      if (!isObject(parent)) break;
      parent[step] ??= {};
      parent = parent[step];
    }
    const last = setting.path.at(-1);
    if (!isObject(parent) || last === undefined) continue;
    parent[last] = setting.value;
    origins.set(printPath(setting.path), setting.origin);
  }
  return { value, origins };
}
