import type { Json } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  choiceField,
  integerField,
  listItem,
  mapList,
  objectField,
  type Schema,
  setList,
  textField,
} from "../../../kube-server/api/schema.ts";

/**
 * Fields of a route's rules: matches, filters and timeouts, as HTTPRoute and HTTPProxy have them. Source: the
 * Gateway API, gateway.networking.k8s.io/v1.
 */

export const maxRules = 16;
export const maxMatches = 64;
export const maxFilters = 16;

/** A DNS name in lower case (RFC 1123). */
export const dnsNamePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const headerNamePattern = "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$";

/** A field that is accepted in any form, and refused or ignored afterwards. */
export const opaqueObject = (description: string): Schema => ({
  type: "object",
  description,
  "x-kubernetes-preserve-unknown-fields": true,
});

const headerName = (description: string): Schema => ({
  ...textField(description),
  minLength: 1,
  maxLength: 256,
  pattern: headerNamePattern,
});

/** A list of at most 16 items, each identified by its name. */
function namedList(items: Schema, description: string): Schema {
  return mapList(["name"], items, description, { maxItems: 16 });
}

const matchType: Schema = {
  type: "string",
  description: "How the value is compared. Only Exact is supported.",
  enum: ["Exact", "RegularExpression"],
  default: "Exact",
};

const pathMatch: Schema = {
  type: "object",
  description: "The request's path. By default, every path matches.",
  default: { type: "PathPrefix", value: "/" },
  properties: {
    type: {
      type: "string",
      description: "Exact, or PathPrefix: by whole elements of the path.",
      enum: ["Exact", "PathPrefix", "RegularExpression"],
      default: "PathPrefix",
    },
    value: { ...textField("The path, or its beginning."), maxLength: 1024, default: "/" },
  },
};

const matchSchema: Schema = objectField("What a request must have; all of it.", [], {
  path: pathMatch,
  headers: namedList(
    listItem(["name", "value"], {
      type: matchType,
      name: headerName("Name of the header, in any case."),
      value: { ...textField("Value of the header."), minLength: 1, maxLength: 4096 },
    }),
    "Headers of the request.",
  ),
  queryParams: namedList(
    listItem(["name", "value"], {
      type: matchType,
      name: headerName("Name of the parameter."),
      value: { ...textField("Value of the parameter."), minLength: 1, maxLength: 1024 },
    }),
    "Query parameters of the request.",
  ),
  method: choiceField("Method of the request.", [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
  ]),
});

/** Matches of a rule for every request. */
export function everything(): Json[] {
  return [{ path: { type: "PathPrefix", value: "/" } }];
}

export const matchesSchema: Schema = atomicList(matchSchema, "A request has to match one of them.", {
  default: everything(),
  maxItems: maxMatches,
});

const headerValues = (description: string) =>
  namedList(
    listItem(["name", "value"], {
      name: headerName("Name of the header, in any case."),
      value: { ...textField("Value of the header."), minLength: 1, maxLength: 4096 },
    }),
    description,
  );

const headerModifier = (description: string): Schema =>
  objectField(description, [], {
    set: headerValues("Headers that replace those of the same name."),
    add: headerValues("Headers that are added to those of the same name."),
    remove: setList({ type: "string" }, "Names of headers that are removed, in any case.", { maxItems: 16 }),
  });

const pathModifier = (description: string): Schema =>
  objectField(description, ["type"], {
    type: choiceField("ReplaceFullPath: the whole path; ReplacePrefixMatch: the prefix that matched.", [
      "ReplaceFullPath",
      "ReplacePrefixMatch",
    ]),
    replaceFullPath: { ...textField("The new path."), maxLength: 1024 },
    replacePrefixMatch: { ...textField("What replaces the prefix that matched."), maxLength: 1024 },
  });

const hostname = (description: string): Schema => ({
  ...textField(description),
  minLength: 1,
  maxLength: 253,
  pattern: dnsNamePattern,
});

