import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type Json, type JsonObject, stringList } from "../../../kube-server/api/object.ts";
import { durationMs } from "../../kinds/gateway/http-route.ts";
import type {
  CrossOrigin,
  HeaderChanges,
  NameAndValue,
  PathChange,
  Redirect,
  Retry,
} from "../../routing/route-program.ts";

/** Parts of a program's rule, each made of a field or a filter of an HTTPRoute's rule. */

export function filterOf(filters: readonly JsonObject[], type: string): JsonObject | undefined {
  return filters.find((filter) => filter["type"] === type);
}

export function headerChanges(filters: readonly JsonObject[], field: string): HeaderChanges[] {
  return filters.flatMap((filter): HeaderChanges[] => {
    const changes = filter[field];
    if (changes === undefined) return [];
    return [
      {
        set: firstOfEach(fieldAt(changes, ["set"])),
        add: firstOfEach(fieldAt(changes, ["add"])),
        remove: stringList(fieldAt(changes, ["remove"])),
      },
    ];
  });
}

/** Of entries with an equal name, only the first counts (Gateway API, HTTPHeader.name). */
function firstOfEach(list: Json | undefined): NameAndValue[] {
  const found = new Map<string, NameAndValue>();
  for (const { name, value } of objectsIn(list)) {
    const key = String(name).toLowerCase();
    if (!found.has(key)) found.set(key, { name: String(name), value: String(value) });
  }
  return [...found.values()];
}

export function crossOriginOf(cors: Json): CrossOrigin {
  const listOf = (field: string): string[] => stringList(fieldAt(cors, [field]));
  return {
    origins: listOf("allowOrigins"),
    methods: listOf("allowMethods"),
    headers: listOf("allowHeaders"),
    exposed: listOf("exposeHeaders"),
    hasCredentials: fieldAt(cors, ["allowCredentials"]) === true,
    maxAgeSeconds: Number(fieldAt(cors, ["maxAge"]) ?? 5),
  };
}

export function pathChange(modifier: Json | undefined, rule: JsonObject): PathChange | undefined {
  switch (fieldAt(modifier, ["type"])) {
    case "ReplaceFullPath":
      return { type: "full", path: String(fieldAt(modifier, ["replaceFullPath"])) };
    case "ReplacePrefixMatch": {
      const matched = fieldAt(rule, ["matches", 0, "path", "value"]) ?? "/";
      const prefix = String(matched).replace(/(?<=.)\/$/, "");
      return { type: "prefix", prefix, replacement: String(fieldAt(modifier, ["replacePrefixMatch"])) };
    }
    default:
      return undefined;
  }
}

export function redirectOf(redirect: Json, rule: JsonObject): Redirect {
  const [scheme, hostname] = [fieldAt(redirect, ["scheme"]), fieldAt(redirect, ["hostname"])];
  const port = fieldAt(redirect, ["port"]);
  const path = pathChange(fieldAt(redirect, ["path"]), rule);
  return {
    ...(scheme === "http" || scheme === "https" ? { scheme } : {}),
    ...(typeof hostname === "string" ? { hostname } : {}),
    ...(typeof port === "number" ? { port } : {}),
    ...(path === undefined ? {} : { path }),
    statusCode: Number(fieldAt(redirect, ["statusCode"]) ?? 302),
  };
}

/** The shortest of some limits; 0 if there is none on purpose (Gateway API, HTTPRouteTimeouts). */
export function timeoutOf(timeouts: Json | undefined, names: readonly string[]): number | undefined {
  const given = names.flatMap((name) => durationMs(fieldAt(timeouts, [name])) ?? []);
  if (given.length === 0) return undefined;
  const limits = given.filter((ms) => ms > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/** Without `attempts`, there is one (Gateway API, HTTPRouteRetry). */
export function retryOf({ retry, timeouts }: JsonObject): Retry | undefined {
  if (retry === undefined) return undefined;
  const timeoutMs = timeoutOf(timeouts, ["request", "backendRequest"]);
  const codes = fieldAt(retry, ["codes"]);
  return {
    attempts: Number(fieldAt(retry, ["attempts"]) ?? 1),
    codes: Array.isArray(codes) ? codes.map(Number) : [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
