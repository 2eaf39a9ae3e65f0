import type { ProgramMatch } from "../../routing/route-program.ts";
import { fetchOf, word } from "./quote.ts";

/** Sets `txn.rule` to the first match's rule. A condition has named parts: a line has 64 words at most. */
export function matchLines(
  { path, method, headers, queryParams, listeners, host, exceptHosts = [], rule }: ProgramMatch,
  index: number,
): string[] {
  // Each part is a named condition; two of one name are alternatives.
  const parts: string[][] = [];
  if (path.type === "Exact") parts.push([`path -m str -- ${word(normalPath(path.value))}`]);
  // `/foo/` starts both `/foo/` and `/foo/bar` with a slash added: whole elements of the path.
  else if (path.value !== "/") parts.push([`path,concat(/) -m beg -- ${word(`${normalPath(path.value)}/`)}`]);
  if (method !== undefined) parts.push([`method ${method}`]);
  for (const { name, value } of headers) {
    parts.push([`${fetchOf("req.fhdr", name)} -m str -- ${word(value)}`]);
  }
  for (const { name, value } of queryParams) {
    // HAProxy decodes values, but finds a name only as it is written.
    const written = [...new Set([name, encodeURIComponent(name)])];
    parts.push(written.map((each) => `${fetchOf("url_param", each)},url_dec(1) -m str -- ${word(value)}`));
  }
  if (host !== undefined) parts.push([hostCondition(host)]);
  // HAProxy's `-m bool` ignores its pattern.
  if (listeners?.length === 1) parts.push([listeners[0] === "https" ? "ssl_fc" : "ssl_fc,not"]);
  const name = (part: number): string => `match-${index}-${part}`;
  const others = `others-${index}`;
  const condition = [
    "!{ var(txn.rule) -m found }",
    ...parts.map((_, part) => name(part)),
    ...(exceptHosts.length === 0 ? [] : [`!${others}`]),
  ].join(" ");
  return [
    ...exceptHosts.map((each) => `acl ${others} ${hostCondition(each)}`),
    ...parts.flatMap((alternatives, number) => alternatives.map((each) => `acl ${name(number)} ${each}`)),
    `http-request set-var(txn.rule) int(${rule}) if ${condition}`,
  ];
}

/** Whether a request is for a hostname, or for one that a wildcard covers. */
function hostCondition(host: string): string {
  const isWildcard = host.startsWith("*.");
  return `var(txn.host) -m ${isWildcard ? "end" : "str"} -- ${word(isWildcard ? host.slice(1) : host)}`;
}

/** As the gateway forwards paths: characters that need no escape have none, hexadecimal digits are large. */
export function normalPath(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
}
