import { randomUUID } from "node:crypto";
import { defined } from "../../base/core/defined.ts";
import type { RedisConnection } from "../../base/redis/connection.ts";
import type { PlaneType } from "../api/kind.ts";
import type { Plane } from "../api/plane.ts";
import { leastRole, type Role, roles } from "../api/roles.ts";
import { projectsKey, usageKey } from "../store/keys.ts";
import type { ProjectRecord } from "../store/project-record.ts";
import {
  membersKey,
  organizationsKey,
  providersKey,
  revisionKey,
  rolesKey,
  tokensKey,
  usesKey,
} from "./access-keys.ts";
import { hashToken, isSameHash, newToken, tokenId } from "./token.ts";

/** A Personal Access Token, as stored. */
export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  /** Distinguishes the tokens of a user that are in use; absent in tokens of earlier versions. */
  readonly name?: string | undefined;
  readonly hash: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; absent: never. */
  readonly expiresAt?: string | undefined;
  /** What the token is good for at most; absent: whatever the user may do. */
  readonly scope?: TokenScope | undefined;
  /** RFC 3339; absent while the token is valid. */
  readonly revokedAt?: string;
}

export interface UsedToken extends TokenRecord {
  /** RFC 3339, to the minute; absent: never used. */
  readonly lastUsedAt?: string | undefined;
}

export interface TokenScope {
  readonly organization?: string | undefined;
  /** The only project; the organization's own plane is then out of reach. */
  readonly project?: string | undefined;
  /** The most that the token may do, whatever the member's role. */
  readonly role?: Role | undefined;
}

/** A token that is wanted. */
export interface WantedToken extends Pick<TokenRecord, "user" | "name" | "expiresAt" | "scope"> {
  readonly nowMs: number;
}

/** Identity behind a bearer token. */
export interface Caller {
  readonly user: string;
  /** Id of the Personal Access Token that was exchanged for the bearer token. */
  readonly tokenId: string;
}

export interface Member {
  readonly user: string;
  /** In the organization's plane, and in projects without a role of their own; absent: only those. */
  readonly role?: Role;
  /** Roles in projects, which replace {@link role} there. */
  readonly projects: readonly { readonly name: string; readonly role: Role }[];
}

/** A plane, and the caller's role in it. */
export interface PlaneAccess {
  readonly plane: Plane;
  readonly role: Role;
}

/** `changed`: a member that had another role. */
export type AddMemberOutcome = "added" | "changed" | "already-member" | "no-organization" | "no-project";
export type RemoveMemberOutcome = "removed" | "no-member" | "no-organization" | "no-project";

/** Access data in Redis: users' tokens, organizations and their members, and each project's organization. */
export interface AccessDirectory {
  /** @returns undefined if the name is taken */
  createOrganization(name: string, nowMs: number): Promise<Plane | undefined>;
  listOrganizations(): Promise<Plane[]>;
  /**
   * Removes an organization's record, members and counts, after its planes.
   *
   * @returns false if there is no such organization
   */
  removeOrganization(name: string): Promise<boolean>;
  /** Adds a member of an organization or of one of its projects, or replaces a member's role there. */
  addMember(organization: string, user: string, role: Role, project?: string): Promise<AddMemberOutcome>;
  /** Removes a member from an organization with all of its projects, or the member's role in one project. */
  removeMember(organization: string, user: string, project?: string): Promise<RemoveMemberOutcome>;
  /**
   * Makes members without a role admins, or providers: earlier versions had no other roles.
   *
   * @returns the number of members that had none
   */
  assignRoles(): Promise<number>;
  /** Differs after each change of members, roles and tokens. */
  revision(): Promise<string>;
  listMembers(organization: string): Promise<Member[]>;
  /** Creates a token; its text is not stored. */
  createToken(
    wanted: WantedToken,
  ): Promise<{ readonly text: string; readonly record: TokenRecord } | "name-taken">;
  listTokens(): Promise<UsedToken[]>;
  /** @returns false if there is no such valid token */
  revokeToken(id: string, nowMs: number): Promise<boolean>;
  /** The caller that a valid Personal Access Token belongs to. */
  callerOf(tokenText: string, nowMs: number): Promise<Caller | undefined>;
  /**
   * Returns the plane if it exists, the caller's token is valid and reaches it, and the caller is a member.
   * Notes once a minute that the token is used.
   */
  findPlane(type: PlaneType, name: string, caller: Caller, nowMs: number): Promise<PlaneAccess | undefined>;
  /** Whether the caller's token is still valid. */
  isActive(caller: Caller, nowMs: number): Promise<boolean>;
  /** The projects that have their names. */
  listProjects(): Promise<Plane[]>;
}

/** At most this often, the use of a token is written. */
const noteEveryMs = 60_000;
const maxNoted = 10_000;

/** Whether a token is neither revoked nor expired. */
export function isValid({ revokedAt, expiresAt }: TokenRecord, nowMs: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || nowMs < Date.parse(expiresAt));
}

