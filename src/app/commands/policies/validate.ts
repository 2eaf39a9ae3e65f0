import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { type Fault, hasErrors, printFaults, sortFaults } from "../../../base/core/fault.ts";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";
import { isManifestName } from "../../../exporter/policy/directory/directory-watcher.ts";
import { checkTogether } from "../../../exporter/policy/directory/manifest-set.ts";
import { directoryPlane } from "../../../exporter/policy/plane.ts";
import {
  type CheckedManifest,
  checkManifest,
  maxManifestBytes,
} from "../../../exporter/policy/spec/manifest.ts";
import type { EndpointSettings } from "../../../exporter/remote-write/endpoint/endpoint-settings.ts";
import { configJsonSchema } from "../../config/keys.ts";
import { checkConfig } from "../../config/load.ts";
import { printedJson } from "../printed-json.ts";
import { parseSeries, type RelabelTest, relabelTests, relabelTestText } from "./relabel-test.ts";

export interface ValidateOptions {
  readonly output?: "text" | "json";
  /** Overrides configuration files, as in `run`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A series, as a selector: the report says what it becomes at each sink. */
  readonly relabelTest?: string | undefined;
}

export interface ValidateResult {
  /** The complete output, with a trailing line break. */
  readonly text: string;
  readonly exitStatus: 0 | 2;
}

interface Input {
  readonly path: string;
  /** Found while walking a directory, not named by the user. */
  readonly walked: boolean;
}

/**
 * `telemetryd validate PATH...`: checks configuration files and policy manifests, distinguished by their
 * content, without network access. Directories are walked recursively. Never throws for invalid content.
 *
 * @throws INVALID_ARGUMENT when `relabelTest` is no series
 */
export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  signal: AbortSignal,
): Promise<ValidateResult> {
  const tested = options.relabelTest === undefined ? undefined : parseSeries(options.relabelTest);
  const faults: Fault[] = [];
  const manifests: CheckedManifest[] = [];
  const checked: string[] = [];
  const inputs: (Input & { readonly text: string; readonly content: ReturnType<typeof contentOf> })[] = [];
  for (const input of await listInputs(paths, faults, signal)) {
    signal.throwIfAborted();
    const text = await readInput(input.path, faults);
    if (text !== undefined) inputs.push({ ...input, text, content: contentOf(text) });
  }
  // Configurations first: policies may belong to the projects of one.
  inputs.sort((a, b) => Number(b.content === "configuration") - Number(a.content === "configuration"));
  let tenantLabel: string | undefined;
  const endpoints: EndpointSettings[] = [];
  for (const { text, content, ...input } of inputs) {
    switch (content) {
      case "configuration": {
        const sources = { file: input.path, environment: options.environment ?? {} };
        const { config, faults: found } = await checkConfig(text, sources);
        faults.push(...found);
        endpoints.push(...(config?.delivery.endpoints ?? []));
        // Policies of a directory belong to the operator, and may name any project.
        if (config?.controlPlane !== undefined && config.policies === undefined) {
          tenantLabel ??= config.metrics?.tenantLabel;
        }
        break;
      }
      case "manifest": {
        const manifest = checkManifest(text, input.path, {
          plane: directoryPlane,
          unknownFields: "error",
          identity: { uid: "-", generation: 1 },
          tenantLabel,
        });
        manifests.push(manifest);
        faults.push(...manifest.faults);
        break;
      }
      case "other": {
        const message =
          "is neither a configuration (sections such as policies, metrics) nor a manifest (apiVersion, kind)";
        if (!input.walked) faults.push({ severity: "error", file: input.path, path: "", message });
        continue;
      }
    }
    checked.push(input.path);
  }
  faults.push(...checkTogether(manifests));
  if (checked.length === 0 && faults.length === 0) {
    const message = "holds no *.yaml or *.json file that is a configuration or a manifest";
    for (const path of paths) faults.push({ severity: "error", file: path, path: "", message });
  }
  const sorted = sortFaults(faults);
  const exitStatus = hasErrors(sorted) ? 2 : 0;
  const tests = tested && relabelTests(tested, manifests, endpoints, tenantLabel);
  const text = options.output === "json" ? asJson(sorted, checked, tests) : asText(sorted, checked, tests);
  return { text, exitStatus };
}

async function listInputs(paths: readonly string[], faults: Fault[], signal: AbortSignal): Promise<Input[]> {
  const inputs = new Map<string, Input>();
  for (const path of paths) {
    try {
      if ((await stat(path)).isDirectory()) {
        for (const found of await walk(path, signal))
          inputs.set(found, inputs.get(found) ?? { path: found, walked: true });
      } else inputs.set(path, { path, walked: false });
    } catch (error) {
      faults.push(unreadable(path, error));
    }
  }
  return [...inputs.values()];
}

async function walk(directory: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const found: string[] = [];
  for (const entry of (await readdir(directory, { withFileTypes: true })).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(directory, entry.name);
    // Symlinks to directories are not followed: they may form a cycle.
    if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules") {
      found.push(...(await walk(path, signal)));
    } else if (isManifestName(entry.name) && !entry.isDirectory()) found.push(path);
  }
  return found;
}

async function readInput(path: string, faults: Fault[]): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > maxManifestBytes) throw new Error("it is larger than 1 MiB");
    return await readFile(path, "utf8");
  } catch (error) {
    faults.push(unreadable(path, error));
    return undefined;
  }
}

function unreadable(file: string, error: unknown): Fault {
  const isMissing = errnoCode(error) === "ENOENT";
  const message = isMissing ? "does not exist" : `cannot be read: ${describeError(error)}`;
  return { severity: "error", file, path: "", message };
}

/**
 * The intended kind of a text. Text that cannot be parsed is classified by its appearance, so that its faults
 * come from the checker its author had in mind.
 */
function contentOf(text: string): "configuration" | "manifest" | "other" {
  const { documents, problems } = parseYaml(text);
  const keys = documents.flatMap(({ value }) => (isObject(value) ? Object.keys(value) : []));
  if (keys.includes("kind") || keys.includes("apiVersion")) return "manifest";
  const sections = Object.keys(configJsonSchema.properties ?? {});
  if (keys.some((key) => sections.includes(key))) return "configuration";
  if (problems.length === 0) return "other";
  return new RegExp(`^["']?(${sections.join("|")})["']?:`, "m").test(text) &&
    !/^\s*["']?kind["']?:/m.test(text)
    ? "configuration"
    : "manifest";
}

function asText(
  faults: readonly Fault[],
  checked: readonly string[],
  tests: readonly RelabelTest[] | undefined,
): string {
  const errors = faults.filter((fault) => fault.severity === "error").length;
  const warnings = faults.length - errors;
  const counts = [count(errors, "error"), count(warnings, "warning")].join(", ");
  const list = faults.length === 0 ? "" : `${printFaults(faults)}\n`;
  const tested = (tests ?? []).map((test) => `${relabelTestText(test)}\n`).join("");
  return `${list}${count(checked.length, "file")} checked: ${counts}\n${tested}`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

function asJson(
  faults: readonly Fault[],
  checked: readonly string[],
  relabelTests: readonly RelabelTest[] | undefined,
): string {
  return printedJson({
    valid: !hasErrors(faults),
    files: checked,
    faults,
    ...(relabelTests && { relabelTests }),
  });
}
