/** SPDX identifiers of licences that may be shipped with a program under the Apache License 2.0. */
export const allowedLicences: readonly string[] = [
  ...[
    "0BSD",
    "Apache-2.0",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unlicense",
  ],
];

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** The part of a package-lock.json (version 3) in use. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** A development dependency that is also a package's optional dependency. */
  readonly devOptional?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Packages of an installation, by folder, including those for other platforms. Development dependencies are
 * excluded, also where a package could use one (an optional peer).
 */
export function shippedPackages(lock: LockFile): [path: string, entry: LockedPackage][] {
  const forDevelopment = lock.packages[""]?.devDependencies ?? {};
  return Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) =>
      path.includes("node_modules/") && !dev && !(devOptional && nameOf(path) in forDevelopment),
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** The shipped packages, unique by name and version. */
export function productionDependencies(lock: LockFile): Dependency[] {
  const found = shippedPackages(lock).map(([path, { version = "", license = "(none)" }]) => ({
    name: nameOf(path),
    version,
    licence: license,
  }));
  const byKey = new Map(found.map((dependency) => [`${dependency.name}@${dependency.version}`, dependency]));
  return [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
}

/**
 * Whether an SPDX expression permits shipping: with OR one licence suffices, with AND all must be allowed.
 */
export function isAllowed(expression: string): boolean {
  const text = expression.trim();
  const inner = /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
  if (/ OR /.test(inner)) return inner.split(" OR ").some(isAllowed);
  if (/ AND /.test(inner)) return inner.split(" AND ").every(isAllowed);
  return allowedLicences.includes(inner);
}

/** docs/third-party-licences.md. */
export function licencesDocument(dependencies: readonly Dependency[]): string {
  const counts = new Map<string, number>();
  for (const { licence } of dependencies) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const summary = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([licence, count]) => `${licence} (${count})`);
  const rows = dependencies.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return `# Third-party licences

The packages that telemetryd runs with, on whatever platform, and their licences: ${summary.join(", ")}. Their texts
are in \`node_modules\` of an installation. \`npm run generate -- licences\` renews this list; \`npm run release:check\` refuses a
licence that is not on its list.

| package | version | licence |
| --- | --- | --- |
${rows.join("\n")}
`;
}