/** Whether a token reaches a plane. */
function reaches({ organization, project }: TokenScope, plane: Plane): boolean {
  if (organization !== undefined && organization !== plane.organization) return false;
  return project === undefined || (plane.type === "project" && plane.name === project);
}

const isRole = (text: string | null | undefined): text is Role => roles.some((role) => role === text);
const knownRole = (text: string): Role | undefined => (isRole(text) ? text : undefined);

export function createAccessDirectory(redis: RedisConnection): AccessDirectory {
  const tokenRecord = async (id: string): Promise<TokenRecord | undefined> => {
    const json = await redis.hget(tokensKey, id);
    return json === null ? undefined : (JSON.parse(json) as TokenRecord);
  };
  /** The caller's token, if it is valid. */
  const activeToken = async (caller: Caller, nowMs: number): Promise<TokenRecord | undefined> => {
    const record = await tokenRecord(caller.tokenId);
    if (record === undefined || record.user !== caller.user) return undefined;
    return isValid(record, nowMs) ? record : undefined;
  };
  /** When this process last wrote a token's use, by id. */
  const noted = new Map<string, number>();
  const noteUse = (id: string, nowMs: number): void => {
    if (nowMs - (noted.get(id) ?? 0) < noteEveryMs) return;
    if (noted.size >= maxNoted) noted.clear();
    noted.set(id, nowMs);
    // Nobody waits for it, and a request does not fail for it.
    redis.hset(usesKey, id, new Date(nowMs).toISOString()).catch(() => noted.delete(id));
  };
  const lookUp = async (type: PlaneType, name: string): Promise<Plane | undefined> => {
    const json = await redis.hget(type === "organization" ? organizationsKey : projectsKey, name);
    if (json === null) return undefined;
    const record = JSON.parse(json) as Partial<ProjectRecord> & { readonly uid: string };
    return { type, name, uid: record.uid, organization: record.organization ?? name };
  };

  /** The project of an organization, by its name. */
  const projectOf = async (organization: string, name: string): Promise<Plane | undefined> => {
    const plane = await lookUp("project", name);
    return plane?.organization === organization ? plane : undefined;
  };
  const roleOf = async (plane: Plane, user: string): Promise<Role | undefined> => {
    const { organization } = plane;
    const [[inOrganization, inProject], isMember, isProvider] = await Promise.all([
      redis.hmget(rolesKey(organization), user, `${plane.uid}/${user}`),
      redis.sismember(membersKey(organization), user),
      redis.sismember(providersKey(organization), user),
    ]);
    // A role that only a newer version knows gives no rights here.
    if (plane.type === "project" && typeof inProject === "string") return knownRole(inProject);
    if (isMember !== 1) return undefined;
    if (typeof inOrganization === "string") return knownRole(inOrganization);
    return isProvider === 1 ? "provider" : "admin";
  };

  return {
    async createOrganization(name, nowMs) {
      const uid = randomUUID();
      const record = JSON.stringify({ uid, createdAt: new Date(nowMs).toISOString() });
      if ((await redis.hsetnx(organizationsKey, name, record)) === 0) return undefined;
      return { type: "organization", name, uid, organization: name };
    },
    async listOrganizations() {
      const all = Object.entries(await redis.hgetall(organizationsKey));
      return all.map(([name, json]) => {
        const { uid } = JSON.parse(json) as { uid: string };
        return { type: "organization", name, uid, organization: name };
      });
    },
    async removeOrganization(name) {
      const keys = [membersKey(name), providersKey(name), rolesKey(name), usageKey(name)];
      const [[, removed] = []] =
        (await redis.multi().hdel(organizationsKey, name).del(keys).incr(revisionKey).exec()) ?? [];
      return removed === 1;
    },
    async addMember(organization, user, role, project) {
      if ((await redis.hexists(organizationsKey, organization)) === 0) return "no-organization";
      const plane = project === undefined ? undefined : await projectOf(organization, project);
      if (project !== undefined && plane === undefined) return "no-project";
      const field = plane === undefined ? user : `${plane.uid}/${user}`;
      const before = await redis.hget(rolesKey(organization), field);
      const isMember = (await redis.sismember(membersKey(organization), user)) === 1;
      // At once: nobody has more rights than were asked for, not even for a moment.
      const change = redis.multi().hset(rolesKey(organization), field, role).incr(revisionKey);
      if (plane === undefined) {
        change[role === "provider" ? "sadd" : "srem"](providersKey(organization), user);
        change.sadd(membersKey(organization), user);
      }
      const wasProvider = await redis.sismember(providersKey(organization), user);
      await change.exec();
      if (plane === undefined && !isMember) return "added";
      const old = before ?? (plane === undefined ? (wasProvider === 1 ? "provider" : "admin") : undefined);
      if (old === undefined) return "added";
      return old === role ? "already-member" : "changed";
    },
    async removeMember(organization, user, project) {
      if ((await redis.hexists(organizationsKey, organization)) === 0) return "no-organization";
      const plane = project === undefined ? undefined : await projectOf(organization, project);
      if (project !== undefined && plane === undefined) return "no-project";
      const all = await redis.hkeys(rolesKey(organization));
      const fields =
        plane === undefined
          ? all.filter((field) => field === user || field.endsWith(`/${user}`))
          : all.filter((field) => field === `${plane.uid}/${user}`);
      const wasMember = plane === undefined && (await redis.sismember(membersKey(organization), user)) === 1;
      if (!wasMember && fields.length === 0) return "no-member";
      const change = redis.multi().incr(revisionKey);
      if (fields.length > 0) change.hdel(rolesKey(organization), ...fields);
      if (plane === undefined)
        change.srem(membersKey(organization), user).srem(providersKey(organization), user);
      await change.exec();
      return "removed";
    },
    async assignRoles() {
      let count = 0;
      for (const organization of Object.keys(await redis.hgetall(organizationsKey))) {
        const [members, providers] = await Promise.all([
          redis.smembers(membersKey(organization)),
          redis.smembers(providersKey(organization)),
        ]);
        for (const user of members) {
          const role: Role = providers.includes(user) ? "provider" : "admin";
          count += await redis.hsetnx(rolesKey(organization), user, role);
        }
      }
      return count;
    },
    async revision() {
      return (await redis.get(revisionKey)) ?? "0";
    },
    async listMembers(organization) {
      const [users, providers, stored, projects] = await Promise.all([
        redis.smembers(membersKey(organization)),
        redis.smembers(providersKey(organization)),
        redis.hgetall(rolesKey(organization)),
        redis.hgetall(projectsKey),
      ]);
      const nameOf = new Map(
        Object.entries(projects).map(([name, json]) => [(JSON.parse(json) as ProjectRecord).uid, name]),
      );
      const members = new Map<string, { user: string; role?: Role; projects: Member["projects"] }>();
      for (const user of users) {
        const role = stored[user] ?? (providers.includes(user) ? "provider" : "admin");
        members.set(user, { user, projects: [], ...(isRole(role) && { role }) });
      }
      for (const [field, role] of Object.entries(stored)) {
        const [uid = "", user] = field.split("/");
        const name = nameOf.get(uid);
        // Roles in projects that are gone are worth nothing.
        if (user === undefined || name === undefined || !isRole(role)) continue;
        const member = members.get(user) ?? { user, projects: [] };
        members.set(user, { ...member, projects: [...member.projects, { name, role }] });
      }
      return [...members.values()].sort((a, b) => (a.user < b.user ? -1 : 1));
    },
    async createToken({ user, name, expiresAt, scope, nowMs }) {
      const { text, id, hash } = newToken();
      const createdAt = new Date(nowMs).toISOString();
      const record: TokenRecord = defined({ id, user, name, hash, createdAt, expiresAt, scope });
      const isTaken = (other: TokenRecord) =>
        name !== undefined && other.user === user && other.name === name && isValid(other, nowMs);
      const all = (await redis.hvals(tokensKey)).map((json) => JSON.parse(json) as TokenRecord);
      if (all.some(isTaken)) return "name-taken";
      await redis.hset(tokensKey, id, JSON.stringify(record));
      return { text, record };
    },
    async listTokens() {
      const [all, uses] = await Promise.all([redis.hvals(tokensKey), redis.hgetall(usesKey)]);
      const records = all.map((json): UsedToken => {
        const record = JSON.parse(json) as TokenRecord;
        return defined({ ...record, lastUsedAt: uses[record.id] });
      });
      return records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
    async revokeToken(id, nowMs) {
      const record = await tokenRecord(id);
      if (record === undefined || record.revokedAt !== undefined) return false;
      const revoked: TokenRecord = { ...record, revokedAt: new Date(nowMs).toISOString() };
      await redis.multi().hset(tokensKey, id, JSON.stringify(revoked)).incr(revisionKey).exec();
      return true;
    },
    async callerOf(tokenText, nowMs) {
      const id = tokenId(tokenText);
      const record = id === undefined ? undefined : await tokenRecord(id);
      if (record === undefined || !isValid(record, nowMs)) return undefined;
      if (!isSameHash(record.hash, hashToken(tokenText))) return undefined;
      noteUse(record.id, nowMs);
      return { user: record.user, tokenId: record.id };
    },
    async findPlane(type, name, caller, nowMs) {
      const [plane, token] = await Promise.all([lookUp(type, name), activeToken(caller, nowMs)]);
      if (plane === undefined || token === undefined) return undefined;
      if (token.scope !== undefined && !reaches(token.scope, plane)) return undefined;
      const member = await roleOf(plane, caller.user);
      const role = member && leastRole(member, token.scope?.role);
      if (role !== undefined) noteUse(token.id, nowMs);
      return role && { plane, role };
    },
    isActive: async (caller, nowMs) => (await activeToken(caller, nowMs)) !== undefined,
    async listProjects() {
      const all = Object.entries(await redis.hgetall(projectsKey));
      return all.map(([name, json]) => ({ type: "project", name, ...(JSON.parse(json) as ProjectRecord) }));
    },
  };
}
