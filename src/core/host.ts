/** A host as sockets take it: URLs have IPv6 addresses in brackets (RFC 3986, section 3.2.2). */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/**
 * Whether a request has more than one Host, which makes two servers on its way take it for two different ones (RFC 9112,
 * section 3.2). Node's `headers` hold the first only.
 *
 * @param rawHeaders names and values in turns
 */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) return true;
  }
  return false;
}
