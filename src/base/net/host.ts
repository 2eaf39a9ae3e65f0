import type { IncomingMessage } from "node:http";

/** A host as sockets take it: URLs have IPv6 addresses in brackets (RFC 3986, section 3.2.2). */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** Of HTTP/2, each request is a stream of its own, and the connection is nobody's to close. */
export function isHttp2({ httpVersionMajor }: Pick<IncomingMessage, "httpVersionMajor">): boolean {
  return httpVersionMajor === 2;
}

type Heads = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

/** Whether a request names exactly one host (RFC 9112, section 3.2). HTTP/1.0 need not name any. */
export function namesOneHost({ rawHeaders, httpVersion }: Heads): boolean {
  if (httpVersion === "2.0") return namesOneAuthority(rawHeaders);
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** HTTP/2 names the host in `:authority`, and may repeat it, but not contradict itself (RFC 9113, section 8.3.1). */
function namesOneAuthority(rawHeaders: readonly string[]): boolean {
  const isName = (text: string, index: number): boolean =>
    index % 2 === 0 && (text === "host" || text === ":authority");
  const hosts = rawHeaders.filter((_, index) => isName(rawHeaders[index - 1] ?? "", index - 1));
  return new Set(hosts).size === 1;
}
