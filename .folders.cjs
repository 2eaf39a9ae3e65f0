/**
 * The order of the folders of src/: every folder imports only folders below it, at any depth. ARCHITECTURE.md prints
 * these lists, and `npm run imports` holds the code to them.
 */

/** What a folder has, lowest first: each imports only what stands before it. `.` are the folder's own files. */
const order = {
  src: ["base", "exporter", "roadmap", "kube-server", "platform", "app", "."],

  "src/base": ["core", "log", "documents", "net", "http", "redis"],
  "src/base/documents": ["yaml", "."],
  "src/base/http": ["names", "."],

  "src/exporter": ["series", "metricsql", "relabel", "policy", "metrics-store", "remote-write", "delivery"],
  "src/exporter/metricsql": ["regex", "ast", "analysis", "parse", "print"],
  "src/exporter/policy": ["spec", "status", ".", "directory", "tenants"],
  "src/exporter/metrics-store": [
    "client",
    "ports",
    "samples",
    "victoriametrics",
    "prometheus",
    "expressions",
    "thinned",
    "counts",
    "exemplars",
    ".",
  ],
  "src/exporter/remote-write": [
    "encoding",
    "endpoint",
    "transport",
    "authentication",
    "send",
    ".",
    "rejected",
  ],
  "src/exporter/delivery": [
    "state",
    "batch",
    "stats",
    "late",
    "dispatch",
    "exemplars",
    "metadata",
    "plan",
    "window",
    ".",
    "fleet",
    "schedule",
  ],

  "src/roadmap": ["board", "cache", "page", "api"],

  "src/kube-server": [
    "api",
    "store",
    "apply",
    "encoding",
    "patch",
    "kinds",
    "access",
    "resources",
    "watch",
    "logs",
    "controllers",
    "backup",
    "open-api",
    "tls",
    "http",
    ".",
  ],

  "src/platform": ["client", "provider", "routing", "gateway", "kinds", "controllers", "."],
  "src/platform/client": ["api", "events", "status", "."],
  "src/platform/provider": ["runtime", "plane", "instance", "network", "work", ".", "emulated", "engine"],
  "src/platform/provider/engine": ["firewall", "probes", "vm", "."],
  "src/platform/gateway": ["haproxy", "."],
  "src/platform/kinds": [
    ".",
    "discovery",
    "gateway",
    "networking",
    "compute",
    "resourcemanager",
    "telemetry",
  ],
  "src/platform/controllers": [".", "networking", "compute", "gateway"],

  "src/app": ["config", "ops", "daemon", "commands"],
  "src/app/config": ["sections", "."],
  "src/app/ops": ["page", "."],
  "src/app/commands": [
    ".",
    "completion",
    "platform",
    "backup",
    "policies",
    "query",
    "plan",
    "doctor",
    "rejected",
    "status",
    "tap",
    "logs",
  ],
  "src/app/commands/status": ["report", "watch", "."],
};

/** All that a product may import beside itself. */
const products = {
  exporter: ["base"],
  roadmap: ["base"],
  "kube-server": ["base"],
  platform: ["base", "exporter/policy", "kube-server"],
};

module.exports = { order, products };
