import { sharedErrorKey } from "../../../../exporter/policy/status/shared-errors.ts";
import {
  type DaemonStatus,
  findCondition,
  healthOrder,
  type PolicyView,
  type SinkHealth,
  type SinkView,
  sinkHealth,
  sinkKey,
} from "../../../../exporter/policy/status/status-view.ts";

/** A sink; or a policy without a running sink, so that its faults are visible. */
export interface StatusRow {
  readonly policy: PolicyView;
  readonly sink?: SinkView;
}

/**
 * `lag`: the largest first. `state`: the worst first. `error`: sinks in trouble first, by their error. Rows
 * that are equal in this are in order of their names.
 */
export const statusOrders = ["name", "lag", "state", "error"] as const;
export type StatusOrder = (typeof statusOrders)[number];

export function statusRows(status: DaemonStatus, order: StatusOrder): StatusRow[] {
  return status.policies
    .flatMap((policy): StatusRow[] =>
      policy.sinks.length === 0 ? [{ policy }] : policy.sinks.map((sink) => ({ policy, sink })),
    )
    .map((row) => ({ row, rank: rank(row, order), key: keyOf(row, order) }))
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
}

/** Whether the sink is accepted; without a sink, whether the policy is. */
export function readiness({ policy, sink }: StatusRow) {
  return sink === undefined
    ? findCondition(policy.conditions, "Ready")
    : findCondition(sink.conditions, "Accepted");
}

/** The sink's health; without a sink, whether the policy has faults. */
export function rowHealth(row: StatusRow): SinkHealth {
  if (row.sink !== undefined) return sinkHealth(row.sink);
  return readiness(row)?.status === "False" ? "failing" : "starting";
}

function keyOf(row: StatusRow, order: StatusOrder): string {
  const key = sinkKey(row);
  return order === "error" ? `${(row.sink && sharedErrorKey(row.sink)) ?? ""}\n${key}` : key;
}

function rank(row: StatusRow, order: StatusOrder): number {
  if (order === "name") return 0;
  // A row without a lag is last, and finite, so that two of them can be compared.
  if (order === "lag") return -(row.sink?.lagMs ?? -1);
  if (order === "error") return Number(!["failing", "retrying"].includes(rowHealth(row)));
  return healthOrder.indexOf(rowHealth(row));
}
