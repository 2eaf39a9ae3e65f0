/**
 * The import rules of ARCHITECTURE.md, checked by `npm run imports`: data flows one way, siblings do not know each
 * other, there are no cycles. Each room lists every room it may import; what is not listed is refused.
 */
const rooms = {
  core: [],
  http: ["core"],
  metricsql: [],
  config: ["core"],
  policy: ["core", "metricsql"],
  source: ["core", "http", "metricsql", "policy"],
  "remote-write": ["core", "http", "policy"],
  export: ["core", "metricsql", "policy", "source", "remote-write", "redis"],
  "control-plane": ["core", "policy"],
  platform: ["core", "policy", "redis"],
  redis: ["core"],
  roadmap: ["core", "redis"],
  api: ["core", "redis", "roadmap"],
  ops: ["core", "policy"],
  daemon: ["core", "config", "policy", "source", "remote-write", "export", "ops", "redis", "roadmap"],
  commands: [
    "core",
    "daemon",
    "config",
    "metricsql",
    "policy",
    "source",
    "remote-write",
    "export",
    "platform",
    "redis",
    "control-plane",
  ],
};

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
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `${room}-imports-only-its-own`,
      comment: `src/${room} may import ${["itself", ...allowed].join(", ")}.`,
      severity: "error",
      from: { path: `^src/${room}/` },
      to: { path: "^src/", pathNot: `^src/(${[room, ...allowed].join("|")})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
