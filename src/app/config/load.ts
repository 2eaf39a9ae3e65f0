import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { describeError, errnoCode, TelemetrydError } from "../../base/core/errors.ts";
import { type Fault, FaultsError, hasErrors, sortFaults } from "../../base/core/fault.ts";
import { knownInstead } from "../../base/documents/closest.ts";
import { type JsonSchema, schemaAt, schemaOfMember, unknownKeys } from "../../base/documents/json-schema.ts";
import { checkSchema } from "../../base/documents/schema-issue.ts";
import type { YamlDocument } from "../../base/documents/yaml/document.ts";
import { type DocumentPath, isObject, printPath } from "../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../base/documents/yaml-source.ts";
import { readTenants } from "../../exporter/policy/tenants/tenant-file.ts";
import { crossRules } from "./cross-rules.ts";
import { configJsonSchema, wordsOf } from "./keys.ts";
import { overlay, type Settings, settingsOfEnvironment, settingsOfFlags } from "./overlay.ts";
import { type Config, configSchema } from "./schema.ts";
import { isTenantsFile } from "./sections/metrics.ts";
import { withUnits } from "./units.ts";

export interface ConfigSources {
  /** The configuration file; relative paths in it are relative to its folder. */
  readonly file: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `--set` flags: `metrics.interval=5s`. */
  readonly flags?: readonly string[];
}

export interface CheckedConfig {
  /** Absent when the faults include an error. */
  readonly config: Config | undefined;
  /** Errors and warnings, from top to bottom. */
  readonly faults: readonly Fault[];
}

/** Checks the target of a `…File` key; replaced in tests. */
export type PathCheck = (path: string, expects: string) => Promise<string | undefined>;

const maxFileBytes = 1024 * 1024;

/**
 * Loads the configuration; the environment overrides the file, flags override both.
 *
 * @throws FaultsError INVALID_CONFIGURATION with every fault; FILE_UNREADABLE when the file itself cannot be
 *   read
 */
export async function loadConfig(
  sources: ConfigSources,
  signal: AbortSignal,
): Promise<{ config: Config; warnings: readonly Fault[] }> {
  let text: string;
  try {
    if ((await stat(sources.file)).size > maxFileBytes) throw new Error("it is larger than 1 MiB");
    text = await readFile(sources.file, { encoding: "utf8", signal });
  } catch (error) {
    signal.throwIfAborted();
    const message = `the configuration file ${sources.file} cannot be read: ${describeError(error)}`;
    throw new TelemetrydError("FILE_UNREADABLE", message, { cause: error });
  }
  const { config, faults } = await checkConfig(text, sources, pathProblem);
  if (config === undefined) throw new FaultsError("INVALID_CONFIGURATION", faults);
  return { config, warnings: faults };
}

/** Checks a configuration given as text. Never throws for its content. */
export async function checkConfig(
  text: string,
  sources: ConfigSources,
  checkPath: PathCheck = pathProblem,
): Promise<CheckedConfig> {
  const file = parseYaml(text);
  const [document, ...others] = file.documents;
  const faults: Fault[] = file.problems.map((problem) => ({
    severity: "error",
    file: sources.file,
    ...problem,
  }));
  if (others.length > 0) {
    const position = others[0]?.places.positionOf([]);
    faults.push({
      severity: "error",
      file: sources.file,
      ...position,
      path: "",
      message: "must be one document, not several separated by ---",
    });
  }
  const fileValue = document?.value ?? {};
  if (!isObject(fileValue)) {
    const message = "must be an object with sections such as policies, metrics and ops";
    faults.push({ severity: "error", file: sources.file, line: 1, column: 1, path: "", message });
  }
  // Without valid YAML there are no keys: further faults would be mere consequences.
  if (hasErrors(faults) || !isObject(fileValue)) return { config: undefined, faults };
  const fromEnvironment = settingsOfEnvironment(sources.environment ?? {});
  const fromFlags = settingsOfFlags(sources.flags ?? []);
  return await checkValue(fileValue, document, [fromEnvironment, fromFlags], sources.file, checkPath);
}

