import { describeError, TelemetrydError } from "../../base/core/errors.ts";
import { formatAge, formatCount, formatExactCount } from "../../base/core/human.ts";
import type { LineSink } from "../../base/core/log.ts";
import { parseUrl } from "../../base/core/url.ts";
import {
  type DaemonStatus,
  findCondition,
  lateRejectedAdvice,
  type PolicyView,
  type SinkView,
} from "../../exporter/policy/status/status-view.ts";
import { printedJson } from "./printed-json.ts";
import { printable, renderTable } from "./table.ts";

export const defaultStatusAddress = "http://127.0.0.1:9464";

const responseLimitMs = 5_000;
const errorColumnWidth = 60;

export interface StatusOptions {
  /** The ops address of the daemon: a URL, or host:port. */
  readonly address: string;
  readonly output: "table" | "wide" | "json";
}

/**
 * `telemetryd status`: fetches a running daemon's status and prints a kubectl-style table, warnings
 * separately; `wide` adds what to do about refused late samples.
 *
 * @throws INVALID_ARGUMENT for an invalid address, UNREACHABLE when no daemon responds there
 */
export async function showStatus(
  options: StatusOptions,
  out: LineSink,
  warnings: LineSink,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const status = await fetchStatus(options.address, signal);
  if (options.output === "json") {
    out.write(printedJson(status));
    return;
  }
  for (const warning of statusWarnings(status)) warnings.write(`Warning: ${printable(warning)}\n`);
  if (status.policies.length === 0) warnings.write("No policies found.\n");
  else out.write(statusTable(status, options.output === "wide", nowMs));
  const advice = lateRejectedAdvice(status.policies.flatMap(({ sinks }) => sinks));
  if (options.output === "wide" && advice !== undefined) warnings.write(`Note: ${advice}\n`);
}

async function fetchStatus(address: string, signal: AbortSignal): Promise<DaemonStatus> {
  const url = statusUrl(address);
  const limit = AbortSignal.timeout(responseLimitMs);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { signal: AbortSignal.any([signal, limit]), redirect: "manual" });
    body = await response.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted ? `no response within ${formatAge(responseLimitMs)}` : describeError(error);
    throw new TelemetrydError(
      "UNREACHABLE",
      `no telemetryd responds at ${url.origin} (${reason}); is it running, and is this the address of ops.listen? Give another one with --address`,
      { cause: error },
    );
  }
  if (response.status !== 200 || !isDaemonStatus(body)) {
    throw new TelemetrydError(
      "UNREACHABLE",
      `${url.origin} responds with HTTP ${response.status}, but not as telemetryd's ops address does; give the address of ops.listen with --address`,
    );
  }
  return body;
}

function statusUrl(address: string): URL {
  const text = /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (parseUrl(text) === undefined) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      `--address: "${address}" is no address; write it like ${defaultStatusAddress}`,
    );
  }
  return new URL("api/v1/status", text.endsWith("/") ? text : `${text}/`);
}

/** Distinguishes a daemon from other servers; a daemon's response is otherwise trusted. */
function isDaemonStatus(body: unknown): body is DaemonStatus {
  return (
    typeof body === "object" &&
    body !== null &&
    "policies" in body &&
    Array.isArray(body.policies) &&
    "degraded" in body &&
    Array.isArray(body.degraded)
  );
}

/** Warnings about the daemon as a whole, one sentence each. */
export function statusWarnings(status: DaemonStatus): string[] {
  return [
    ...(status.state === "stopping"
      ? ["the daemon is stopping"]
      : status.ready
        ? []
        : ["the daemon is not ready"]),
    ...status.degraded,
    ...(status.source?.lastError === undefined ? [] : [`metrics store: ${status.source.lastError.message}`]),
  ];
}

/**
 * The table, sorted by name. AGE is the time in the current state. A policy without a running sink has a line
 * of its own, so that its faults are visible.
 */
