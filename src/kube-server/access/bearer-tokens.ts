import { randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import type { RedisConnection } from "../../base/redis/connection.ts";
import { signingKeysKey } from "./access-keys.ts";
import type { Caller } from "./directory.ts";

/** A signing key of bearer tokens, as stored. */
interface SigningKey {
  readonly kid: string;
  readonly createdMs: number;
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
}

/** Short-lived bearer tokens: signed JWTs that every replica can verify locally. */
export interface BearerTokens {
  /** @returns the token, which is valid for {@link bearerLifetimeMs} */
  issue(caller: Caller, nowMs: number): Promise<string>;
  /** @returns undefined for a token that is foreign, tampered with or expired */
  verify(text: string, nowMs: number): Promise<VerifiedCaller | undefined>;
}

export interface VerifiedCaller extends Caller {
  readonly expiresMs: number;
}

export const bearerLifetimeMs = 3_600_000;
/** Keys rotate after this long; the old key stays for the lifetime of the tokens it has signed. */
const keyLifetimeMs = 24 * 3_600_000;
const algorithm = "ES256";
/** Verified tokens that are kept: checking a signature costs more than most requests. */
const maxVerified = 10_000;

/** @param issuer address-independent name in the tokens, so that other installations' tokens are rejected */
export function createBearerTokens(redis: RedisConnection, issuer: string): BearerTokens {
  let known = new Map<string, SigningKey>();
  /** By the token's text, the oldest first. */
  const verified = new Map<string, VerifiedCaller>();
  const keep = (text: string, caller: VerifiedCaller): void => {
    verified.set(text, caller);
    if (verified.size <= maxVerified) return;
    const [oldest = ""] = verified.keys();
    verified.delete(oldest);
  };

  /** Keep using the known keys until all new ones have been read: a read may fail or be slow. */
  const loadKeys = async (nowMs: number): Promise<void> => {
    const loaded = new Map<string, SigningKey>();
    for (const [kid, json] of Object.entries(await redis.hgetall(signingKeysKey))) {
      const key = JSON.parse(json) as SigningKey;
      if (nowMs - key.createdMs > keyLifetimeMs + 2 * bearerLifetimeMs) await redis.hdel(signingKeysKey, kid);
      else loaded.set(kid, key);
    }
    known = loaded;
  };
  const newest = (nowMs: number): SigningKey | undefined =>
    [...known.values()]
      .filter((key) => nowMs - key.createdMs < keyLifetimeMs)
      .sort((a, b) => b.createdMs - a.createdMs)[0];

  const signingKey = async (nowMs: number): Promise<SigningKey> => {
    const current = newest(nowMs);
    if (current !== undefined) return current;
    await loadKeys(nowMs);
    const stored = newest(nowMs);
    if (stored !== undefined) return stored;
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    const kid = randomBytes(8).toString("hex");
    const [privateJwk, publicJwk] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)]);
    const key: SigningKey = { kid, createdMs: nowMs, privateJwk, publicJwk };
    await redis.hset(signingKeysKey, kid, JSON.stringify(key));
    known.set(kid, key);
    return key;
  };

  return {
    async issue(caller, nowMs) {
      const key = await signingKey(nowMs);
      const issuedSeconds = Math.floor(nowMs / 1000);
      const expiresSeconds = issuedSeconds + bearerLifetimeMs / 1000;
      return await new SignJWT({ tid: caller.tokenId })
        .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(caller.user)
        .setIssuedAt(issuedSeconds)
        .setExpirationTime(expiresSeconds)
        .sign(await importJWK(key.privateJwk, algorithm));
    },
    async verify(text, nowMs) {
      const found = verified.get(text);
      if (found !== undefined && nowMs < found.expiresMs) return found;
      verified.delete(text);
      try {
        const { payload } = await jwtVerify(
          text,
          async ({ kid = "" }) => {
            // Another replica may have created a key unknown here; a forged kid costs one read.
            if (!known.has(kid)) await loadKeys(nowMs);
            const key = known.get(kid);
            if (key === undefined) throw new Error("unknown key");
            return await importJWK(key.publicJwk, algorithm);
          },
          { issuer, audience: issuer, algorithms: [algorithm], currentDate: new Date(nowMs) },
        );
        const { sub, tid, exp } = payload;
        if (typeof sub !== "string" || typeof tid !== "string" || exp === undefined) return undefined;
        const caller = { user: sub, tokenId: tid, expiresMs: exp * 1000 };
        keep(text, caller);
        return caller;
      } catch (error) {
        if (isRedisFault(error)) throw error;
        return undefined;
      }
    },
  };
}

/** A Redis failure must not look like an invalid token. */
function isRedisFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return !error.name.startsWith("JOSE") && !error.name.startsWith("JW") && error.message !== "unknown key";
}
