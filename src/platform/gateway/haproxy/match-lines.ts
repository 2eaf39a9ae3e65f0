import type { ProgramMatch } from "../../routing/route-program.ts";
import { fetchOf, word } from "./quote.ts";

/**
 * Sets `txn.rule` to the rule of the first match that a request has. What the matches compare is read from
 * the request once: read again by each of them, a long query would cost the gateway tens of milliseconds.
 */
export function matchingLines(matches: readonly ProgramMatch[]): string[] {
  const read = new Samples();
  const lines = matches.flatMap((match, index) => matchLines(match, index, read));
  return [...read.lines, ...lines];
}

/** Variables with what matches compare, by the expression that reads it. */
class Samples {
  readonly lines: string[] = [];
  readonly #variables = new Map<string, string>();

  /** A prefix and a slash begin this if the path has the prefix's elements. */
  prefixes(): string {
    return this.#variable("path,concat(/)");
  }

  /** Of a header that a request has several times, nothing: a backend could take another one of them. */
  header(name: string): string {
    return this.#variable(fetchOf("req.fhdr", name), ` if { ${fetchOf("req.fhdr_cnt", name)} eq 1 }`);
  }

  /** HAProxy decodes values, but finds a name only as it is written. */
  queryParam(written: string): string {
    return this.#variable(`${fetchOf("url_param", written)},url_dec(1)`);
  }

  #variable(expression: string, condition = ""): string {
    const known = this.#variables.get(expression);
    if (known !== undefined) return known;
    const variable = `txn.sample_${this.#variables.size}`;
    this.#variables.set(expression, `var(${variable})`);
    this.lines.push(`http-request set-var(${variable}) ${expression}${condition}`);
    return `var(${variable})`;
  }
}

/** A condition has named parts: a line has 64 words at most. */
function matchLines(
  { path, method, headers, queryParams, listeners, host, exceptHosts = [], rule }: ProgramMatch,
  index: number,
  read: Samples,
): string[] {
  // Each part is a named condition; two of one name are alternatives.
  const parts: string[][] = [];
  if (path.type === "Exact") parts.push([`path -m str -- ${word(normalPath(path.value))}`]);
  // `/foo/` starts both `/foo/` and `/foo/bar` with a slash added: whole elements of the path.
  else if (path.value !== "/")
    parts.push([`${read.prefixes()} -m beg -- ${word(`${normalPath(path.value)}/`)}`]);
  if (method !== undefined) parts.push([`method ${method}`]);
  for (const { name, value } of headers) {
    parts.push([`${read.header(name)} -m str -- ${word(value)}`]);
  }
  for (const { name, value } of queryParams) {
    const written = [...new Set([name, encodeURIComponent(name)])];
    parts.push(written.map((each) => `${read.queryParam(each)} -m str -- ${word(value)}`));
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
