/** A host as sockets take it: URLs have IPv6 addresses in brackets (RFC 3986, section 3.2.2). */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
