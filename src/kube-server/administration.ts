import type { Clock } from "../base/core/clock.ts";
import type {
  AccessDirectory,
  AddMemberOutcome,
  Member,
  RemoveMemberOutcome,
  UsedToken,
  WantedToken,
} from "./access/directory.ts";
import type { KindDefinition } from "./api/kind.ts";
import { nameFault } from "./api/metadata.ts";
import type { Plane } from "./api/plane.ts";
import type { Role } from "./api/roles.ts";
import { StatusError } from "./api/status.ts";
import { establishPlane } from "./controllers/plane-content.ts";
import { deleteObject } from "./resources/deletion.ts";
import { list } from "./resources/list.ts";
import type { Resources } from "./resources/resources.ts";
import type { Target } from "./resources/target.ts";
import type { NumberClaims } from "./store/number-claims.ts";
import type { ObjectStore } from "./store/object-store.ts";
import type { Quota, Quotas, Usage } from "./store/usage.ts";

/** Usage and quotas of an organization and its projects. */
export interface OrganizationView {
  readonly name: string;
  readonly usage: Usage;
  readonly quota: Quota;
  readonly members: readonly Member[];
  readonly projects: readonly { readonly name: string; readonly usage: Usage }[];
  readonly projectQuota: Quota;
}

export interface OrganizationSummary {
  readonly name: string;
  readonly members: number;
  readonly projects: number;
}

/**
 * Operations for the operator on the machine, bypassing the API: organizations, their members, users' tokens.
 */
export interface Administration {
  /** Creates an organization with its control plane; completes one that already exists. */
  createOrganization(name: string): Promise<"created" | "exists" | "invalid-name">;
  /** @returns undefined if there is no such organization */
  showOrganization(name: string): Promise<OrganizationView | undefined>;
  listOrganizations(): Promise<OrganizationSummary[]>;
  /**
   * Deletes an organization with its control plane and its members. Its projects, if there are any, are
   * deleted first: by the platform that runs, which may wait for their finalizers.
   *
   * @param signal ends the wait for the projects
   * @returns the names of the projects that are left, if there are any: nothing else is deleted then
   */
  deleteOrganization(
    name: string,
    withProjects: boolean,
    signal: AbortSignal,
  ): Promise<"deleted" | "no-organization" | { readonly projects: readonly string[] }>;
  addMember(organization: string, user: string, role: Role, project?: string): Promise<AddMemberOutcome>;
  removeMember(organization: string, user: string, project?: string): Promise<RemoveMemberOutcome>;
  /** @returns the token's text, which is not stored; undefined if the user has a token of this name in use */
  createToken(wanted: Omit<WantedToken, "nowMs">): Promise<string | undefined>;
  listTokens(): Promise<UsedToken[]>;
  /**
   * @param token an id, or a name
   * @param user absent: whose name it is does not matter, if only one user has a token of that name
   * @returns the ids of the revoked tokens
   */
  revokeToken(
    token: string,
    user?: string,
  ): Promise<{ readonly revoked: readonly string[] } | "unknown" | "ambiguous">;
}

export interface AdministrationOptions {
  readonly directory: AccessDirectory;
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly claims: NumberClaims;
  readonly kinds: readonly KindDefinition[];
  readonly clock: Clock;
  readonly quotas: Quotas;
}

const lookEveryMs = 200;
const everything = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };
const deletion = {
  dryRun: false,
  propagation: "Background",
  uid: undefined,
  resourceVersion: undefined,
} as const;

