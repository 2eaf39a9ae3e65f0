import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A Personal Access Token as given to the user: `tdp_<id>_<secret>`. Only its hash is stored. */
export interface NewToken {
  readonly text: string;
  readonly id: string;
  readonly hash: string;
}

const tokenPattern = /^tdp_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export function newToken(): NewToken {
  const id = randomBytes(8).toString("hex");
  const text = `tdp_${id}_${randomBytes(32).toString("base64url")}`;
  return { text, id, hash: hashToken(text) };
}

/** The id part of a token; undefined for malformed text. */
export function tokenId(text: string): string | undefined {
  return tokenPattern.exec(text)?.[1];
}

/** 256 random bits cannot be guessed from a hash, so a slow hash is not needed. */
export function hashToken(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares in constant time. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The credential of an `Authorization: Bearer ...` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(header ?? "")?.[1];
}
