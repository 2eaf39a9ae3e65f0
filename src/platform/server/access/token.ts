import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A Personal Access Token, as a user holds it: `tdp_<id>_<secret>`. Only the hash of it is kept. */
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

/** The id within a token, or undefined for a text that cannot be one. */
export function tokenId(text: string): string | undefined {
  return tokenPattern.exec(text)?.[1];
}

/** 256 random bits need no slow hash: they cannot be guessed from it. */
export function hashToken(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The credential of an `Authorization: Bearer ...` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(header ?? "")?.[1];
}