const textList = (description: string, maxItems: number, pattern: string, maxLength: number): Schema =>
  setList({ type: "string", minLength: 1, maxLength, pattern }, description, { maxItems });

const crossOrigin: Schema = objectField(
  "Which pages of other origins may read the responses; the gateway responds to their preflights.",
  [],
  {
    allowOrigins: textList(
      "Origins, such as https://a.example or https://*.example; `*` alone for every one.",
      64,
      "^(\\*|https?://(\\*\\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]{1,5})?)$",
      253,
    ),
    allowCredentials: { type: "boolean", description: "Whether requests may have credentials." },
    allowMethods: textList(
      "Methods besides GET, HEAD and POST; `*` alone for every one.",
      9,
      "^(\\*|GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH)$",
      8,
    ),
    allowHeaders: textList("Headers of requests; `*` alone for every one.", 64, headerNamePattern, 256),
    exposeHeaders: textList("Headers of responses that pages may read.", 64, headerNamePattern, 256),
    maxAge: {
      ...integerField("int32", "Seconds for which a browser keeps the response to a preflight."),
      minimum: 1,
      default: 5,
    },
  },
);

const count = (description: string, minimum: number): Schema => ({
  ...integerField("int32", description),
  minimum,
});

/** Schema of a port. */
export const portField = (description: string): Schema => ({ ...count(description, 1), maximum: 65_535 });

/** Fields that name a backend. */
export const backendFields: Readonly<Record<string, Schema>> = {
  group: { ...textField("Group of the backend."), default: "" },
  kind: { ...textField("Kind of the backend."), default: "Service" },
  namespace: textField(
    "Namespace of the backend. Defaults to the route's; another one needs a ReferenceGrant there.",
  ),
  name: { ...textField("Name of the backend."), minLength: 1, maxLength: 253 },
  port: portField("Port of the backend."),
};

const requestMirror: Schema = objectField(
  "Sends copies of the requests to an EndpointSlice, and drops their responses. HTTPRoutes only.",
  ["backendRef"],
  {
    backendRef: objectField("Where the copies go.", ["name"], backendFields),
    percent: { ...count("Of a hundred requests, how many are copied. Defaults to all.", 0), maximum: 100 },
    fraction: objectField("Of how many requests how many are copied.", ["numerator"], {
      numerator: count("Requests that are copied.", 0),
      denominator: { ...count("Of so many.", 1), default: 100 },
    }),
  },
);

/** Types of filters, each with the field that has its settings. */
export const filterFields = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
  ExtensionRef: "extensionRef",
} as const;

export type FilterType = keyof typeof filterFields;

export function filtersSchema(description: string): Schema {
  return {
    type: "array",
    description,
    maxItems: maxFilters,
    "x-kubernetes-list-type": "atomic",
    items: listItem(["type"], {
      type: choiceField("Type of the filter.", Object.keys(filterFields)),
      requestHeaderModifier: headerModifier("Changes headers of the request."),
      responseHeaderModifier: headerModifier("Changes headers of the response."),
      requestRedirect: objectField("Responds with a redirect.", [], {
        scheme: choiceField("Scheme of the new address. Defaults to the request's.", ["http", "https"]),
        hostname: hostname("Host of the new address. Defaults to the request's."),
        path: pathModifier("Path of the new address. Defaults to the request's."),
        port: portField("Port of the new address. Defaults to that of the scheme."),
        statusCode: {
          ...integerField("int64", "Status of the response."),
          enum: [301, 302, 303, 307, 308],
          default: 302,
        },
      }),
      urlRewrite: objectField("Changes what the backend is asked for.", [], {
        hostname: hostname("Host that the backend gets."),
        path: pathModifier("Path that the backend gets."),
      }),
      cors: crossOrigin,
      requestMirror,
      extensionRef: opaqueObject("Not supported."),
    }),
  };
}

/** Name of a rule, unique within its route. */
export const ruleName: Schema = {
  ...textField("Name of the rule, unique within the route."),
  minLength: 1,
  maxLength: 253,
  pattern: dnsNamePattern,
};