export function statusTable(status: DaemonStatus, wide: boolean, nowMs: number): string {
  const columns = wide
    ? [
        ...usualColumns,
        ...wideColumns,
        ...(status.replica === undefined ? [] : [replicaColumn]),
        errorColumn(Number.POSITIVE_INFINITY),
      ]
    : [...usualColumns, errorColumn(errorColumnWidth)];
  const lines = status.policies.flatMap((policy): Line[] =>
    policy.sinks.length === 0 ? [{ policy, nowMs }] : policy.sinks.map((sink) => ({ policy, sink, nowMs })),
  );
  const sorted = lines
    .map((line) => ({
      line,
      key: [line.policy.plane, line.policy.namespace, line.policy.name, line.sink?.name].join("/"),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return renderTable(
    columns.map(({ title }) => title),
    sorted.map(({ line }) => columns.map(({ cell }) => cell(line) ?? "-")),
  );
}

interface Line {
  readonly policy: PolicyView;
  readonly sink?: SinkView;
  readonly nowMs: number;
}

interface Column {
  readonly title: string;
  /** `undefined` is shown as "-". */
  cell(line: Line): string | undefined;
}

const usualColumns: readonly Column[] = [
  { title: "NAMESPACE", cell: ({ policy }) => policy.namespace },
  { title: "POLICY", cell: ({ policy }) => policy.name },
  { title: "SINK", cell: ({ sink }) => sink?.name },
  { title: "READY", cell: (line) => readiness(line)?.status },
  { title: "DELIVERING", cell: ({ sink }) => sink && findCondition(sink.conditions, "Delivering")?.reason },
  { title: "LAG", cell: ({ sink }) => (sink?.lagMs === undefined ? undefined : formatAge(sink.lagMs)) },
  { title: "DELIVERED", cell: ({ sink }) => sink && formatCount(sink.delivered) },
  { title: "REJECTED", cell: ({ sink }) => sink && formatCount(sink.rejected) },
  { title: "AGE", cell: ageOf },
];

const wideColumns: readonly Column[] = [
  { title: "DROPPED", cell: ({ sink }) => sink && formatExactCount(sink.dropped) },
  { title: "REPEATED", cell: ({ sink }) => sink && formatExactCount(sink.repeated) },
  { title: "LATE", cell: ({ sink }) => sink && formatExactCount(sink.late) },
  { title: "LATE REJECTED", cell: ({ sink }) => sink && formatExactCount(sink.lateRejected) },
  { title: "UNCHECKED", cell: ({ sink }) => sink && formatAge(sink.uncheckedSeconds * 1_000) },
  { title: "RETRIES", cell: ({ sink }) => sink && formatExactCount(sink.retries) },
  { title: "CHECKPOINT", cell: ({ sink }) => sink?.checkpoint },
  { title: "PLANE", cell: ({ policy }) => policy.plane },
  { title: "ENDPOINT", cell: ({ sink }) => sink?.endpoint },
];

/** In a fleet: the replica that ran the sink's last cycle. */
const replicaColumn: Column = { title: "REPLICA", cell: ({ sink }) => sink?.lastCycle?.replica };

function errorColumn(width: number): Column {
  return {
    title: "LAST ERROR",
    cell: (line) => {
      const ready = readiness(line);
      const error =
        ready?.status === "False"
          ? { at: ready.lastTransitionTime, message: ready.message }
          : line.sink?.lastError;
      if (error === undefined) return undefined;
      const { message } = error;
      const shown = message.length > width ? `${message.slice(0, width - 1)}…` : message;
      return `${shown} (${formatAge(line.nowMs - Date.parse(error.at))} ago)`;
    },
  };
}

/** Whether the sink is accepted; without a sink, whether the policy is. */
function readiness({ policy, sink }: Line) {
  return sink === undefined
    ? findCondition(policy.conditions, "Ready")
    : findCondition(sink.conditions, "Accepted");
}

function ageOf(line: Line): string | undefined {
  const { sink, nowMs } = line;
  const condition = (sink && findCondition(sink.conditions, "Delivering")) ?? readiness(line);
  return condition && formatAge(nowMs - Date.parse(condition.lastTransitionTime));
}
