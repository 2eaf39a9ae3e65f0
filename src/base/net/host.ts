import type { IncomingMessage } from "node:http";

/** A URL's host in the form sockets expect: URLs bracket IPv6 addresses (RFC 3986, section 3.2.2). */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** In HTTP/2, each request is a stream of its own; no request may close the connection. */
export function isHttp2({ httpVersionMajor }: Pick<IncomingMessage, "httpVersionMajor">): boolean {
  return httpVersionMajor === 2;
}

type Heads = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

/** Whether a request names exactly one host (RFC 9112, section 3.2). Optional in HTTP/1.0. */
export function namesOneHost({ rawHeaders, httpVersion }: Heads): boolean {
  if (httpVersion === "2.0") return namesOneAuthority(rawHeaders);
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** HTTP/2: `:authority` and an optional, equal `host` (RFC 9113, section 8.3.1). */
function namesOneAuthority(rawHeaders: readonly string[]): boolean {
  const isName = (text: string, index: number): boolean =>
    index % 2 === 0 && (text === "host" || text === ":authority");
  const hosts = rawHeaders.filter((_, index) => isName(rawHeaders[index - 1] ?? "", index - 1));
  return new Set(hosts).size === 1;
}
