import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { type Fault, hasErrors, printFaults } from "../../../base/core/fault.ts";
import type { Logger } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import { trialExport } from "../../../exporter/delivery/schedule/trial-export.ts";
import { SinkStates } from "../../../exporter/delivery/state/sink-states.ts";
import type { NoStore, SinkStore } from "../../../exporter/metrics-store/sink-store.ts";
import { scope } from "../../../exporter/metricsql/analysis/scope.ts";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import { print } from "../../../exporter/metricsql/print/printer.ts";
import { DirectoryWatcher, readManifestText } from "../../../exporter/policy/directory/directory-watcher.ts";
import { checkTogether } from "../../../exporter/policy/directory/manifest-set.ts";
import type { PolicyPlan } from "../../../exporter/policy/plan.ts";
import { directoryPlane, projectNameProblem } from "../../../exporter/policy/plane.ts";
import { PolicyPlans } from "../../../exporter/policy/policy-plans.ts";
import { checkManifest } from "../../../exporter/policy/spec/manifest.ts";
import type { SinkPlan } from "../../../exporter/policy/spec/types.ts";
import { publicEndpoint } from "../../../exporter/policy/status/status-view.ts";
import { PolicyStore } from "../../../exporter/policy/store.ts";
import type { Config, MetricsConfig } from "../../config/schema.ts";
import { createExportTools, type ExportTools } from "../../daemon/export-tools.ts";
import type { CommandResult } from "../command.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printedJson } from "../printed-json.ts";
import { tenantOfStore } from "../query/query-scope.ts";
import { probeReceiver } from "../receiver-probe.ts";
import { relabelled } from "../relabelled.ts";
import { commonSelector } from "./common-selector.ts";
import type { PlanReport, PolicyReport, SinkReport, SourceReport } from "./plan-report.ts";
import { planText } from "./plan-text.ts";
import { SourceStatistics } from "./source-statistics.ts";

export interface PlanOptions extends ConfigCommandOptions {
  /** A manifest file. */
  readonly policies: string;
  /** The policies are this project's; without it, they are those of a directory. */
  readonly project?: string | undefined;
  /** Whether each receiver is sent an empty request. */
  readonly probe?: boolean | undefined;
  /** How much is read of the store, in ms. */
  readonly windowMs: number;
  readonly output: "text" | "json";
  /** What one sink may have the store read. */
  readonly limits?: { readonly maxSamples: number; readonly maxMs: number };
}

const hourMs = 3_600_000;
/** A twelfth of a year. */
const monthMs = 730.5 * hourMs;
/** A few seconds' work of the store and of this process. */
const defaultLimits = { maxSamples: 5_000_000, maxMs: 30_000 };
/** Counts of overlapping selectors, for all warnings of a command. */
const maxOverlapCounts = 50;

interface Loaded {
  readonly config: Config & { readonly metrics: MetricsConfig };
  readonly planned: readonly PolicyPlan[];
  /** Of all policies, the planned ones included. */
  readonly others: readonly SinkPlan[];
  readonly faults: readonly Fault[];
}

/**
 * `telemetryd plan POLICY.yaml`: what policies would do, from the real store's last minutes, without sending
 * a sample. With `probe`, each receiver gets one empty request. Exit status 5 when one does not accept it, 2
 * for a policy with faults.
 *
 * @throws INVALID_CONFIGURATION, INVALID_ARGUMENT, FILE_UNREADABLE; SOURCE_FAILED when the store cannot be
 *   read; UNREACHABLE when a project's tenant cannot
 */
export async function plan(options: PlanOptions, log: Logger, signal: AbortSignal): Promise<CommandResult> {
  const loaded = await load(options, log, signal);
  if ("text" in loaded) return loaded;
  const { config, faults } = loaded;
  const tools = createExportTools({ config, state: new SinkStates(), clock: systemClock, log });
  const overlaps = { left: maxOverlapCounts };
  try {
    const policies: PolicyReport[] = [];
    for (const policy of loaded.planned) {
      const report = await planOne(policy, loaded, tools, options, signal);
      const overlapping = await overlapWarnings(policy, loaded.others, tools, overlaps, signal);
      policies.push({ ...report, warnings: [...report.warnings, ...overlapping] });
    }
    const warnings = faults.map(({ path, message }) => `${path === "" ? "" : `${path}: `}${message}`);
    const [first, ...others] = policies;
    const report: PlanReport = {
      policies:
        first === undefined ? [] : [{ ...first, warnings: [...warnings, ...first.warnings] }, ...others],
    };
    const isRefused = policies.some(({ sinks }) => sinks.some(({ probe }) => probe?.accepted === false));
    const text = options.output === "json" ? printedJson(report) : planText(report);
    return { text, exitStatus: isRefused ? 5 : 0 };
  } finally {
    await tools.close();
  }
}

