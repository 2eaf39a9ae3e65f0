import type { Json } from "../../../kube-server/api/object.ts";
import { integerField, type Schema, textField } from "../../../kube-server/api/schema.ts";

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
  return {
    type: "array",
    description,
    maxItems: 16,
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
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

const matchSchema: Schema = {
  type: "object",
  description: "What a request must have; all of it.",
  properties: {
    path: pathMatch,
    headers: namedList(
      {
        type: "object",
        required: ["name", "value"],
        properties: {
          type: matchType,
          name: headerName("Name of the header, in any case."),
          value: { ...textField("Value of the header."), minLength: 1, maxLength: 4096 },
        },
      },
      "Headers of the request.",
    ),
    queryParams: namedList(
      {
        type: "object",
        required: ["name", "value"],
        properties: {
          type: matchType,
          name: headerName("Name of the parameter."),
          value: { ...textField("Value of the parameter."), minLength: 1, maxLength: 1024 },
        },
      },
      "Query parameters of the request.",
    ),
    method: {
      type: "string",
      description: "Method of the request.",
      enum: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"],
    },
  },
};

/** Matches of a rule for every request. */
export function everything(): Json[] {
  return [{ path: { type: "PathPrefix", value: "/" } }];
}

export const matchesSchema: Schema = {
  type: "array",
  description: "A request has to match one of them.",
  default: everything(),
  maxItems: maxMatches,
  items: matchSchema,
  "x-kubernetes-list-type": "atomic",
};

const headerValues = (description: string) =>
  namedList(
    {
      type: "object",
      required: ["name", "value"],
      properties: {
        name: headerName("Name of the header, in any case."),
        value: { ...textField("Value of the header."), minLength: 1, maxLength: 4096 },
      },
    },
    description,
  );

const headerModifier = (description: string): Schema => ({
  type: "object",
  description,
  properties: {
    set: headerValues("Headers that replace those of the same name."),
    add: headerValues("Headers that are added to those of the same name."),
    remove: {
      type: "array",
      description: "Names of headers that are removed, in any case.",
      maxItems: 16,
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
    },
  },
});

const pathModifier = (description: string): Schema => ({
  type: "object",
  description,
  required: ["type"],
  properties: {
    type: {
      type: "string",
      description: "ReplaceFullPath: the whole path; ReplacePrefixMatch: the prefix that matched.",
      enum: ["ReplaceFullPath", "ReplacePrefixMatch"],
    },
    replaceFullPath: { ...textField("The new path."), maxLength: 1024 },
    replacePrefixMatch: { ...textField("What replaces the prefix that matched."), maxLength: 1024 },
  },
});

const hostname = (description: string): Schema => ({
  ...textField(description),
  minLength: 1,
  maxLength: 253,
  pattern: dnsNamePattern,
});

const textList = (description: string, maxItems: number, pattern: string, maxLength: number): Schema => ({
  type: "array",
  description,
  maxItems,
  items: { type: "string", minLength: 1, maxLength, pattern },
  "x-kubernetes-list-type": "set",
});

const crossOrigin: Schema = {
  type: "object",
  description:
    "Which pages of other origins may read the responses; the gateway responds to their preflights.",
  properties: {
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
};

const count = (description: string, minimum: number): Schema => ({
  ...integerField("int32", description),
  minimum,
});

/** Fields that name a backend. */
export const backendFields: Readonly<Record<string, Schema>> = {
  group: { ...textField("Group of the backend."), default: "" },
  kind: { ...textField("Kind of the backend."), default: "Service" },
  namespace: textField(
    "Namespace of the backend. Defaults to the route's; another one needs a ReferenceGrant there.",
  ),
  name: { ...textField("Name of the backend."), minLength: 1, maxLength: 253 },
  port: { ...integerField("int32", "Port of the backend."), minimum: 1, maximum: 65_535 },
};

const requestMirror: Schema = {
  type: "object",
  description:
    "Sends copies of the requests to an EndpointSlice, and drops their responses. HTTPRoutes only.",
  required: ["backendRef"],
  properties: {
    backendRef: {
      type: "object",
      description: "Where the copies go.",
      required: ["name"],
      properties: backendFields,
    },
    percent: { ...count("Of a hundred requests, how many are copied. Defaults to all.", 0), maximum: 100 },
    fraction: {
      type: "object",
      description: "Of how many requests how many are copied.",
      required: ["numerator"],
      properties: {
        numerator: count("Requests that are copied.", 0),
        denominator: { ...count("Of so many.", 1), default: 100 },
      },
    },
  },
};

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
    items: {
      type: "object",
      required: ["type"],
      properties: {
        type: { type: "string", description: "Type of the filter.", enum: Object.keys(filterFields) },
        requestHeaderModifier: headerModifier("Changes headers of the request."),
        responseHeaderModifier: headerModifier("Changes headers of the response."),
        requestRedirect: {
          type: "object",
          description: "Responds with a redirect.",
          properties: {
            scheme: {
              type: "string",
              description: "Scheme of the new address. Defaults to the request's.",
              enum: ["http", "https"],
            },
            hostname: hostname("Host of the new address. Defaults to the request's."),
            path: pathModifier("Path of the new address. Defaults to the request's."),
            port: {
              ...integerField("int32", "Port of the new address. Defaults to that of the scheme."),
              minimum: 1,
              maximum: 65_535,
            },
            statusCode: {
              ...integerField("int64", "Status of the response."),
              enum: [301, 302, 303, 307, 308],
              default: 302,
            },
          },
        },
        urlRewrite: {
          type: "object",
          description: "Changes what the backend is asked for.",
          properties: {
            hostname: hostname("Host that the backend gets."),
            path: pathModifier("Path that the backend gets."),
          },
        },
        cors: crossOrigin,
        requestMirror,
        extensionRef: opaqueObject("Not supported."),
      },
    },
  };
}

/** Name of a rule, unique within its route. */
export const ruleName: Schema = {
  ...textField("Name of the rule, unique within the route."),
  minLength: 1,
  maxLength: 253,
  pattern: dnsNamePattern,
};
