import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../src/kube-server/api/object.ts";
import type { ExpectedResponse, FidelityCase, FidelityRequest } from "./case.ts";

export interface ApiResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined for a body that is not JSON. */
  readonly json: unknown;
  readonly text: string;
}

/** @param writer `manager operation` @returns the paths of its fields, sorted */
function managedPaths(object: unknown, writer: string): string[] {
  const entries = fieldAt(object, "metadata.managedFields");
  const entry = (Array.isArray(entries) ? entries : []).find(
    ({ manager, operation }) => `${manager} ${operation}` === writer,
  );
  return pathsOf(entry?.fieldsV1 ?? {}, "").sort();
}

function pathsOf(set: Readonly<Record<string, object>>, prefix: string): string[] {
  return Object.entries(set).flatMap(([element, node]) => {
    if (element === ".") return [];
    const path = prefix + stepOf(element, prefix);
    const inner = pathsOf(node as Record<string, object>, path);
    return Object.keys(node).length === 0 || "." in node ? [path, ...inner] : inner;
  });
}

function stepOf(element: string, prefix: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `${prefix === "" ? "" : "."}${text}`;
  if (element.startsWith("v:")) return `[=${JSON.parse(text)}]`;
  const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return `[${keys.map(([name, value]) => `${name}=${value}`).join()}]`;
}

/** Sends a request to a control plane, or to a whole API server. */
export type SendRequest = (request: FidelityRequest) => Promise<ApiResponse>;

/**
 * Runs a case.
 * @param id makes its names unique
 * @returns the differences between the response and the expected one
 */
export async function replay(
  { before = [], request }: FidelityCase,
  expected: ExpectedResponse,
  send: SendRequest,
  id: string,
): Promise<string[]> {
  for (const each of before) {
    const { code, text } = await send(named(each, id));
    if (code >= 300) return [`before: ${each.method} ${each.path}: ${code} ${text.slice(0, 500)}`];
  }
  return differences(await send(named(request, id)), named(expected, id));
}

function named<T>(value: T, id: string): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === "string") return part.replaceAll("$name", id);
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== "object" || part === null || part instanceof RegExp) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, replace(member)]));
  };
  return replace(value) as T;
}

function differences(response: ApiResponse, expected: ExpectedResponse): string[] {
  const { code, reason, fields = {}, headers = {}, managers = {}, text } = expected;
  const found: string[] = [];
  const compare = (what: string, actual: unknown, wanted: Json | RegExp | undefined): void => {
    const isSame = wanted instanceof RegExp ? wanted.test(String(actual)) : isDeepStrictEqual(actual, wanted);
    if (!isSame) found.push(`${what}: ${print(actual)} instead of ${print(wanted)}`);
  };
  compare("code", response.code, code);
  if (reason !== undefined) compare("reason", fieldAt(response.json, "reason"), reason);
  for (const [path, wanted] of Object.entries(fields)) compare(path, fieldAt(response.json, path), wanted);
  for (const [name, wanted] of Object.entries(headers)) compare(name, response.headers[name], wanted);
  for (const [name, wanted] of Object.entries(managers)) {
    compare(`fields of ${name}`, managedPaths(response.json, name), [...wanted].sort());
  }
  if (text !== undefined) compare("text", response.text, text);
  if (found.length > 0) found.push(`response: ${response.text.slice(0, 1_000)}`);
  return found;
}

function print(value: unknown): string {
  return value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? "nothing");
}

/** `spec.sinks[0].name`; a quoted name is a JSON string: `components.schemas["a.b"].type`. */
function fieldAt(value: unknown, path: string): unknown {
  let found = value;
  for (const [, index, quoted, name] of path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]"]+)/g)) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string, unknown>)[
      quoted === undefined ? (index ?? name ?? "") : JSON.parse(quoted)
    ];
  }
  return found;
}
