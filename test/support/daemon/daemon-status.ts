import type { Condition } from "../../../src/exporter/policy/status/conditions.ts";
import type { DaemonStatus, PolicyView, SinkView } from "../../../src/exporter/policy/status/status-view.ts";

/** Statuses of a busy daemon; deterministic, for tests and for the README's picture. */
export function busyDaemon(sinkCount: number, nowMs: number): DaemonStatus {
  const random = seeded(7);
  const policies: PolicyView[] = [];
  for (let made = 0; made < sinkCount; ) {
    const team = teams[policies.length % teams.length] ?? "web";
    const round = Math.floor(policies.length / teams.length);
    const sinks: SinkView[] = [];
    for (const target of targets.slice(0, 1 + (policies.length % 3))) {
      if (made++ < sinkCount) sinks.push(sink(target, made, nowMs, random));
    }
    const refused = sinks.filter(({ conditions }) => conditions[0]?.status === "False").length;
    policies.push({
      plane: "directory",
      namespace: team,
      name: round === 0 ? `${team}-metrics` : `${team}-metrics-${round}`,
      generation: 1 + (policies.length % 4),
      conditions: [
        refused === 0
          ? condition("Ready", "True", "SinksAccepted", "All sinks are configured.", nowMs - 3_600_000)
          : condition(
              "Ready",
              "False",
              "SinksNotAccepted",
              `${sinks.length - refused}/${sinks.length} sinks are accepted. Check the status of the sinks for more details.`,
              nowMs - 420_000,
            ),
      ],
      sinks,
    });
  }
  if (sinkCount > 3) {
    policies.push({
      plane: "directory",
      namespace: "lab",
      name: "probe",
      generation: 2,
      conditions: [
        condition(
          "Ready",
          "False",
          "Invalid",
          'spec.sinks[0].sources[1]: there is no source "cpu-usage"; the policy has "cpu", "memory"\nspec.sinks[0].batch.maxSize: 9000 is more than 5000',
          nowMs - 95_000,
        ),
      ],
      sinks: [],
    });
  }
  return {
    version: "0.1.0",
    startedAt: new Date(nowMs - 26 * 3_600_000).toISOString(),
    state: "running",
    ready: true,
    degraded: [],
    policies,
    source: { url: "http://127.0.0.1:8428/", flavor: "victoriametrics" },
  };
}

/** The same daemon in a fleet, where the replica of that name ran every sink's last cycle. */
export function inFleet(status: DaemonStatus, replica: string): DaemonStatus {
  const lastCycle = { replica, at: status.startedAt };
  return {
    ...status,
    replica: "this-pod/0001",
    policies: status.policies.map((policy) => ({
      ...policy,
      sinks: policy.sinks.map((sink) => ({ ...sink, lastCycle })),
    })),
  };
}

export function condition(
  type: Condition["type"],
  status: Condition["status"],
  reason: string,
  message: string,
  sinceMs: number,
): Condition {
  return {
    type,
    status,
    reason,
    message,
    observedGeneration: 1,
    lastTransitionTime: new Date(sinceMs).toISOString(),
  };
}

const teams = ["shop", "web", "payments", "search", "mobile", "billing", "media", "identity"];
const targets = [
  { name: "mimir", endpoint: "https://mimir.example.com/api/v1/push" },
  { name: "prometheus", endpoint: "http://prometheus.monitoring:9090/api/v1/write" },
  { name: "vendor", endpoint: "https://metrics.vendor.example/prometheus/remote/write" },
];

interface Trouble {
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
  readonly error?: string;
  readonly lagMs: number;
  readonly httpStatus?: number;
}

