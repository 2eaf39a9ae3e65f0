import type { ControlObjectsOptions } from "../../kube-server/controllers/control-objects.ts";
import type { NumberClaims } from "../../kube-server/store/number-claims.ts";
import type { HostnameClaims, HostnameZone } from "../routing/hostname-claims.ts";
import type { StoredPrograms } from "../routing/program-store.ts";

/** What the controllers of networks, workloads and gateways are made of. */
export interface PlatformControllerOptions extends ControlObjectsOptions {
  readonly groupDomain: string;
  readonly claims: NumberClaims;
  /** What gateways do with the requests for each hostname. */
  readonly programs: StoredPrograms;
  /** `gateway.domain`; undefined if no gateway runs. */
  readonly gatewayDomain: string | undefined;
  /** Hostnames besides those of this domain: who has them, and who gets which. */
  readonly hostnameClaims: HostnameClaims;
  readonly hostnameZones: readonly HostnameZone[];
  /** Name servers that have the proofs of hostnames; the system's when there are none. */
  readonly nameServers: readonly string[];
}
