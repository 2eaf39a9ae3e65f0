import { systemClock } from "../../../base/core/clock.ts";
import { formatAge } from "../../../base/core/human.ts";
import { silentLogger as log } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import { SinkStates } from "../../../exporter/delivery/state/sink-states.ts";
import { directoryPlane } from "../../../exporter/policy/plane.ts";
import { type SinkPlan, sinkKey, sinkName } from "../../../exporter/policy/spec/types.ts";
import { publicEndpoint } from "../../../exporter/policy/status/status-view.ts";
import type { Config, MetricsConfig } from "../../config/schema.ts";
import { createExportTools, type ExportTools } from "../../daemon/export-tools.ts";
import { readDirectory } from "../policies/directory-plans.ts";
import { probeReceiver } from "../receiver-probe.ts";
import { type Finding, failed, ok, warning } from "./findings.ts";

/** Receivers that are asked; the others are counted. */
const maxReceivers = 100;
const receiversAtOnce = 8;
const clockSkewMs = 5_000;

/** The policies of the directory, the metrics store, and the receivers of the sinks. */
export async function checkExport(
  config: Config & { readonly metrics: MetricsConfig },
  signal: AbortSignal,
): Promise<Finding[]> {
  const tools = createExportTools({ config, state: new SinkStates(), clock: systemClock, log });
  try {
    const { findings, sinks } = await checkPolicies(config, signal);
    const store = await checkStore(config.metrics, tools, sinks[0], signal);
    return [...findings, ...store, ...(await checkReceivers(tools, sinks, signal))];
  } finally {
    await tools.close();
  }
}

async function checkPolicies(
  config: Config,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; sinks: readonly SinkPlan[] }> {
  if (config.policies === undefined) return { findings: [], sinks: [] };
  const check = "policies.directory";
  const { directory } = config.policies;
  const { store, plans, problems } = await readDirectory(config, directory, log, signal);
  if (!store.hasPlane(directoryPlane)) {
    return {
      findings: [failed(check, `${directory} cannot be read`, "create it, or correct the path")],
      sinks: [],
    };
  }
  const remedy = "telemetryd validate shows the place and the remedy";
  const findings = problems.map((problem) => failed(check, problem, remedy));
  const all = [...plans.all()];
  for (const { plan } of all) {
    for (const { name, condition } of plan.accepted) {
      if (condition.status === "True") continue;
      const check = `sink ${sinkName(sinkKey(plan.ref, name))}`;
      findings.push(failed(check, condition.message, remedy));
    }
  }
  const sinks = plans.sinks();
  const read = `${directory}: ${all.length} policies, ${sinks.length} sinks`;
  if (all.length === 0)
    findings.push(warning(check, `${directory} holds no ExportPolicy`, "add one; see the README"));
  else if (findings.length === 0) findings.push(ok(check, read));
  return { findings, sinks };
}

async function checkStore(
  { url, tenancy }: MetricsConfig,
  { stores }: ExportTools,
  sink: SinkPlan | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const check = "metrics.url";
  const place = publicEndpoint(url);
  if (sink === undefined && tenancy !== "label") {
    return [warning(check, `${place} was not asked: no policy says which tenant to read`, "add a policy")];
  }
  const store = stores.storeOf(sink ?? {});
  if (store.kind === "none") return [failed(check, store.message, "see metrics.tenants in docs/tenants.md")];
  const problem = await store.probe(signal);
  if (problem !== undefined) {
    return [
      failed(check, `${place}: ${redact(problem)}`, "check metrics.url, its credentials and the store"),
    ];
  }
  const found = [ok(check, `${place} responds (${stores.knownFlavor() ?? "unknown kind"})`)];
  const skewMs = (store.reader.storeNowMs() ?? Date.now()) - Date.now();
  if (Math.abs(skewMs) < clockSkewMs) return found;
  const detail = `the store's clock is ${formatAge(Math.abs(skewMs))} ${skewMs < 0 ? "behind" : "ahead"}`;
  return [...found, warning("clock", detail, "synchronize the clocks of both machines (NTP)")];
}

async function checkReceivers(
  { deps }: ExportTools,
  sinks: readonly SinkPlan[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const ofSink = async (sink: SinkPlan): Promise<Finding> => {
    const check = `sink ${sinkName(sinkKey(sink.policy, sink.name))}`;
    const place = publicEndpoint(sink.endpoint);
    const destination = deps.destinationOf(sink, { interrupt: () => signal });
    if (destination.kind === "invalid")
      return failed(check, destination.message, "correct the sink's endpoint");
    const { accepted, message } = await probeReceiver(destination, signal);
    if (accepted) return ok(check, `${place} accepts requests (${message})`);
    return failed(check, `${place}: ${message}`, "docs/receivers.md has the path and login of each receiver");
  };
  const findings: Finding[] = [];
  const waiting = sinks.slice(0, maxReceivers).entries();
  const work = async () => {
    for (const [index, sink] of waiting) findings[index] = await ofSink(sink);
  };
  await Promise.all(Array.from({ length: receiversAtOnce }, work));
  const left = sinks.length - maxReceivers;
  if (left <= 0) return findings;
  return [
    ...findings,
    warning("sinks", `${left} more were not asked`, "telemetryd status shows all of a running daemon"),
  ];
}
