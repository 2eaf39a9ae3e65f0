/** Checks of request headers that users give: each returns the problem and what is expected, or undefined. */

const hopByHop = [
  "connection",
  "host",
  "content-length",
  "transfer-encoding",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "expect",
];
const credentials = ["authorization", "proxy-authorization", "cookie"];
const ofRemoteWrite = [
  "user-agent",
  "x-prometheus-remote-write-version",
  "retry-attempt",
  "x-amz-content-sha256",
  "x-amz-date",
  "x-amz-security-token",
];

/** For headers of requests to the metrics store. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "is not a header name (RFC 9110, section 5.1)";
  if (credentials.includes(name.toLowerCase())) {
    return "must not be set here; a credential is given by basicAuth or bearerTokenFile";
  }
  if (hopByHop.includes(name.toLowerCase())) return "must not be set; telemetryd sets it";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(value))
    return "has a value with a character that no header may hold";
  return undefined;
}

const ofReading = [...ofRemoteWrite, "accept", "accept-encoding", "x-prometheus-remote-read-version"];

/** For the header that names the store's tenant. */
export function tenantHeaderProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if ([...credentials, ...hopByHop, ...ofReading].includes(lower) || lower.startsWith("content-")) {
    return "must not be a header that has another meaning";
  }
  return headerProblem(name, "");
}

/** Those that no remote-write request takes from users, beside `content-…`; in lower case. */
export const reservedHeaders: readonly string[] = [...ofRemoteWrite, ...credentials, ...hopByHop];

/** For headers of remote-write requests. */
export function remoteWriteHeaderProblem(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (ofRemoteWrite.includes(lower) || /^content-(?!length$)/.test(lower)) {
    return "must not be set; remote write reserves it";
  }
  if (credentials.includes(lower)) {
    return "must not be set here; a credential is given by the policy's authentication or bearerTokenFile";
  }
  return headerProblem(name, value);
}
