import type { RedisConnection } from "../base/redis/connection.ts";
import type { Plane } from "../kube-server/api/plane.ts";
import type { BackupRecord } from "../kube-server/backup/backup-record.ts";
import { bareKey } from "../kube-server/backup/moment.ts";
import type { Adopted, HashField, OwnRecords } from "../kube-server/backup/own-records.ts";
import { createNumberClaims, sharedClaimsKey } from "../kube-server/store/number-claims.ts";
import { ipv4Pool, ipv6Pool } from "./controllers/networking/block-allocation.ts";
import {
  createHostnameClaims,
  heldHostnamesKey,
  hostnameCountsKey,
  hostnamesKey,
  parseClaim,
} from "./routing/hostname-claims.ts";

const pools = [ipv4Pool, ipv6Pool];
const hostnames = bareKey(hostnamesKey);

/**
 * What a backup has of the platform, beside what every API server has: hostnames, and the ranges of
 * addresses. Programs of gateways are not among it: the controllers make them of the objects again.
 */
export const platformRecords: OwnRecords = {
  hashes: [hostnamesKey, ...pools.map(sharedClaimsKey)],
  derived({ hashes }) {
    const records: BackupRecord[] = [];
    const counts = new Map<string, number>();
    for (const [hostname, text] of Object.entries(hashes.get(hostnames) ?? {})) {
      const { project = "", gateway = "" } = parseClaim(text) ?? {};
      records.push(["member", bareKey(heldHostnamesKey(gateway)), hostname]);
      counts.set(project, (counts.get(project) ?? 0) + 1);
    }
    const key = bareKey(hostnameCountsKey);
    for (const [project, count] of counts) records.push(["hash", key, project, String(count)]);
    return records;
  },
  isOf({ uid }, { key, value }) {
    return key === hostnames && value.startsWith(`${uid} `);
  },
  async adopt(redis, project, field, nowMs) {
    if (field.key === hostnames) return await adoptHostname(redis, field, nowMs);
    return await adoptRange(redis, project, field);
  },
};

/** Annotations that providers write into objects of others. */
export function providerAnnotations(groupDomain: string): readonly string[] {
  return [`compute.${groupDomain}/provider`, `compute.${groupDomain}/provider-claim`];
}

async function adoptHostname(
  redis: RedisConnection,
  { field, value }: HashField,
  nowMs: number,
): Promise<Adopted> {
  const claims = createHostnameClaims(redis);
  const claim = parseClaim(value);
  const outcome = claim === undefined ? "taken" : await claims.claim(field, claim, nowMs);
  if (claim === undefined || outcome !== "held") {
    return { kind: "missing", message: `the hostname ${field}: another project has it now` };
  }
  await claims.note(field, claim);
  return { kind: "adopted", undo: () => claims.release(claim.gateway, [field]) };
}

/** A subnet keeps its range, which no other project may have. @param field an owner, with its number */
async function adoptRange(
  redis: RedisConnection,
  project: Plane,
  { field: owner, value }: HashField,
): Promise<Adopted> {
  const claims = createNumberClaims(redis);
  const [pool = "", number] = value.split(" ");
  const range = [Number(number), Number(number)] as const;
  const claimed = pools.includes(pool) ? await claims.claimShared(pool, owner, [range]) : undefined;
  if (claimed === Number(number)) {
    return { kind: "adopted", undo: () => claims.releaseShared(pool, owner) };
  }
  const message = `a range of addresses of the project ${project.name} belongs to another project now: restore it into a platform of its own (an empty redis.url), or export it (telemetryd backup export) and apply it as a new project`;
  return { kind: "refused", message };
}
