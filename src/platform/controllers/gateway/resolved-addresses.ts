import type { Clock } from "../../../base/core/clock.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { readyAddresses } from "./route-programs.ts";

/** Interval at which the annotation of one slice changes at most. */
const leastMs = 5 * 60_000;
const maxRemembered = 20_000;

export interface ResolvedAddresses {
  /**
   * Writes the addresses of names into the annotations of slices.
   *
   * @param resolved addresses by name
   * @returns after how many ms what was too soon may be written; undefined if all is written
   */
  write(
    plane: Plane,
    slices: Iterable<KubeObject>,
    resolved: ReadonlyMap<string, string>,
  ): Promise<number | undefined>;
}

/** Annotation of a slice of names: the address that its name resolves to. */
export function resolvedAddressesAnnotation(groupDomain: string): string {
  return `networking.${groupDomain}/resolved-addresses`;
}

/** Remembers in memory when it wrote: another leader may write once sooner. */
export function createResolvedAddresses(
  objects: ControlObjects,
  groupDomain: string,
  clock: Clock,
): ResolvedAddresses {
  const annotation = resolvedAddressesAnnotation(groupDomain);
  const writtenMs = new Map<string, number>();
  return {
    async write(plane, slices, resolved) {
      let againMs: number | undefined;
      for (const slice of slices) {
        const { uid = "", namespace = "", name = "", annotations = {} } = slice.metadata;
        const [host = ""] = slice["addressType"] === "FQDN" ? readyAddresses(slice) : [];
        const address = resolved.get(host);
        if (address === undefined || annotations[annotation] === address) continue;
        const sinceMs = clock.monotonicMs() - (writtenMs.get(uid) ?? Number.NEGATIVE_INFINITY);
        if (sinceMs < leastMs) {
          againMs = Math.min(againMs ?? leastMs, leastMs - sinceMs);
          continue;
        }
        if (writtenMs.size >= maxRemembered) writtenMs.clear();
        writtenMs.set(uid, clock.monotonicMs());
        await objects.annotate({ plane, kind: endpointSliceKind, namespace, name }, (old) => {
          if (old.metadata.uid !== uid) return old;
          const next = { ...old.metadata.annotations, [annotation]: address };
          return { ...old, metadata: { ...old.metadata, annotations: next } };
        });
      }
      return againMs;
    },
  };
}
