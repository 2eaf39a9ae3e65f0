import { catalogue, goPackageOf, isUnpacked, type ServerName } from "./catalogue.ts";

/** Properties of the machine that decide how missing servers are installed. */
export interface Machine {
  readonly isRoot: boolean;
  /** `apt-get` and `dpkg` are available: Debian, Ubuntu, or a derivative. */
  readonly hasApt: boolean;
  /** The program `go`, where it is installed. */
  readonly go?: string | undefined;
}

/** How to install missing servers. `packages` are sorted and unique. */
export type Plan =
  | { readonly kind: "nothing" }
  | { readonly kind: "install"; readonly packages: readonly string[] }
  | { readonly kind: "unpack"; readonly packages: readonly string[] }
  | { readonly kind: "explain"; readonly message: string };

/**
 * Root installs; other users unpack into the project's folder; without apt the user must install them. Programs
 * that are built with Go are in no plan, but without Go the user must install those too; nor are those that are
 * only ever unpacked.
 */
export function planFor(missing: readonly ServerName[], machine: Machine): Plan {
  const built = missing.filter((name) => goPackageOf(name) !== undefined);
  if (built.length > 0 && machine.go === undefined) {
    return { kind: "explain", message: howToInstall(missing, "go is not installed") };
  }
  if (missing.length === built.length) return { kind: "nothing" };
  if (!machine.hasApt) return { kind: "explain", message: howToInstall(missing) };
  const packages = packagesOf(missing.filter((name) => !isUnpacked(name)));
  if (packages.length === 0) return { kind: "nothing" };
  return { kind: machine.isRoot ? "install" : "unpack", packages };
}

export function packagesOf(names: readonly ServerName[]): string[] {
  return [...new Set(names.flatMap((name) => catalogue[name].debianPackages))].sort();
}

/** The message for a user who must install servers manually. */
export function howToInstall(missing: readonly ServerName[], reason?: string): string {
  const packages = packagesOf(missing);
  const built = missing.flatMap((name) => goPackageOf(name) ?? []);
  const variables = missing.map((name) => `${catalogue[name].variable}=/path/to/${name}`);
  return [
    `${missing.join(", ")}: not found${reason === undefined ? "" : `, and installing failed: ${reason}`}`,
    "Any one of these helps:",
    ...built.map((each) => `  - where Go is installed: go install ${each}`),
    ...(packages.length === 0
      ? []
      : [`  - on Debian or Ubuntu: apt-get install ${packages.join(" ")} (as root)`]),
    "  - elsewhere: install them so that they are on PATH (VictoriaMetrics, Prometheus, Redis, HAProxy)",
    `  - name them by environment: ${variables.join(" ")}`,
    "  - see the demo without installing anything: docker compose up",
  ].join("\n");
}

/**
 * The new packages in the output of `apt-get --simulate install`. Upgrades ("Inst name [old] (new …") are
 * left out, and so is the C library: a second one beside the system's loader crashes every program that finds
 * it.
 */
export function newPackages(simulation: string): string[] {
  const names: string[] = [];
  for (const line of simulation.split("\n")) {
    const match = /^Inst (\S+) \(/.exec(line);
    const name = match?.[1];
    if (name !== undefined && !/^(libc6|libc-bin)(:|$)/.test(name)) names.push(name);
  }
  return names.sort();
}

/**
 * Possible library folders of an unpacked package, best first. `triplet` is Debian's name of the machine
 * ("x86_64-linux-gnu").
 */
export function libraryFolders(root: string, triplet: string): string[] {
  return [`usr/lib/${triplet}`, `lib/${triplet}`, "usr/lib", "lib"].map((folder) => `${root}/${folder}`);
}

/** Debian's multiarch name for Node's `process.arch`. */
export function multiarchTriplet(arch: string): string {
  const cpu: Record<string, string> = { x64: "x86_64", arm64: "aarch64", ia32: "i386" };
  if (arch === "arm") return "arm-linux-gnueabihf";
  if (arch === "ppc64") return "powerpc64le-linux-gnu";
  return `${cpu[arch] ?? arch}-linux-gnu`;
}
