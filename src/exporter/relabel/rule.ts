/**
 * One relabelling rule with its defaults filled in: Prometheus' `relabel_config`
 * (https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config).
 */
export interface RelabelRule {
  readonly action: RelabelAction;
  readonly sourceLabels: readonly string[];
  readonly separator: string;
  readonly targetLabel: string;
  /** RE2, anchored at both ends. */
  readonly regex: string;
  readonly modulus: number;
  readonly replacement: string;
}

export const relabelActions = [
  "replace",
  "keep",
  "drop",
  "keepequal",
  "dropequal",
  "hashmod",
  "labelmap",
  "labeldrop",
  "labelkeep",
  "lowercase",
  "uppercase",
] as const;

export type RelabelAction = (typeof relabelActions)[number];

/** Prometheus' defaults. */
export const relabelDefaults = {
  action: "replace",
  sourceLabels: [],
  separator: ";",
  targetLabel: "",
  regex: "(.*)",
  modulus: 0,
  replacement: "$1",
} as const satisfies RelabelRule;

export const relabelLimits = {
  rules: 50,
  sourceLabels: 50,
  /** Of a name, a separator, a pattern and a replacement, in characters. */
  textLength: 1_024,
  /** Weight of one pattern, and of all patterns of a list; see `PatternCost`. */
  patternWeight: 1_000,
  listWeight: 5_000,
} as const;
