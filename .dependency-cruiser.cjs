/**
 * The import rules of ARCHITECTURE.md, checked by `npm run imports`: data flows one way, siblings do not know each
 * other, there are no cycles. What is not listed is refused.
 */

/** The five groups of src/, and the other groups each may import. */
const groups = {
  base: [],
  exporter: ["base"],
  roadmap: ["base"],
  platform: ["base", "exporter"],
  app: ["base", "exporter", "roadmap", "platform"],
};

/** The rooms of the groups, and the other rooms each may import. */
const rooms = {
  "base/core": [],
  "base/documents": ["base/core"],
  "base/net": ["base/core"],
  "base/http": ["base/core", "base/net"],
  "base/redis": ["base/core", "base/net"],

  "exporter/series": [],
  "exporter/metricsql": [],
  "exporter/policy": ["base/core", "base/documents", "exporter/metricsql", "exporter/series"],
  "exporter/metrics-store": [
    "base/core",
    "base/documents",
    "base/net",
    "base/http",
    "exporter/series",
    "exporter/metricsql",
    "exporter/policy",
  ],
  "exporter/remote-write": ["base/core", "base/net", "base/http", "exporter/series", "exporter/policy"],
  "exporter/delivery": [
    "base/core",
    "base/redis",
    "exporter/series",
    "exporter/metricsql",
    "exporter/policy",
    "exporter/metrics-store",
    "exporter/remote-write",
  ],

  "roadmap/board": ["base/core"],
  "roadmap/cache": ["base/core", "base/redis", "roadmap/board"],
  "roadmap/page": ["base/core", "roadmap/board"],
  "roadmap/api": ["base/core", "base/net", "base/redis", "roadmap/board", "roadmap/cache", "roadmap/page"],

  "platform/client": ["base/core", "base/documents", "base/net", "exporter/policy"],
  "platform/routing": ["base/core", "base/redis"],
  "platform/server": [
    "base/core",
    "base/documents",
    "base/net",
    "base/redis",
    "exporter/policy",
    "platform/routing",
  ],
  "platform/gateway": ["base/core", "base/http", "base/net", "base/redis", "platform/routing"],
  "platform/provider": ["base/core", "base/documents", "base/net", "platform/client"],

  "app/config": ["base/core", "base/documents", "base/net", "exporter/policy"],
  "app/ops": ["base/core", "base/net", "exporter/policy"],
  "app/daemon": [
    "base/core",
    "base/net",
    "base/http",
    "base/redis",
    "exporter/policy",
    "exporter/metrics-store",
    "exporter/remote-write",
    "exporter/delivery",
    "roadmap/board",
    "roadmap/cache",
    "platform/client",
    "platform/provider",
    "platform/routing",
    "platform/gateway",
    "app/config",
    "app/ops",
  ],
  "app/commands": [
    "base/core",
    "base/documents",
    "base/net",
    "base/redis",
    "exporter/series",
    "exporter/metricsql",
    "exporter/policy",
    "exporter/metrics-store",
    "exporter/remote-write",
    "exporter/delivery",
    "platform/client",
    "platform/server",
    "app/config",
    "app/daemon",
  ],
};

/** A rule that files below a folder of src/ import nothing of src/ but what is listed. */
function importsOnly(folder, others) {
  return {
    name: `${folder.replace("/", "-")}-imports-only-its-own`,
    comment: `src/${folder} may import ${["itself", ...others].join(", ")}.`,
    severity: "error",
    from: { path: `^src/${folder}/` },
    to: { path: "^src/", pathNot: `^src/(${[folder, ...others].join("|")})/` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-undeclared-package",
      severity: "error",
      from: { path: "^src", pathNot: "\\.(test|contract)\\.ts$" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "every-file-is-in-a-room",
      comment: "A file of src/ is a root file or in one of the rooms above.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: `^src/(main|run|cli)\\.ts$|^src/(${Object.keys(rooms).join("|")})/`,
      },
      to: {},
    },
    ...Object.entries(groups).map(([group, others]) => importsOnly(group, others)),
    ...Object.entries(rooms).map(([room, others]) => importsOnly(room, others)),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
