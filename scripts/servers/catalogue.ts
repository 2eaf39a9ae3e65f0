/**
 * The real servers and tools that the demo, the tests and the benchmarks run: how to select another build of
 * each, and the Debian package that contains it.
 */
export interface CatalogueEntry {
  /** Environment variable with the path of the program to use instead of any other. */
  readonly variable: string;
  /** Debian and Ubuntu packages that contain it; redis-server is a link to a program of redis-tools. */
  readonly debianPackages: readonly string[];
  /**
   * Path of the program in the unpacked package. Not always `/usr/bin`, where a script may contain absolute
   * paths.
   */
  readonly unpackedPath: string;
}

export const catalogue = {
  "victoria-metrics": {
    variable: "VICTORIA_METRICS_BIN",
    debianPackages: ["victoria-metrics"],
    unpackedPath: "usr/bin/victoria-metrics",
  },
  vmagent: { variable: "VMAGENT_BIN", debianPackages: ["victoria-metrics"], unpackedPath: "usr/bin/vmagent" },
  vmctl: { variable: "VMCTL_BIN", debianPackages: ["victoria-metrics"], unpackedPath: "usr/bin/vmctl" },
  prometheus: {
    variable: "PROMETHEUS_BIN",
    debianPackages: ["prometheus"],
    unpackedPath: "usr/bin/prometheus",
  },
  promtool: { variable: "PROMTOOL_BIN", debianPackages: ["prometheus"], unpackedPath: "usr/bin/promtool" },
  "redis-server": {
    variable: "REDIS_SERVER_BIN",
    debianPackages: ["redis-server", "redis-tools"],
    unpackedPath: "usr/bin/redis-server",
  },
  chromium: {
    variable: "CHROMIUM_BIN",
    debianPackages: ["chromium"],
    unpackedPath: "usr/lib/chromium/chromium",
  },
  kubectl: {
    variable: "KUBECTL_BIN",
    debianPackages: ["kubernetes-client"],
    unpackedPath: "usr/bin/kubectl",
  },
  podman: {
    variable: "PODMAN_BIN",
    debianPackages: ["podman", "runc", "netavark", "aardvark-dns", "iptables"],
    unpackedPath: "usr/bin/podman",
  },
  busybox: { variable: "BUSYBOX_BIN", debianPackages: ["busybox-static"], unpackedPath: "bin/busybox" },
} as const satisfies Record<string, CatalogueEntry>;

export type ServerName = keyof typeof catalogue;

export const serverNames = Object.keys(catalogue) as readonly ServerName[];

export function isServerName(text: string): text is ServerName {
  return Object.hasOwn(catalogue, text);
}
