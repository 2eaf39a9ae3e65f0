import { liveSecrets } from "./live-secrets.ts";

// Each is linear: no two places where it may begin look at the same characters behind them.
const userinfo = /(?<=[a-z0-9+.-]:\/\/)[^\s/?#"'<>]*@/gi;
const secretParameter =
  /([?&;](?:[a-z0-9_-]*(?:password|passwd|secret|token|api[_-]?key|credential|signature)|pwd|auth|key|sig)=)[^&\s"'<>#]*/gi;
const authorization = /\b(authorization["']?\s*[:=]\s*["'[]{0,2}(?:basic|bearer)\s+)[^\s"',\]]+/gi;

/**
 * Takes credentials out of a text that a person may see: every secret that is in use (see {@link liveSecrets}),
 * `user:password@` of URLs, query parameters that are named like a secret, Authorization headers. Applied to every log line,
 * condition and error body. Takes time that is linear in the text.
 */
export function redact(text: string): string {
  return liveSecrets
    .mask(text)
    .replace(userinfo, "***@")
    .replace(secretParameter, "$1***")
    .replace(authorization, "$1***");
}

/** At the end of a text that was cut off, where the beginning of a secret may be left. */
const doubtfulChars = 64;

/**
 * The same for a text that was read up to a length, at which it may have been cut off: a secret that is cut off at its end is
 * not known as such, so that the end goes.
 */
export function redactBeginning(text: string, isCut: boolean, maxChars: number): string {
  const redacted = redact(text);
  return (isCut ? redacted.slice(0, -doubtfulChars) : redacted).slice(0, maxChars);
}
