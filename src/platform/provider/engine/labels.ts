/**
 * Labels of everything that the provider makes in an engine. What has none of them, with its own platform, is
 * never touched. Neither labels nor names hold anything of a Secret.
 */
export const labelOf = {
  platform: "telemetryd.platform",
  plane: "telemetryd.plane",
  /** `namespace/name` of the Instance or NetworkContext. */
  name: "telemetryd.name",
  workload: "telemetryd.workload",
  /** Uid of the Instance. */
  instance: "telemetryd.instance",
  /** Uid of the NetworkContext, of a network. */
  network: "telemetryd.network",
  container: "telemetryd.container",
  /** Position of the container in its instance; 0 holds the address. */
  position: "telemetryd.position",
  /** {@link specificationHash} of what the container was made from. */
  specification: "telemetryd.specification",
  /** For how long the container may take to end, in ms; absent: as the others. */
  graceMs: "telemetryd.grace-ms",
  /** Address on which the ports of `ports` are published. */
  publishedAddress: "telemetryd.published-address",
  /** `tcp/80,udp/53`. */
  publishedPorts: "telemetryd.published-ports",
} as const;

/** Position of a container in its instance. */
export function positionOf(labels: Readonly<Record<string, string>>): number {
  return Number(labels[labelOf.position] ?? 0);
}

/** Images may have no label that begins with it: theirs become their containers'. */
export const labelPrefix = "telemetryd.";

export const membershipPrefix = "telemetryd.network.";

/** Label of a container in a network. */
export function membershipLabel(networkUid: string): string {
  return `${membershipPrefix}${networkUid}`;
}

/** The addresses of a container by its labels, with the uids of their networks. */
export function addressesIn(
  labels: Readonly<Record<string, string>>,
): [networkUid: string, address: string][] {
  return Object.entries(labels).flatMap(([label, address]): [string, string][] =>
    label.startsWith(membershipPrefix) ? [[label.slice(membershipPrefix.length), address]] : [],
  );
}

export const networkName = (uid: string): string => `telemetryd-${uid}`;
export const containerName = (uid: string, container: string): string => `telemetryd-${uid}-${container}`;
export const volumeName = (uid: string, volume: string): string => `telemetryd-${uid}-${volume}`;

/** The engine's filter for objects with all of these labels. */
export function withLabels(labels: Readonly<Record<string, string>>): { readonly label: readonly string[] } {
  return { label: Object.entries(labels).map(([name, value]) => (value === "" ? name : `${name}=${value}`)) };
}

/** The engine's filters are not trusted: not every engine demands all of the labels. */
export function hasLabels(
  object: { readonly Labels: Readonly<Record<string, string>> },
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(labels).every(([name, value]) => object.Labels[name] === value);
}
