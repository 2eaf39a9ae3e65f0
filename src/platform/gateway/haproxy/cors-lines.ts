import type { CrossOrigin } from "../../routing/route-program.ts";
import { format, word } from "./quote.ts";

const origin = "req.fhdr(origin)";
/** Of several, one would be compared and another one be written into the response. */
const isOne = "{ req.fhdr_cnt(origin) eq 1 }";
const isAllowed = "{ var(txn.origin) -m found }";
/** Words of a line are few (64). */
const originsOfLine = 16;

/**
 * What a rule does with requests of pages of other origins: it responds to their preflights itself, and says
 * in other responses who may read them, whatever the backend says.
 *
 * @param chosen condition of the rule's requests
 */
export function corsLines(cors: CrossOrigin, index: number, chosen: string): string[] {
  const { methods, headers, exposed, hasCredentials, maxAgeSeconds } = cors;
  const name = `cors-${index}`;
  const isPreflight = `${chosen} { method OPTIONS } { req.hdr(access-control-request-method) -m found }`;
  // With credentials, `*` is no wildcard for a browser.
  const listed = (list: readonly string[], asked: string): string =>
    list.includes("*")
      ? hasCredentials
        ? word(`%[req.fhdr(${asked})]`)
        : word("*")
      : format(list.join(", "));
  const optional = (list: readonly string[], header: string, asked: string): string[] =>
    list.length === 0 ? [] : [`hdr ${header} ${listed(list, asked)}`];
  const set = (header: string, value: string): string =>
    `http-after-response set-header ${header} ${value} if ${chosen} ${isAllowed}`;
  const isAnyOrigin = cors.origins.includes("*") && !hasCredentials;
  const allowed = isAnyOrigin ? "str(*)" : origin;
  return [
    ...originLines(cors.origins, name),
    ...(cors.origins.length === 0
      ? []
      : [`http-request set-var(txn.origin) ${allowed} if ${chosen} ${name} ${isOne}`]),
    [
      "http-request return status 204",
      ...optional(methods, "Access-Control-Allow-Methods", "access-control-request-method"),
      ...optional(headers, "Access-Control-Allow-Headers", "access-control-request-headers"),
      `hdr Access-Control-Max-Age ${maxAgeSeconds}`,
      `if ${isPreflight} ${isAllowed}`,
    ].join(" "),
    `http-request return status 204 if ${isPreflight} { ${origin} -m found }`,
    `http-after-response del-header Access-Control-Allow-Origin if ${chosen}`,
    `http-after-response del-header Access-Control-Allow-Credentials if ${chosen}`,
    set("Access-Control-Allow-Origin", "%[var(txn.origin)]"),
    ...(hasCredentials ? [set("Access-Control-Allow-Credentials", "true")] : []),
    ...(exposed.length === 0 ? [] : [set("Access-Control-Expose-Headers", format(exposed.join(", ")))]),
    // A cache must not give one origin's response to another.
    ...(isAnyOrigin ? [] : [`http-after-response add-header Vary Origin if ${chosen}`]),
  ];
}

function originLines(origins: readonly string[], name: string): string[] {
  if (origins.includes("*")) return [`acl ${name} ${origin} -m found`];
  const whole = origins.filter((each) => !each.includes("*"));
  const lines: string[] = [];
  for (let at = 0; at < whole.length; at += originsOfLine) {
    const some = whole.slice(at, at + originsOfLine).map(word);
    lines.push(`acl ${name} ${origin} -m str -i -- ${some.join(" ")}`);
  }
  const patterns = origins.filter((each) => each.includes("*"));
  return [...lines, ...patterns.map((each) => `acl ${name} ${origin} -m reg -i -- ${word(patternOf(each))}`)];
}

function patternOf(pattern: string): string {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `^${escaped.replace("\\*", "[a-z0-9-]+([.][a-z0-9-]+)*")}$`;
}
