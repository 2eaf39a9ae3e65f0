import type { Clock } from "../base/core/clock.ts";
import type { AccessDirectory, AddMemberOutcome, TokenRecord } from "./access/directory.ts";
import type { Role } from "./api/kind.ts";
import { nameFault } from "./api/metadata.ts";
import { establishPlane } from "./controllers/plane-content.ts";
import type { Resources } from "./resources/resources.ts";
import type { ObjectStore } from "./store/object-store.ts";
import type { Quota, Quotas, Usage } from "./store/usage.ts";

/** Usage and quotas of an organization and its projects. */
export interface OrganizationView {
  readonly name: string;
  readonly usage: Usage;
  readonly quota: Quota;
  readonly members: readonly string[];
  /** The members with the role `provider`. */
  readonly providers: readonly string[];
  readonly projects: readonly { readonly name: string; readonly usage: Usage }[];
  readonly projectQuota: Quota;
}

/**
 * Operations for the operator on the machine, bypassing the API: organizations, their members, users' tokens.
 */
export interface Administration {
  /** Creates an organization with its control plane; completes one that already exists. */
  createOrganization(name: string): Promise<"created" | "exists" | "invalid-name">;
  /** @returns undefined if there is no such organization */
  showOrganization(name: string): Promise<OrganizationView | undefined>;
  addMember(organization: string, user: string, role: Role): Promise<AddMemberOutcome>;
  /** @returns the token's text, which is not stored */
  createToken(user: string): Promise<string>;
  listTokens(): Promise<TokenRecord[]>;
  /** @returns false if there is no such token in use */
  revokeToken(id: string): Promise<boolean>;
}

export interface AdministrationOptions {
  readonly directory: AccessDirectory;
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly quotas: Quotas;
}

export function createAdministration(options: AdministrationOptions): Administration {
  const { directory, store, resources, clock, quotas } = options;
  return {
    async createOrganization(name) {
      if (nameFault(name, "label") !== undefined) return "invalid-name";
      const created = await directory.createOrganization(name, clock.nowMs());
      const plane = created ?? (await directory.listOrganizations()).find((each) => each.name === name);
      // Also for an existing organization: an interrupted command may have left it without its plane.
      if (plane !== undefined) await establishPlane(plane, store, resources);
      return created === undefined ? "exists" : "created";
    },
    async showOrganization(name) {
      const plane = (await directory.listOrganizations()).find((each) => each.name === name);
      if (plane === undefined) return undefined;
      const projects: { name: string; usage: Usage }[] = [];
      for (const project of await directory.listProjects()) {
        const usage = project.organization === name ? await store.usage(project) : undefined;
        if (usage !== undefined) projects.push({ name: project.name, usage });
      }
      const members = await directory.listMembers(name);
      // Also counts the organization's own plane if an older version wrote it.
      await store.usage(plane);
      return {
        name,
        usage: await store.organizationUsage(name),
        quota: quotas.organization,
        members: members.map(({ user }) => user),
        providers: members.filter(({ role }) => role === "provider").map(({ user }) => user),
        projects: projects.sort((a, b) => (a.name < b.name ? -1 : 1)),
        projectQuota: quotas.project,
      };
    },
    addMember: (organization, user, role) => directory.addMember(organization, user, role),
    createToken: async (user) => (await directory.createToken(user, clock.nowMs())).text,
    listTokens: () => directory.listTokens(),
    revokeToken: (id) => directory.revokeToken(id, clock.nowMs()),
  };
}