export function createAdministration(options: AdministrationOptions): Administration {
  const { directory, store, resources, claims, kinds, clock, quotas } = options;
  const findOrganization = async (name: string): Promise<Plane | undefined> =>
    (await directory.listOrganizations()).find((each) => each.name === name);
  /** The objects that stand for projects: also those whose names are taken. */
  const projectsOf = async (plane: Plane): Promise<Target[]> => {
    const found: Target[] = [];
    for (const kind of kinds.filter(({ claimsName }) => claimsName === true)) {
      const selection = { plane, kind, namespace: undefined, selector: undefined };
      for await (const part of list(store, selection, everything)) {
        for (const listed of part.objects) {
          const { namespace = "", name = "" } = listed.object().metadata;
          found.push({ plane, kind, namespace, name });
        }
      }
    }
    return found;
  };
  return {
    async createOrganization(name) {
      if (nameFault(name, "label") !== undefined) return "invalid-name";
      const created = await directory.createOrganization(name, clock.nowMs());
      const plane = created ?? (await findOrganization(name));
      // Also for an existing organization: an interrupted command may have left it without its plane.
      if (plane !== undefined) await establishPlane(plane, store, resources);
      return created === undefined ? "exists" : "created";
    },
    async showOrganization(name) {
      const plane = await findOrganization(name);
      if (plane === undefined) return undefined;
      const projects: { name: string; usage: Usage }[] = [];
      for (const project of await directory.listProjects()) {
        const usage = project.organization === name ? await store.usage(project) : undefined;
        if (usage !== undefined) projects.push({ name: project.name, usage });
      }
      // Also counts the organization's own plane if an older version wrote it.
      await store.usage(plane);
      return {
        name,
        usage: await store.organizationUsage(name),
        quota: quotas.organization,
        members: await directory.listMembers(name),
        projects: projects.sort((a, b) => (a.name < b.name ? -1 : 1)),
        projectQuota: quotas.project,
      };
    },
    async listOrganizations() {
      const projects = await directory.listProjects();
      const organizations = (await directory.listOrganizations()).map(async ({ name }) => ({
        name,
        members: (await directory.listMembers(name)).length,
        projects: projects.filter(({ organization }) => organization === name).length,
      }));
      return (await Promise.all(organizations)).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async deleteOrganization(name, withProjects, signal) {
      const plane = await findOrganization(name);
      if (plane === undefined) return "no-organization";
      const isThere = (await store.newestVersion(plane)) !== undefined;
      let projects = isThere ? await projectsOf(plane) : [];
      if (projects.length > 0 && !withProjects) return { projects: projects.map((each) => each.name) };
      // From now on, nobody creates another project.
      await store.leavePlane(plane);
      for (; isThere; await clock.sleep(lookEveryMs, signal).catch(() => undefined)) {
        projects = await projectsOf(plane);
        if (projects.length === 0) break;
        if (signal.aborted || !withProjects) return { projects: projects.map((each) => each.name) };
        for (const project of projects)
          await deleteObject(resources, project, deletion, clock.nowMs()).catch(ignoreGone);
      }
      await store.removePlane(plane);
      await claims.removePlane(plane);
      // Last: what was interrupted can be repeated.
      await directory.removeOrganization(name);
      return "deleted";
    },
    addMember: (organization, user, role, project) => directory.addMember(organization, user, role, project),
    removeMember: (organization, user, project) => directory.removeMember(organization, user, project),
    async createToken(wanted) {
      const created = await directory.createToken({ ...wanted, nowMs: clock.nowMs() });
      return created === "name-taken" ? undefined : created.text;
    },
    listTokens: () => directory.listTokens(),
    async revokeToken(token, user) {
      const [first, ...others] = (await directory.listTokens()).filter(
        (each) =>
          each.revokedAt === undefined &&
          (each.id === token || each.name === token) &&
          (user === undefined || each.user === user),
      );
      if (first === undefined) return "unknown";
      // A name may be given again once its token has expired.
      if (others.some((each) => each.user !== first.user)) return "ambiguous";
      const revoked = [first, ...others].map(({ id }) => id);
      for (const id of revoked) await directory.revokeToken(id, clock.nowMs());
      return { revoked };
    },
  };
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof StatusError && error.status.code === 404)) throw error;
}
