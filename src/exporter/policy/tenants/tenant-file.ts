import { readFile, stat } from "node:fs/promises";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import { logErrors, runLoop } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import { isObject, printPath } from "../../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";
import type { Logger } from "../../../base/log/log.ts";
import { type TenantForm, tenantIdProblem } from "./tenant-id.ts";

interface TenantFileOptions {
  /** `metrics.tenants` */
  readonly path: string;
  readonly form: TenantForm;
  /** Called with the file's content when it has changed: the tenants' IDs by project. */
  onChange(ids: ReadonlyMap<string, string>): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Interval between checks of the file; as long as for the directory's files. */
const lookEveryMs = 2_000;
const maxFileBytes = 2 ** 20;
/** Faults that are reported at once. */
const maxShown = 5;

/**
 * The operator's file of projects and their tenants, read again when it changes. While it is missing or has
 * faults, the last content stays in force, and a warning says so.
 */
export class TenantFile implements Service {
  readonly name = "tenants' file";
  readonly #options: TenantFileOptions;
  #look = "";
  #problem: string | undefined;

  constructor(options: TenantFileOptions) {
    this.#options = options;
  }

  /** Reads the file for the first time. @throws INVALID_CONFIGURATION when it cannot be used */
  async load(): Promise<void> {
    await this.tick();
    if (this.#problem !== undefined) {
      throw new TelemetrydError("INVALID_CONFIGURATION", `metrics.tenants: ${this.#problem}`);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onError = logErrors(this.name, log);
    await runLoop(() => this.tick(), { clock, pauseAfterErrorMs: lookEveryMs, onError }, signal);
  }

  /** The reason why the file cannot be used at present. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Looks at the file once. @returns ms until the next call */
  async tick(): Promise<number> {
    const { path, form, onChange, log } = this.#options;
    const look = await lookOf(path);
    if (look !== "" && look === this.#look) return lookEveryMs;
    this.#look = look;
    const read = await readTenants(path, form);
    if (read.kind === "tenants") {
      this.#problem = undefined;
      onChange(read.ids);
    } else if (read.message !== this.#problem) {
      this.#problem = read.message;
      log.warn({ problem: read.message }, "metrics.tenants cannot be used; its last content stays in force");
    }
    return lookEveryMs;
  }
}

type ReadTenants =
  | { readonly kind: "tenants"; readonly ids: ReadonlyMap<string, string> }
  | { readonly kind: "faulty"; readonly message: string };

/** Reads a file of `project: tenant` pairs (YAML). */
export async function readTenants(path: string, form: TenantForm): Promise<ReadTenants> {
  let text: string;
  try {
    if ((await stat(path)).size > maxFileBytes) throw new Error("it is larger than 1 MiB");
    text = await readFile(path, "utf8");
  } catch (error) {
    return { kind: "faulty", message: `the file ${path} cannot be read: ${describeError(error)}` };
  }
  const read = parseTenants(text, form);
  return read.kind === "tenants"
    ? read
    : { ...read, message: `the file ${path} has faults: ${read.message}` };
}

/** Parses the content of a file of `project: tenant` pairs. An empty one names no project. */
export function parseTenants(text: string, form: TenantForm): ReadTenants {
  // An ID such as 42 or 007 is taken as it is written.
  const { documents, problems } = parseYaml(text, { isTextOnly: true });
  const faults = problems.map(({ line, path, message }) => `line ${line}: ${path} ${message}`);
  const [document, ...others] = documents;
  if (others.length > 0) faults.push("must be one document, not several separated by ---");
  const value = document?.value || {};
  if (!isObject(value)) faults.push("must be a map of projects to tenants, such as web: tenant-1");
  const ids = new Map<string, string>();
  for (const [project, id] of isObject(value) ? Object.entries(value) : []) {
    const problem = typeof id === "string" ? tenantIdProblem(id, form) : "must be a tenant's ID";
    if (problem === undefined && typeof id === "string") ids.set(project, id);
    else if (faults.length <= maxShown) {
      const line = document?.places.positionOf([project]).line ?? 1;
      faults.push(`line ${line}: ${printPath([project])}: ${problem}`);
    }
  }
  if (faults.length === 0) return { kind: "tenants", ids };
  const more = faults.length > maxShown ? "; and more" : "";
  return { kind: "faulty", message: faults.slice(0, maxShown).join("; ") + more };
}

/** Changes with the file's content; "" while it cannot be looked at. */
async function lookOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(" ");
  } catch {
    return "";
  }
}