/** @returns a result when the policies have faults */
async function load(options: PlanOptions, log: Logger, signal: AbortSignal): Promise<Loaded | CommandResult> {
  const { project, policies: path } = options;
  const config = await loadCommandConfig(options, signal);
  const { metrics } = config;
  if (metrics === undefined) {
    throw new TelemetrydError("INVALID_CONFIGURATION", "this command needs the section metrics");
  }
  const nameProblem = project && projectNameProblem(project);
  if (nameProblem || project === "") {
    throw new TelemetrydError("INVALID_ARGUMENT", `--project ${nameProblem || "must not be empty"}`);
  }
  if (project !== undefined && metrics.tenancy === "label" && !metrics.tenantLabel) {
    const message = "--project needs metrics.tenantLabel in the configuration";
    throw new TelemetrydError("INVALID_ARGUMENT", message);
  }
  const plane = project ?? directoryPlane;
  const text = await readManifestText(path).catch((cause: unknown) => {
    throw new TelemetrydError("FILE_UNREADABLE", `${path} cannot be read`, { cause });
  });
  const manifest = checkManifest(text, path, {
    plane,
    unknownFields: "error",
    identity: { uid: "-", generation: 1 },
    tenantLabel: project === undefined ? undefined : metrics.tenantLabel,
  });
  const faults = [...manifest.faults, ...checkTogether([manifest], { areSecretsElsewhere: true })];
  if (hasErrors(faults)) return { text: `${printFaults(faults)}\n`, exitStatus: 2 };
  if (manifest.policies.length === 0) {
    throw new TelemetrydError("INVALID_ARGUMENT", `${path} holds no ExportPolicy`);
  }

  const store = new PolicyStore();
  if (config.policies !== undefined) {
    const { directory } = config.policies;
    await new DirectoryWatcher({ directory, store, clock: systemClock, log }).look(signal);
  }
  const all = { ...config, metrics };
  const tenant =
    metrics.tenancy === "label"
      ? undefined
      : ({ kind: "tenant", id: await tenantOfStore(all, metrics, project, signal) } as const);
  for (const { secret } of manifest.secrets) store.putSecret(secret);
  for (const { checked } of manifest.policies) store.putPolicy(checked);
  const plans = new PolicyPlans(store, tenant && { of: () => tenant, subscribe: () => () => undefined });
  const wanted = new Set(manifest.policies.map(({ checked }) => checked));
  const planned = [...plans.all()].filter(({ checked }) => wanted.has(checked));
  return {
    config: all,
    planned: planned.map((each) => each.plan),
    others: plans.sinks(),
    faults,
  };
}

async function planOne(
  { ref, sinks, accepted }: PolicyPlan,
  { config }: Loaded,
  tools: ExportTools,
  { probe, windowMs, limits = defaultLimits }: PlanOptions,
  signal: AbortSignal,
): Promise<PolicyReport> {
  const sources = new Map<string, SourceReport>();
  const reports: SinkReport[] = [];
  const warnings: string[] = [];
  for (const { name, condition } of accepted) {
    const sink = sinks.find((each) => each.name === name);
    if (sink !== undefined) continue;
    reports.push({ name, endpoint: "-", tenant: "-", problem: condition.message });
  }
  for (const sink of sinks) {
    if (sink.paused) warnings.push(`sink ${sink.name} is paused`);
    const { deps } = tools;
    const tenant = tenantWords(sink, config.metrics, tools);
    const place = { name: sink.name, endpoint: publicEndpoint(sink.endpoint), tenant };
    const destination = deps.destinationOf(sink, { interrupt: () => signal });
    if (destination.kind === "invalid") {
      reports.push({ ...place, problem: destination.message });
      continue;
    }
    const store = await openStore(deps.storeOf(sink), signal);
    const statistics = new Map(sink.sources.map(({ name }) => [name, new SourceStatistics()]));
    const trial = await trialExport(
      { ...sink, paused: false },
      store,
      deps,
      (source, series, samples) => statistics.get(source)?.add(series, samples),
      { ...limits, wantedMs: windowMs },
      signal,
    );
    const spanMs = trial === undefined ? 0 : trial.toMs - trial.fromMs;
    for (const { name, metricsql } of sink.sources) {
      const found = statistics.get(name)?.summary();
      if (found === undefined || sources.has(name)) continue;
      const expr = parse(metricsql);
      const scoped = deps.tenantOf(sink);
      const query = print(scoped === undefined ? expr : scope(expr, [scoped]));
      const samplesPerMinute = spanMs === 0 ? 0 : Math.round((found.samples / spanMs) * 60_000);
      const isPartial = found.isPartial || trial === undefined;
      sources.set(name, { name, query, ...found, samplesPerMinute, isPartial });
      if (found.series === 0) warnings.push(`source ${name} selects nothing at present`);
    }
    const accepts = probe === true ? { probe: await probeReceiver(destination, signal) } : {};
    if (trial === undefined) {
      const problem = `one cycle has more than ${limits.maxSamples} samples, or takes longer than ${(2 * limits.maxMs) / 1_000} s to read: select less`;
      reports.push({ ...place, problem, ...accepts });
      continue;
    }
    if (trial.invalidSamples > 0) {
      warnings.push(`sink ${sink.name}: ${trial.invalidSamples} samples cannot be sent; see the examples`);
    }
    if (spanMs < windowMs / 2 && spanMs > sink.batch.timeoutMs) {
      warnings.push(`sink ${sink.name}: only ${spanMs / 1_000} s were read, since there are many samples`);
    }
    const per = (amount: number, ms: number) => Math.round((amount / spanMs) * ms);
    const examples = [...statistics.values()].flatMap((each) => each.examples).slice(0, 3);
    reports.push({
      ...place,
      protocol: destination.state.protocol,
      from: new Date(trial.fromMs).toISOString(),
      to: new Date(trial.toMs).toISOString(),
      requestsPerHour: per(trial.requests, hourMs),
      bytesPerHour: per(trial.bytes, hourMs),
      bytesPerMonth: per(trial.bytes, monthMs),
      samplesPerMinute: per(trial.samples, 60_000),
      samplesPerMonth: per(trial.samples, monthMs),
      examples: examples.map((labels) => relabelled(labels, destination)),
      ...accepts,
    });
  }
  return {
    policy: `${ref.namespace}/${ref.name}`,
    sources: [...sources.values()],
    sinks: reports,
    warnings,
  };
}

