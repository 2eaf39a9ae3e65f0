/**
 * The real servers and tools that the demo, the tests and the benchmarks run: how to select another build of
 * each, and the Debian package that contains it.
 */
export interface CatalogueEntry {
  /** Environment variable with the path of the program to use instead of any other. */
  readonly variable: string;
  /**
   * Debian and Ubuntu packages that contain it; redis-server is a link to a program of redis-tools. None: it is
   * built from `goPackage`.
   */
  readonly debianPackages: readonly string[];
  /** Go package, with its version, that is built where Go is installed. */
  readonly goPackage?: string;
  /**
   * Path of the program in the unpacked package. Not always `/usr/bin`, where a script may contain absolute
   * paths.
   */
  readonly unpackedPath: string;
  /** A file that is read, not run: an installed one is in the same place below `/`. */
  readonly isData?: true;
  /** Never installed: unpacked below the folder of the project, since its installation changes the machine. */
  readonly isUnpacked?: true;
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
  haproxy: { variable: "HAPROXY_BIN", debianPackages: ["haproxy"], unpackedPath: "usr/sbin/haproxy" },
  // Only for the benchmark of the gateway. In Debian 12, nginx-light has no program of its own.
  nginx: { variable: "NGINX_BIN", debianPackages: ["nginx"], unpackedPath: "usr/sbin/nginx" },
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
  helm: {
    variable: "HELM_BIN",
    debianPackages: [],
    goPackage: "helm.sh/helm/v3/cmd/helm@v3.20.2",
    unpackedPath: "usr/bin/helm",
  },
  podman: {
    variable: "PODMAN_BIN",
    debianPackages: ["podman", "runc", "netavark", "aardvark-dns", "iptables"],
    unpackedPath: "usr/bin/podman",
  },
  // A service of Docker would take over the machine's forwarding.
  dockerd: {
    variable: "DOCKERD_BIN",
    debianPackages: ["docker.io", "containerd", "tini"],
    unpackedPath: "usr/sbin/dockerd",
    isUnpacked: true,
  },
  runc: { variable: "RUNC_BIN", debianPackages: ["runc"], unpackedPath: "usr/sbin/runc" },
  mmdebstrap: {
    variable: "MMDEBSTRAP_BIN",
    debianPackages: ["mmdebstrap"],
    unpackedPath: "usr/bin/mmdebstrap",
  },
  nft: { variable: "NFT_BIN", debianPackages: ["nftables"], unpackedPath: "usr/sbin/nft" },
  // Only as a backend of the gateway's tests.
  python3: { variable: "PYTHON_BIN", debianPackages: ["python3"], unpackedPath: "usr/bin/python3" },
  // AWS' own signatures, for the tests to compare ours with.
  botocore: {
    variable: "BOTOCORE",
    debianPackages: ["python3-botocore"],
    unpackedPath: "usr/lib/python3/dist-packages/botocore/__init__.py",
    isData: true,
  },
  zsh: { variable: "ZSH_BIN", debianPackages: ["zsh"], unpackedPath: "bin/zsh" },
  fish: { variable: "FISH_BIN", debianPackages: ["fish"], unpackedPath: "usr/bin/fish" },
  // Of virtual machines: what runs them, and what the tests' guest is made of.
  "qemu-system-x86_64": {
    variable: "QEMU_BIN",
    debianPackages: ["qemu-system-x86", "qemu-utils"],
    unpackedPath: "usr/bin/qemu-system-x86_64",
  },
  "qemu-img": { variable: "QEMU_IMG_BIN", debianPackages: ["qemu-utils"], unpackedPath: "usr/bin/qemu-img" },
  ovmf: {
    variable: "OVMF",
    debianPackages: ["ovmf"],
    unpackedPath: "usr/share/OVMF/OVMF_CODE_4M.fd",
    isData: true,
  },
  passt: { variable: "PASST_BIN", debianPackages: ["passt"], unpackedPath: "usr/bin/passt" },
  xorriso: { variable: "XORRISO_BIN", debianPackages: ["xorriso"], unpackedPath: "usr/bin/xorriso" },
  setpriv: { variable: "SETPRIV_BIN", debianPackages: ["util-linux"], unpackedPath: "usr/bin/setpriv" },
  "mkfs.ext4": {
    variable: "MKFS_EXT4_BIN",
    debianPackages: ["e2fsprogs"],
    unpackedPath: "usr/sbin/mkfs.ext4",
  },
  "mkfs.vfat": {
    variable: "MKFS_VFAT_BIN",
    debianPackages: ["dosfstools"],
    unpackedPath: "usr/sbin/mkfs.vfat",
  },
  mcopy: { variable: "MCOPY_BIN", debianPackages: ["mtools"], unpackedPath: "usr/bin/mcopy" },
  dropbear: { variable: "DROPBEAR_BIN", debianPackages: ["dropbear-bin"], unpackedPath: "usr/sbin/dropbear" },
  dhclient: {
    variable: "DHCLIENT_BIN",
    debianPackages: ["isc-dhcp-client"],
    unpackedPath: "sbin/dhclient",
    isUnpacked: true,
  },
  ssh: { variable: "SSH_BIN", debianPackages: ["openssh-client"], unpackedPath: "usr/bin/ssh" },
  isolinux: {
    variable: "ISOLINUX",
    debianPackages: ["isolinux", "syslinux-common"],
    unpackedPath: "usr/lib/ISOLINUX/isolinux.bin",
    isData: true,
  },
  "cloud-kernel": {
    variable: "CLOUD_KERNEL",
    debianPackages: ["linux-image-cloud-amd64"],
    unpackedPath: "boot",
    isData: true,
    isUnpacked: true,
  },
  busybox: { variable: "BUSYBOX_BIN", debianPackages: ["busybox-static"], unpackedPath: "bin/busybox" },
} as const satisfies Record<string, CatalogueEntry>;

export type ServerName = keyof typeof catalogue;

/** Whether it is never installed; see `CatalogueEntry.isUnpacked`. */
export function isUnpacked(name: ServerName): boolean {
  return (catalogue[name] as CatalogueEntry).isUnpacked === true;
}

/** The Go package that a program is built from; undefined for programs of Debian packages. */
export function goPackageOf(name: ServerName): string | undefined {
  return (catalogue[name] as CatalogueEntry).goPackage;
}

export const serverNames = Object.keys(catalogue) as readonly ServerName[];

export function isServerName(text: string): text is ServerName {
  return Object.hasOwn(catalogue, text);
}
