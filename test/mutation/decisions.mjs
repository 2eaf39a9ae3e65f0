const delivery = "src/exporter/delivery";
const gateway = "src/platform/controllers/gateway";

/** The decision functions that `npm run prove -- mutation` changes: by group, without `.ts`. No file does I/O. */
export const decisions = {
  "receiver responses": [
    "src/exporter/remote-write/transport/classify",
    "src/exporter/remote-write/send/metadata-outcome",
    "src/base/core/retry-after",
  ],
  "the search": [
    `${delivery}/dispatch/receiver-memory`,
    `${delivery}/dispatch/search-pace`,
    `${delivery}/dispatch/suspects`,
    "src/exporter/remote-write/send/broken-responses",
    "src/exporter/remote-write/send/refusal-search",
    "src/exporter/remote-write/send/undecided-samples",
  ],
  "export windows": [
    `${delivery}/plan/next-window`,
    `${delivery}/plan/planned-windows`,
    `${delivery}/plan/ahead-spans`,
    `${delivery}/plan/plan-changes`,
    `${delivery}/plan/cycle-times`,
    `${delivery}/plan/backfill-limit`,
  ],
  "delivery state": [
    `${delivery}/dispatch/delivery-state`,
    `${delivery}/state/request-entries`,
    `${delivery}/state/state-record`,
    `${delivery}/state/time-sets`,
    `${delivery}/delivering-condition`,
    "src/exporter/policy/status/condition-changes",
    "src/exporter/policy/status/policy-delivery",
    "src/base/core/backoff",
  ],
  "late samples": [
    `${delivery}/late/check-times`,
    `${delivery}/late/count-check`,
    `${delivery}/late/known-counts`,
    `${delivery}/state/sample-counts`,
    `${delivery}/late/sent-record`,
    `${delivery}/late/sent-samples`,
  ],
  admission: ["src/kube-server/resources/admission", "src/kube-server/api/metadata"],
  selectors: ["src/kube-server/api/label-selector", "src/kube-server/api/selectors"],
  "route programs": [
    `${gateway}/match-order`,
    `${gateway}/route-budget`,
    `${gateway}/route-parents`,
    `${gateway}/route-programs`,
    `${gateway}/gateway-status`,
  ],
};

/** Further unit tests: of decisions that have none beside them. */
export const furtherTests = [
  `${delivery}/late/sent-block.property.test.ts`,
  "src/kube-server/resources/resources.test.ts",
];
