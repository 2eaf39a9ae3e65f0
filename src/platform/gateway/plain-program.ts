import { isIP } from "node:net";
import type { ProgramMatch, ProgramRule, RouteProgram } from "../routing/route-program.ts";
import { targetKey } from "./backend-addresses.ts";
import { programFault } from "./haproxy/backend-section.ts";
import { normalPath } from "./haproxy/match-lines.ts";
import {
  coversPath,
  isPlainPath,
  isPlainText,
  type PlainBackend,
  type PlainEntry,
  type PlainRoute,
  pathKey,
  type SlotShape,
  slotShapes,
} from "./haproxy/plain-section.ts";
import { addressOf, type HeldProgram, type PlainPath } from "./held-program.ts";

/** Above these, a program has a section. */
const limits = { paths: 32, backends: 8 };

const everyPath = pathKey("PathPrefix", "/");

/**
 * The paths of a program of which all can be data: its requests are chosen by nothing but their path, and
 * forwarded as they are to a backend without TLS, under its name, or get a response of the gateway's own.
 * Undefined for any other.
 */
export function plainPaths(program: RouteProgram): readonly PlainPath[] | undefined {
  const { gateway, plane, matches, rules } = program;
  if (programFault(program) !== undefined) return undefined;
  if (![gateway, plane.uid, plane.organization].every(isPlainText)) return undefined;
  const paths = decidingPaths(matches);
  const chosen = paths?.map(({ rule }) => rules[rule]);
  if (chosen?.every((rule) => rule !== undefined && isPlainRule(rule)) !== true) return undefined;
  return backendCount(paths ?? [], rules) > limits.backends ? undefined : paths;
}

/** Of the matches, the paths of those that decide anything; whatever their order, the longest decides then. */
function decidingPaths(matches: readonly ProgramMatch[]): PlainPath[] | undefined {
  const [first] = matches;
  if (first === undefined) return [];
  if (matches.some(isEverything) && matches.every(({ rule }) => rule === first.rule))
    return [{ key: everyPath, rule: first.rule }];
  if (matches.length > limits.paths) return undefined;
  const paths: PlainPath[] = [];
  for (const match of matches) {
    const path = normalPath(match.path.value);
    if (!isPlainPath(path)) return undefined;
    const key = pathKey(match.path.type, path);
    // An earlier match has all of its requests.
    if (paths.some((earlier) => coversPath(earlier.key, key))) continue;
    if (!isOfPathOnly(match)) return undefined;
    paths.push({ key, rule: match.rule });
  }
  return paths;
}

function backendCount(paths: readonly PlainPath[], rules: readonly ProgramRule[]): number {
  // Most programs have one path.
  if (paths.length < 2) return paths.length;
  const actions = paths.map(({ rule }) => rules[rule]?.action);
  return new Set(actions.flatMap((each) => (each?.type === "forward" ? [targetKey(each.backend)] : []))).size;
}

function isEverything(match: ProgramMatch): boolean {
  return match.path.type === "PathPrefix" && match.path.value === "/" && isOfPathOnly(match);
}

function isOfPathOnly(match: ProgramMatch): boolean {
  const { method, headers, queryParams, listeners, host, exceptHosts } = match;
  const isEveryRequest = [listeners, host, exceptHosts].every((each) => each === undefined);
  return method === undefined && headers.length + queryParams.length === 0 && isEveryRequest;
}

function isPlainRule(rule: ProgramRule): boolean {
  const { requestHeaders, responseHeaders, rewriteHostname, rewritePath, timeoutMs, action } = rule;
  if (requestHeaders.length > 0 || responseHeaders.length > 0) return false;
  if ([rewritePath, rule.cors, rule.retry, rule.mirrors].some((each) => each !== undefined)) return false;
  if (rewriteHostname !== undefined && !isPlainText(rewriteHostname)) return false;
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 0)) return false;
  if (action.type === "respond") return action.status === 500 || action.status === 503;
  if (action.type !== "forward") return false;
  const { scheme, port } = action.backend;
  return scheme === "http" && Number.isInteger(port) && port > 0 && port < 65_536;
}

/** The route of a plain program with the addresses that its backends have now. */
export function plainRoute(held: HeldProgram): PlainRoute {
  const { gateway, plane, listeners, rules } = held.program;
  const paths = held.paths ?? [];
  const [first = "none", ...more] = new Set(listeners);
  const backends = new Map<string, PlainBackend>();
  const common = {
    gateway,
    project: plane.uid,
    organization: plane.organization,
    listeners: more.length > 0 ? "both" : first,
  } as const;
  const entryOf = ({ rule: index }: PlainPath): PlainEntry => {
    const rule = rules[index];
    const found = outcomeOf(held, index);
    if (typeof found !== "string") backends.set(found.key, found);
    const outcome =
      typeof found === "string" ? { action: found } : { action: "forward" as const, backend: found.key };
    return { ...common, ...outcome, hostname: rule?.rewriteHostname, timeoutMs: rule?.timeoutMs };
  };
  const [only, ...others] = paths;
  const isForAll = only?.key === everyPath && others.length === 0;
  const entry = isForAll ? entryOf(only) : ({ ...common, action: "404" } as const);
  const entries = isForAll ? [] : paths.map((path) => ({ key: path.key, entry: entryOf(path) }));
  const isMixed = backendCount(paths, rules) > 1;
  return { entry, paths: entries, backends: [...backends.values()], isMixed };
}

/** The slots that have room for a route. */
export function slotShape({ backends, isMixed }: PlainRoute): SlotShape {
  const count = backends.reduce((sum, { addresses }) => sum + addresses.length, 0);
  const shapes = slotShapes.filter((shape) => shape.isMixed === isMixed);
  const shape = shapes.find(({ width }) => width >= count) ?? shapes.at(-1);
  if (shape === undefined) throw new Error("there are no slots of this kind");
  return shape;
}

function outcomeOf(
  held: HeldProgram,
  index: number,
): PlainBackend | "blocked" | "unresolved" | "500" | "503" {
  const action = held.program.rules[index]?.action;
  if (action?.type === "respond") return action.status === 503 ? "503" : "500";
  if (action?.type !== "forward") return "500";
  const found = addressOf(held, index);
  if (found.kind === "blocked") return "blocked";
  if (found.kind !== "address" || !found.addresses.every(isAddress)) return "unresolved";
  const { backend } = action;
  return { key: targetKey(backend), addresses: found.addresses, port: backend.port };
}

/** Without a zone, whose text could be anything. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}
