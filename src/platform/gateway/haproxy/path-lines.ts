import type { PathChange, Redirect } from "../../routing/route-program.ts";
import { normalPath } from "./match-lines.ts";
import { literal, word } from "./quote.ts";

/** The new path as a log-format string, with the condition under which it is so. */
export type PathCase = readonly [path: string, condition: string];

export function pathCases(change: PathChange, chosen: string): PathCase[] {
  if (change.type === "full") return [[literal(change.path === "" ? "/" : change.path), chosen]];
  const prefix = normalPath(change.prefix).replace(/\/$/, "");
  const replacement = change.replacement.replace(/\/$/, "");
  // What follows the prefix is empty, or starts with a slash.
  const rest = prefix === "" ? "%[path]" : `%[path,bytes(${prefix.length})]`;
  if (replacement !== "" || prefix === "") return [[literal(replacement) + rest, chosen]];
  const isWhole = `{ path -m str -- ${word(prefix)} }`;
  return [
    [rest, `${chosen} !${isWhole}`],
    ["/", `${chosen} ${isWhole}`],
  ];
}

const portOf = { http: 80, https: 443 } as const;

export function redirectLines(
  { scheme, hostname, port, path, statusCode }: Redirect,
  chosen: string,
): string[] {
  // The port that the client used is kept only if nothing of the authority changes.
  const isAuthorityKept = scheme === undefined && hostname === undefined && port === undefined;
  const host = isAuthorityKept ? "%[req.fhdr(host)]" : (hostname ?? "%[var(txn.host)]");
  const schemes = (["http", "https"] as const).filter((each) => scheme === undefined || scheme === each);
  const paths: PathCase[] = path === undefined ? [["%[path]", chosen]] : pathCases(path, chosen);
  return schemes.flatMap((each) => {
    const shownPort = port === undefined || port === portOf[each] ? "" : `:${port}`;
    const listener = scheme !== undefined ? "" : each === "https" ? " { ssl_fc }" : " !{ ssl_fc }";
    return paths.map(([text, condition]) => {
      const location = word(`${each}://${host}${shownPort}${text}%[var(txn.query)]`);
      return `http-request redirect location ${location} code ${statusCode} if ${condition}${listener}`;
    });
  });
}
