/**
 * As in the Kubernetes API server: if the warnings exceed this many characters in total, each is truncated;
 * once the truncated ones exceed it, the rest are dropped.
 */
const maxTotalLength = 4 * 1024;
const maxCutLength = 256;

/** Total size of all `Warning` headers: many clients reject a response whose head exceeds 16 KiB. */
const maxHeaderBytes = 8 * 1024;
const lineOverhead = 'Warning: 299 - ""\r\n'.length;

/** Values of the `Warning` headers (RFC 7234, section 5.5), without duplicates; kubectl prints them. */
export function warningHeaders(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)];
  const total = distinct.reduce((length, text) => length + text.length, 0);
  const shown = total <= maxTotalLength ? distinct : distinct.map((text) => text.slice(0, maxCutLength));
  const headers: string[] = [];
  let length = 0;
  let bytes = 0;
  for (const text of shown) {
    const quoted = JSON.stringify(text).replace(/[^\x20-\x7e]/g, "?");
    length += text.length;
    bytes += quoted.length + lineOverhead;
    if (length > maxTotalLength || bytes > maxHeaderBytes) break;
    headers.push(`299 - ${quoted}`);
  }
  return headers;
}
