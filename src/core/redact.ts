const userinfo = /([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>@]*@/gi;
const secretParameter =
  /([?&;](?:[a-z0-9_-]*(?:password|passwd|secret|token|api[_-]?key|credential|signature)|pwd|auth|key|sig)=)[^&\s"'<>#]*/gi;
const authorization =
  /\b((?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:basic|bearer)\s+)[^\s"',]+/gi;

/**
 * Takes credentials out of a text that a person may see: `user:password@` of URLs, query parameters that are named
 * like a secret, Authorization headers. Applied to every log line, condition and error body.
 */
export function redact(text: string): string {
  return text.replace(userinfo, "$1***@").replace(secretParameter, "$1***").replace(authorization, "$1***");
}
