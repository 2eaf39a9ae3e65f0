import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { parseClaim } from "./claim.ts";
import { annotationOf, isDeleting, textAt } from "./plane-object.ts";

/**
 * Whose an object is: `own`, this provider works on it; `kept`, its Location is not served now, so what runs
 * stays as it is until the object is deleted; `other`, another provider's, or nobody's.
 */
export type Ownership = "own" | "kept" | "other";

export interface ServedOptions {
  /** Identity of this provider. */
  readonly provider: string;
  readonly groupDomain: string;
  /** `provider.cloudProjectId`. */
  readonly cloudProjectId: string;
  /** `provider.zones`; empty: all. */
  readonly zones: readonly string[];
}

/** Which Locations a provider serves, and which objects are therefore its own. */
export class Served {
  readonly provider: string;
  /** Of a Location: the provider that serves it, see {@link parseClaim}. */
  readonly claimAnnotation: string;
  /** Of an object with a finalizer of a provider: that provider. */
  readonly holderAnnotation: string;
  readonly #options: ServedOptions;

  constructor(options: ServedOptions) {
    this.#options = options;
    this.provider = options.provider;
    this.claimAnnotation = `compute.${options.groupDomain}/provider-claim`;
    this.holderAnnotation = `compute.${options.groupDomain}/provider`;
  }

  /** Whether a Location is one of this provider's cloud project and zones. */
  isServed(location: PlaneObject): boolean {
    const { cloudProjectId, zones } = this.#options;
    const zone = textAt(location, "spec", "provider", "cloudA", "zone") ?? "";
    return (
      textAt(location, "spec", "locationClassName") === "platform-managed" &&
      textAt(location, "spec", "provider", "cloudA", "projectId") === cloudProjectId &&
      (zones.length === 0 || zones.includes(zone))
    );
  }

  holderOf(location: PlaneObject): string | undefined {
    return parseClaim(annotationOf(location, this.claimAnnotation))?.holder;
  }

  /** Changes whenever the ownership of a Location's objects may have changed. */
  ownershipKey(location: PlaneObject | undefined): string {
    if (location === undefined) return "gone";
    return `${this.isServed(location)} ${this.holderOf(location)} ${isDeleting(location)}`;
  }

  /** @param location that the object names; undefined when it is gone */
  ownership(location: PlaneObject | undefined, object: PlaneObject): Ownership {
    const isHeld = annotationOf(object, this.holderAnnotation) === this.provider;
    if (location === undefined) return isHeld ? "own" : "other";
    const holder = this.holderOf(location);
    if (this.isServed(location) && holder === this.provider) return "own";
    const isOthers = holder !== undefined && holder !== this.provider;
    return isHeld && !isOthers ? "kept" : "other";
  }
}
