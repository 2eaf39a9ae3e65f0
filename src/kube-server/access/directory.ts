import { randomUUID } from "node:crypto";
import type { RedisConnection } from "../../base/redis/connection.ts";
import { keyPrefix } from "../../base/redis/connection.ts";
import type { PlaneType, Role } from "../api/kind.ts";
import type { Plane } from "../api/plane.ts";
import { projectsKey } from "../store/keys.ts";
import type { ProjectRecord } from "../store/project-record.ts";
import { hashToken, isSameHash, newToken, tokenId } from "./token.ts";

/** A Personal Access Token, as stored. */
export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  readonly hash: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; absent while the token is valid. */
  readonly revokedAt?: string;
}

/** Identity behind a bearer token. */
export interface Caller {
  readonly user: string;
  /** Id of the Personal Access Token that was exchanged for the bearer token. */
  readonly tokenId: string;
}

export interface Member {
  readonly user: string;
  readonly role: Role;
}

/** A plane, and the caller's role in its organization. */
export interface PlaneAccess {
  readonly plane: Plane;
  readonly role: Role;
}

/** `changed`: a member that had the other role. */
export type AddMemberOutcome = "added" | "changed" | "already-member" | "no-organization";

/** Access data in Redis: users' tokens, organizations and their members, and each project's organization. */
export interface AccessDirectory {
  /** @returns undefined if the name is taken */
  createOrganization(name: string, nowMs: number): Promise<Plane | undefined>;
  listOrganizations(): Promise<Plane[]>;
  /** Adds a member, or gives one this role instead of the other. */
  addMember(organization: string, user: string, role: Role): Promise<AddMemberOutcome>;
  listMembers(organization: string): Promise<Member[]>;
  /** Creates a token; its text is not stored. */
  createToken(user: string, nowMs: number): Promise<{ readonly text: string; readonly record: TokenRecord }>;
  listTokens(): Promise<TokenRecord[]>;
  /** @returns false if there is no such valid token */
  revokeToken(id: string, nowMs: number): Promise<boolean>;
  /** The caller that a valid Personal Access Token belongs to. */
  callerOf(tokenText: string): Promise<Caller | undefined>;
  /**
   * Returns the plane if it exists, the caller's token is valid and the caller is a member of its
   * organization.
   */
  findPlane(type: PlaneType, name: string, caller: Caller): Promise<PlaneAccess | undefined>;
  /** Whether the caller's token is still valid. */
  isActive(caller: Caller): Promise<boolean>;
  /** The projects that have their names. */
  listProjects(): Promise<Plane[]>;
}

const prefix = `${keyPrefix}:platform-access`;
const organizationsKey = `${prefix}:organizations`;
const tokensKey = `${prefix}:tokens`;
const membersKey = (organization: string): string => `${prefix}:members:${organization}`;
/** The members with the role `provider`. */
const providersKey = (organization: string): string => `${prefix}:providers:${organization}`;

export function createAccessDirectory(redis: RedisConnection): AccessDirectory {
  const tokenRecord = async (id: string): Promise<TokenRecord | undefined> => {
    const json = await redis.hget(tokensKey, id);
    return json === null ? undefined : (JSON.parse(json) as TokenRecord);
  };
  const isActive = async (caller: Caller): Promise<boolean> => {
    const record = await tokenRecord(caller.tokenId);
    return record !== undefined && record.revokedAt === undefined && record.user === caller.user;
  };
  const lookUp = async (type: PlaneType, name: string): Promise<Plane | undefined> => {
    const json = await redis.hget(type === "organization" ? organizationsKey : projectsKey, name);
    if (json === null) return undefined;
    const record = JSON.parse(json) as Partial<ProjectRecord> & { readonly uid: string };
    return { type, name, uid: record.uid, organization: record.organization ?? name };
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
    async addMember(organization, user, role) {
      if ((await redis.hexists(organizationsKey, organization)) === 0) return "no-organization";
      const providers = providersKey(organization);
      // The role first: nobody is a member with more rights than were asked for.
      const changed = await (role === "provider" ? redis.sadd(providers, user) : redis.srem(providers, user));
      if ((await redis.sadd(membersKey(organization), user)) === 1) return "added";
      return changed === 1 ? "changed" : "already-member";
    },
    async listMembers(organization) {
      const [members, providers] = await Promise.all([
        redis.smembers(membersKey(organization)),
        redis.smembers(providersKey(organization)),
      ]);
      const areProviders = new Set(providers);
      return members.sort().map((user) => ({ user, role: areProviders.has(user) ? "provider" : "member" }));
    },
    async createToken(user, nowMs) {
      const { text, id, hash } = newToken();
      const record: TokenRecord = { id, user, hash, createdAt: new Date(nowMs).toISOString() };
      await redis.hset(tokensKey, id, JSON.stringify(record));
      return { text, record };
    },
    async listTokens() {
      const records = (await redis.hvals(tokensKey)).map((json) => JSON.parse(json) as TokenRecord);
      return records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
    async revokeToken(id, nowMs) {
      const record = await tokenRecord(id);
      if (record === undefined || record.revokedAt !== undefined) return false;
      const revoked: TokenRecord = { ...record, revokedAt: new Date(nowMs).toISOString() };
      await redis.hset(tokensKey, id, JSON.stringify(revoked));
      return true;
    },
    async callerOf(tokenText) {
      const id = tokenId(tokenText);
      const record = id === undefined ? undefined : await tokenRecord(id);
      if (record === undefined || record.revokedAt !== undefined) return undefined;
      if (!isSameHash(record.hash, hashToken(tokenText))) return undefined;
      return { user: record.user, tokenId: record.id };
    },
    async findPlane(type, name, caller) {
      const [plane, active] = await Promise.all([lookUp(type, name), isActive(caller)]);
      if (plane === undefined || !active) return undefined;
      const [isMember, isProvider] = await Promise.all([
        redis.sismember(membersKey(plane.organization), caller.user),
        redis.sismember(providersKey(plane.organization), caller.user),
      ]);
      if (isMember !== 1) return undefined;
      return { plane, role: isProvider === 1 ? "provider" : "member" };
    },
    isActive,
    async listProjects() {
      const all = Object.entries(await redis.hgetall(projectsKey));
      return all.map(([name, json]) => ({ type: "project", name, ...(JSON.parse(json) as ProjectRecord) }));
    },
  };
}
