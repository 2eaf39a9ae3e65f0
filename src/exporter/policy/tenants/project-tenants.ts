import { directoryPlane } from "../plane.ts";
import type { ReadTenant } from "../spec/types.ts";
import { type TenantForm, tenantIdProblem } from "./tenant-id.ts";

export interface ProjectTenantsOptions {
  /** `metrics.tenancy` */
  readonly form: TenantForm;
  /** Where a project's ID comes from: `metrics.tenants`. */
  readonly origin: "name" | "annotation" | "file";
  /** Of the annotation `telemetry.<groupDomain>/tenant`. */
  readonly groupDomain: string;
  /** `metrics.operatorTenant` */
  readonly operatorTenant: string | undefined;
}

/** The annotation of a Project that names its tenant. */
export function tenantAnnotation(groupDomain: string): string {
  return `telemetry.${groupDomain}/tenant`;
}

/** Above the number of projects; more are forgotten at once, and found again. */
const maxKnown = 100_000;

/**
 * The metrics store's tenant of each project, and of the directory's policies. A plane without an ID, or with
 * one that cannot be used, has none: nothing is read for it.
 *
 * The IDs of annotations or of a file are set by whoever follows them. Listeners are called after a change.
 */
export class ProjectTenants {
  readonly #options: ProjectTenantsOptions;
  /** As annotated or listed, unchecked. */
  #ids: Map<string, string> = new Map();
  /** By plane: the same object until it changes, so that plans stay the same. */
  readonly #known = new Map<string, ReadTenant>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ProjectTenantsOptions) {
    this.#options = options;
  }

  of(plane: string): ReadTenant {
    const known = this.#known.get(plane);
    if (known !== undefined) return known;
    if (this.#known.size >= maxKnown) this.#known.clear();
    const tenant = plane === directoryPlane ? this.#operator() : this.#project(plane);
    this.#known.set(plane, tenant);
    return tenant;
  }

  /** Sets the annotation of one Project; undefined: it has none. Ignored unless it is what counts. */
  annotate(project: string, id: string | undefined): void {
    if (this.#options.origin !== "annotation" || this.#ids.get(project) === id) return;
    if (id === undefined) this.#ids.delete(project);
    else this.#ids.set(project, id);
    this.#known.delete(project);
    this.#announce();
  }

  /** Sets the IDs of all projects, as a file lists them. Ignored unless it is what counts. */
  list(ids: ReadonlyMap<string, string>): void {
    if (this.#options.origin !== "file") return;
    const before = this.#ids;
    this.#ids = new Map(ids);
    for (const project of new Set([...before.keys(), ...ids.keys()])) {
      if (before.get(project) !== ids.get(project)) this.#known.delete(project);
    }
    this.#announce();
  }

  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #operator(): ReadTenant {
    const { operatorTenant, form } = this.#options;
    if (operatorTenant === undefined) {
      const message =
        "policies of the directory have no tenant in the metrics store: metrics.operatorTenant must name it";
      return { kind: "none", message };
    }
    return tenantOf(operatorTenant, form, "metrics.operatorTenant");
  }

  #project(project: string): ReadTenant {
    const { form, origin, groupDomain } = this.#options;
    if (origin === "name") return tenantOf(project, form, "the project's name");
    const id = this.#ids.get(project);
    const annotation = `the annotation ${tenantAnnotation(groupDomain)} of its Project`;
    const entry = "its entry in the operator's file of tenants (metrics.tenants)";
    const place = origin === "annotation" ? annotation : entry;
    if (id !== undefined) return tenantOf(id, form, place);
    return { kind: "none", message: `the project has no tenant in the metrics store: ${place} is missing` };
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function tenantOf(id: string, form: TenantForm, place: string): ReadTenant {
  const problem = tenantIdProblem(id, form);
  if (problem === undefined) return { kind: "tenant", id };
  return { kind: "none", message: `there is no usable tenant in the metrics store: ${place} ${problem}` };
}