async function checkValue(
  fileValue: Record<string, unknown>,
  document: YamlDocument | undefined,
  overlays: readonly Settings[],
  file: string,
  checkPath: PathCheck,
): Promise<CheckedConfig> {
  const written = asText(fileValue, configJsonSchema, [], document);
  const settings = overlays.flatMap((each) => each.settings);
  const { value, origins } = overlay(isObject(written) ? written : {}, settings);
  const faults: Fault[] = overlays.flatMap((each) => each.faults);
  const report = (severity: Fault["severity"], path: DocumentPath, message: string, atKey = false): void => {
    const name = printPath(path);
    const origin = origins.get(name);
    if (origin !== undefined) {
      faults.push({ severity, file: origin, path: name, message });
      return;
    }
    const position = atKey ? document?.places.keyPositionOf(path) : document?.places.positionOf(path);
    faults.push({ severity, file, ...(position ?? { line: 1, column: 1 }), path: name, message });
  };

  for (const { path, key, known } of unknownKeys(value, configJsonSchema)) {
    report("error", path, `is not a key${knownInstead(key, known)}`, true);
  }
  await resolvePaths(value, dirname(resolve(file)), checkPath, report);
  const checked = checkSchema(configSchema, value);
  for (const issue of checked.issues ?? []) {
    const about = schemaAt(configJsonSchema, issue.path)?.description;
    const meaning = issue.reason === "FieldValueRequired" && about !== undefined ? `: ${about}` : "";
    report("error", issue.path, issue.message + meaning);
  }
  for (const rule of crossRules(value)) report(rule.severity, rule.path, rule.message);
  if (checked.issues === undefined && !hasErrors(faults)) {
    const problem = await tenantsProblem(checked.value.metrics);
    if (problem !== undefined) report("error", ["metrics", "tenants"], problem);
  }
  const sorted = sortFaults(faults);
  const valid = checked.issues === undefined && !hasErrors(faults);
  return { config: valid ? withUnits(checked.value) : undefined, faults: sorted };
}

/** The reason why the file of tenants cannot be used, or undefined. */
async function tenantsProblem(
  metrics: z.output<typeof configSchema>["metrics"],
): Promise<string | undefined> {
  if (metrics === undefined || metrics.tenancy === "label" || !isTenantsFile(metrics.tenants))
    return undefined;
  const read = await readTenants(metrics.tenants, metrics.tenancy);
  return read.kind === "tenants" ? undefined : `cannot be used: ${read.message}`;
}

/**
 * Converts the file's values for the schema. Where it expects text, numbers and booleans are taken as written
 * (`protocol: 1.0`, `X-Scope-OrgID: 42`). Empty values count as absent, except that an empty section is
 * present without content.
 */
function asText(
  value: unknown,
  schema: JsonSchema | undefined,
  path: DocumentPath,
  document: YamlDocument | undefined,
): unknown {
  if (value === null) return path.length === 1 && schema?.properties !== undefined ? {} : value;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      asText(item, schema && schemaOfMember(schema, index), [...path, index], document),
    );
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) =>
        [key, asText(member, schema && schemaOfMember(schema, key), [...path, key], document)] as const,
    );
    return Object.fromEntries(members.filter(([key, member]) => member !== null || !isKnown(schema, key)));
  }
  const wantsText = schema?.type === "string" || schema?.anyOf?.some((each) => each.type === "string");
  return wantsText && typeof value !== "string" ? (document?.places.sourceOf(path) ?? value) : value;
}

function isKnown(schema: JsonSchema | undefined, key: string): boolean {
  return schema !== undefined && schemaOfMember(schema, key) !== undefined;
}

/** Makes paths absolute in place, defaults included, and reports those with a missing or wrong target. */
async function resolvePaths(
  value: Record<string, unknown>,
  folder: string,
  checkPath: PathCheck,
  report: (severity: "error", path: DocumentPath, message: string) => void,
): Promise<void> {
  const visit = async (node: unknown, schema: JsonSchema, path: DocumentPath): Promise<void> => {
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) await visit(item, schema.items ?? {}, [...path, index]);
    }
    if (!isObject(node)) return;
    for (const [key, member] of Object.entries(schema.properties ?? {})) {
      if (member["x-type"] !== "path") {
        if (node[key] !== undefined) await visit(node[key], member, [...path, key]);
        continue;
      }
      const text = node[key] ?? member.default;
      if (typeof text !== "string" || text === "") continue;
      if (wordsOf(member).includes(text)) continue;
      const absolute = resolve(folder, text);
      node[key] = absolute;
      const problem = await checkPath(absolute, String(member["x-expects"]));
      if (problem !== undefined) report("error", [...path, key], problem);
    }
  };
  // A path with a default needs its section.
  value["state"] ??= {};
  await visit(value, configJsonSchema, []);
}

/** The reason why a path is unusable, or undefined. A new directory or file is created by the daemon. */
export async function pathProblem(path: string, expects: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    const wantsFile = expects.endsWith("file");
    if (wantsFile && found.isDirectory()) return `must be a file; ${path} is a directory`;
    if (!wantsFile && !found.isDirectory()) return `must be a directory; ${path} is a file`;
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = errnoCode(error);
    if (code === "ENOENT") {
      return expects.startsWith("new ") ? undefined : `names a ${expects} that does not exist: ${path}`;
    }
    if (code === "EACCES" || code === "EPERM") return `names a ${expects} that may not be read: ${path}`;
    return `cannot be used: ${describeError(error)}`;
  }
}
