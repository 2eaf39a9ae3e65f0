/** Files that the package must contain, and files that it must not. */
const wanted = [
  ...["package.json", "npm-shrinkwrap.json", "README.md", "CHANGELOG.md", "LICENSE", "dist/cli.js"],
  ...["config/telemetryd.example.yaml", "config/telemetryd.schema.json", "proto/remote-write-1.0.proto"],
  ...["config/kubernetes/crd/exportpolicies.yaml", "config/alerts/telemetryd.rules.yaml"],
  ...["config/helm/telemetryd/Chart.yaml", "config/helm/telemetryd/values.schema.json"],
  ...["config/grafana/exports.json", "docs/configuration.md", "docs/third-party-licences.md"],
];
const folders = /^(dist|config|docs|proto)\//;
const files = /^(package\.json|npm-shrinkwrap\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
const unwanted = /\.test\.|(^|\/)(\.env|\.npmrc|node_modules|data|\.demo)(\/|$)|\.(pem|key|pat|token)$/;

/** Faults of a package with these files (paths with /). */
export function packageFaults(paths: readonly string[]): string[] {
  return [
    ...wanted.filter((path) => !paths.includes(path)).map((path) => `lacks ${path}`),
    ...paths.filter((path) => !folders.test(path) && !files.test(path)).map((path) => `has ${path}`),
    ...paths.filter((path) => unwanted.test(path)).map((path) => `must not have ${path}`),
  ];
}