/** A store whose clock is known. @throws INVALID_ARGUMENT without a tenant, SOURCE_FAILED when it is unavailable */
async function openStore(store: SinkStore | NoStore, signal: AbortSignal): Promise<SinkStore> {
  if (store.kind === "none") throw new TelemetrydError("INVALID_ARGUMENT", store.message);
  const problem = await store.probe(signal);
  if (problem !== undefined) throw new TelemetrydError("SOURCE_FAILED", redact(problem));
  return store;
}

function tenantWords(sink: SinkPlan, { tenancy }: MetricsConfig, { deps }: ExportTools): string {
  const tenant = deps.tenantOf(sink);
  if (tenant !== undefined) return `${tenant.label}=${JSON.stringify(tenant.value)}`;
  if (sink.tenant?.kind === "tenant") return `tenant ${sink.tenant.id} of the store (${tenancy})`;
  return "none: everything in the store can be selected";
}

/**
 * Sinks that send the same series to the same endpoint: receivers reject or count them twice. Samples of the
 * last minute are counted for each pair of sources.
 */
async function overlapWarnings(
  { ref, sinks }: PolicyPlan,
  all: readonly SinkPlan[],
  { deps }: ExportTools,
  counts: { left: number },
  signal: AbortSignal,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const [index, sink] of sinks.entries()) {
    for (const other of all) {
      const isOwn = other.policy.namespace === ref.namespace && other.policy.name === ref.name;
      // Of two sinks of one policy, the later one is reported.
      if (isOwn && sinks.findIndex(({ name }) => name === other.name) >= index) continue;
      if (other.policy.plane !== ref.plane || other.endpoint !== sink.endpoint) continue;
      const pair = await overlappingPair(sink, other, deps, counts, signal);
      if (pair === undefined) continue;
      const { namespace, name } = other.policy;
      warnings.push(
        `sink ${sink.name}: policy ${namespace}/${name}, sink ${other.name}, already sends series of ${pair} to this endpoint`,
      );
    }
  }
  return warnings;
}

/** @returns the names of two sources that select common series, as `a and b` */
async function overlappingPair(
  sink: SinkPlan,
  other: SinkPlan,
  { storeOf, tenantOf }: ExportTools["deps"],
  counts: { left: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const store = storeOf(sink);
  if (store.kind === "none") return undefined;
  for (const one of sink.sources) {
    for (const two of other.sources) {
      const common = commonSelector(one.metricsql, two.metricsql);
      if (common === "nothing") continue;
      const pair = `${one.name} and ${two.name}`;
      if (common === "same") return pair;
      if (counts.left-- <= 0) return undefined;
      const toMs = Math.floor((store.reader.storeNowMs() ?? Date.now()) / 60_000) * 60_000;
      const found = await store.counter.count(
        {
          selector: common.selector,
          tenant: tenantOf(sink),
          window: { fromMs: toMs - 60_000, toMs },
          stepMs: 60_000,
          of: "samples",
          owner: "plan",
        },
        signal,
      );
      if (found.kind === "counts" && found.counts.some((count) => count > 0)) return pair;
    }
  }
  return undefined;
}
