import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { formatExactCount } from "../../../base/core/human.ts";
import type { Logger } from "../../../base/log/log.ts";
import {
  type BackfillProgress,
  type BackfillSpan,
  backfill,
} from "../../../exporter/delivery/schedule/backfill.ts";
import { SinkStates } from "../../../exporter/delivery/state/sink-states.ts";
import type { SinkPlan } from "../../../exporter/policy/spec/types.ts";
import { createExportTools } from "../../daemon/export-tools.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { createProgress, type Output } from "../progress.ts";
import { parseTime } from "../time.ts";
import { exportingConfig, plansInDirectory } from "./directory-plans.ts";

export interface ExportOptions extends ConfigCommandOptions {
  /** See {@link parseTime}. */
  readonly from: string;
  readonly to: string;
  /** `namespace/name` */
  readonly policy?: string | undefined;
  readonly sink?: string | undefined;
}

/**
 * `telemetryd export`: delivers one time range to the policies' sinks and exits. It neither reads nor moves
 * the daemon's checkpoints, and may run beside it.
 *
 * @throws INVALID_ARGUMENT, INVALID_CONFIGURATION; SOURCE_FAILED or DELIVERY_FAILED with the time to resume
 *   from
 */
export async function exportSpan(
  options: ExportOptions,
  terminal: Output,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const span = spanOf(options, systemClock.nowMs());
  const config = exportingConfig(await loadCommandConfig(options, signal));
  const plans = selected(await plansInDirectory(config, log, signal), options);
  const state = new SinkStates();
  const tools = createExportTools({ config, state, clock: systemClock, log });
  const progress = createProgress(terminal);
  try {
    for (const plan of plans) {
      let last: BackfillProgress | undefined;
      const show = (reached: BackfillProgress) => {
        last = reached;
        progress.show(progressBar(plan, span, reached), performance.now());
      };
      await backfill(plan, span, tools.deps, show, signal);
      progress.say(`${nameOf(plan)}: ${summaryOf(last)}`);
    }
  } finally {
    await tools.close();
  }
}

function spanOf(options: ExportOptions, nowMs: number): BackfillSpan {
  const fromMs = parseTime(options.from, "--from", nowMs);
  const toMs = parseTime(options.to, "--to", nowMs);
  if (fromMs >= toMs) throw new TelemetrydError("INVALID_ARGUMENT", "--from must be before --to");
  if (toMs > nowMs) throw new TelemetrydError("INVALID_ARGUMENT", "--to must not be in the future");
  return { fromMs, toMs };
}

function selected(plans: readonly SinkPlan[], { policy, sink }: ExportOptions): SinkPlan[] {
  const chosen = plans.filter(
    (plan) =>
      (policy === undefined || policy === `${plan.policy.namespace}/${plan.policy.name}`) &&
      (sink === undefined || sink === plan.name),
  );
  if (chosen.length > 0) return chosen;
  const known = plans.map(nameOf).join(", ") || "none";
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `no sink that can run is selected; there are (namespace/policy/sink): ${known}`,
  );
}

function nameOf({ policy, name }: SinkPlan): string {
  return `${policy.namespace}/${policy.name}/${name}`;
}

const barWidth = 24;

/** `default/web/central [######----]  42%  1,234 samples`, for one line of a terminal. */
export function progressBar(
  plan: SinkPlan,
  span: BackfillSpan,
  { reachedMs, stats }: BackfillProgress,
): string {
  const part = Math.min(1, Math.max(0, (reachedMs - span.fromMs) / (span.toMs - span.fromMs)));
  const full = Math.floor(part * barWidth);
  const bar = "#".repeat(full) + "-".repeat(barWidth - full);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  return `${nameOf(plan)} [${bar}] ${percent}  ${formatExactCount(stats.delivered)} samples`;
}

function summaryOf(last: BackfillProgress | undefined): string {
  const { delivered = 0, rejected = 0, dropped = 0 } = last?.stats ?? {};
  const parts = [`${formatExactCount(delivered)} samples delivered`];
  if (rejected > 0)
    parts.push(`${formatExactCount(rejected)} rejected (telemetryd rejected list shows them)`);
  if (dropped > 0) parts.push(`${formatExactCount(dropped)} dropped`);
  return parts.join(", ");
}