const upToDate: Trouble = {
  status: "True",
  reason: "UpToDate",
  message: "All samples up to the watermark are delivered.",
  lagMs: 9_000,
};
const troubles: ReadonlyMap<number, Trouble> = new Map([
  [
    4,
    {
      status: "False",
      reason: "Suspended",
      message: "HTTP 401: invalid API key",
      error: "HTTP 401: invalid API key",
      httpStatus: 401,
      lagMs: 31 * 60_000,
    },
  ],
  [
    7,
    {
      status: "False",
      reason: "Retrying",
      message: "HTTP 503: ingester is not ready, try again later",
      error: "HTTP 503: ingester is not ready, try again later",
      httpStatus: 503,
      lagMs: 4 * 60_000,
    },
  ],
  [
    11,
    {
      status: "True",
      reason: "CatchingUp",
      message: "Reads what was missed while the receiver was away.",
      error: "connect ECONNREFUSED 10.3.8.14:9090",
      lagMs: 78 * 60_000,
    },
  ],
  [13, { status: "False", reason: "Paused", message: "Paused by annotation.", lagMs: 9 * 3_600_000 }],
  [
    17,
    {
      status: "False",
      reason: "SourceUnavailable",
      message: "Source all: the metrics store broke off an export.",
      error: "source all: other side closed",
      lagMs: 2 * 60_000,
    },
  ],
]);

function sink(
  target: { name: string; endpoint: string },
  number: number,
  nowMs: number,
  random: () => number,
): SinkView {
  const trouble = troubles.get(number % 97) ?? upToDate;
  const refused = number % 97 === 19;
  const per10s = 500 + Math.round(random() * 40_000);
  const flows = trouble === upToDate || trouble.reason === "CatchingUp";
  const checkpoint = new Date(nowMs - 30_000 - trouble.lagMs).toISOString();
  const lagMs = trouble.lagMs + Math.round(random() * 6_000);
  return {
    name: target.name,
    endpoint: target.endpoint,
    conditions: refused
      ? [
          condition(
            "Accepted",
            "False",
            "InvalidAuthentication",
            "secret 'vendor-login' not found",
            nowMs - 420_000,
          ),
        ]
      : [
          condition("Accepted", "True", "SinkConfigured", "", nowMs - 3_600_000),
          condition("Delivering", trouble.status, trouble.reason, trouble.message, nowMs - 900_000),
        ],
    ...(refused ? {} : { checkpoint, lagMs }),
    delivered: refused ? 0 : per10s * 9_000,
    rejected: number % 31 === 5 ? 137 : 0,
    dropped: 0,
    repeated: number % 9 === 0 ? 500 : 0,
    ...lateOf(number, nowMs),
    retries: trouble.reason === "Retrying" ? 214 : number % 5 === 0 ? 2 : 0,
    ...(trouble.error === undefined || refused
      ? {}
      : {
          lastError: {
            at: new Date(nowMs - 21_000 * (number % 7) - 4_000).toISOString(),
            message: trouble.error,
          },
        }),
    ...(refused ? {} : { lastDeliveredAt: new Date(nowMs - (flows ? 6_000 : 240_000)).toISOString() }),
    ...(refused ? {} : { stateSince: new Date(nowMs - 900_000).toISOString() }),
    ...(refused
      ? {}
      : { lastResponse: { at: new Date(nowMs - 4_000).toISOString(), status: trouble.httpStatus ?? 204 } }),
    sources: refused
      ? []
      : [{ name: "all", query: '{job="node"}', checkpoint, series: per10s, samplesPerMinute: per10s * 6 }],
    sparkline: Array.from({ length: 60 }, (_, slot) =>
      refused || (!flows && slot > 38)
        ? 0
        : Math.round(
            per10s *
              (trouble.reason === "CatchingUp" ? (slot > 30 ? 3.2 : slot > 14 ? 0 : 1) : 1) *
              (slot % 3 === number % 3 ? 0 : 1.4) *
              (0.8 + 0.25 * Math.sin((slot + number) / 7) + random() * 0.15),
          ),
    ),
  };
}

/** One sink of 31 has late samples, of which some were refused. */
function lateOf(
  number: number,
  nowMs: number,
): Pick<SinkView, "late" | "lateRejected" | "uncheckedSeconds" | "lastLateRejection"> {
  if (number % 31 !== 5) return { late: 0, lateRejected: 0, uncheckedSeconds: 0 };
  const lastLateRejection = {
    at: new Date(nowMs - 240_000).toISOString(),
    message: "HTTP 400: out of order",
  };
  return { late: 1_200, lateRejected: 12, uncheckedSeconds: 300, lastLateRejection };
}

/** A small linear congruential generator, for a deterministic picture. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
