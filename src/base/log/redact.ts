import { liveSecrets } from "./live-secrets.ts";

// Each pattern is linear: no two possible starts scan the same characters.
const userinfo = /(?<=[a-z0-9+.-]:\/\/)[^\s/?#"'<>]*@/gi;
const secretParameter =
  /([?&;](?:[a-z0-9_-]*(?:password|passwd|secret|token|api[_-]?key|credential|signature)|pwd|auth|key|sig)=)[^&\s"'<>#]*/gi;
const authorization = /\b(authorization["']?\s*[:=]\s*["'[]{0,2}(?:basic|bearer)\s+)[^\s"',\]]+/gi;

/**
 * Masks credentials in a text before a person may see it: every secret in use (see {@link liveSecrets}),
 * `user:password@` of URLs, query parameters with secret names, Authorization headers. Applied to every log
 * line, condition and error body. Takes linear time.
 */
export function redact(text: string): string {
  return liveSecrets
    .mask(text)
    .replace(userinfo, "***@")
    .replace(secretParameter, "$1***")
    .replace(authorization, "$1***");
}

/** The end of a truncated text, which may hold the beginning of a secret. */
const doubtfulChars = 64;

/** Redacts a text that may be truncated: a secret cut off at the end is not recognizable, so the end goes. */
export function redactBeginning(text: string, isCut: boolean, maxChars: number): string {
  const redacted = redact(text);
  return (isCut ? redacted.slice(0, -doubtfulChars) : redacted).slice(0, maxChars);
}
