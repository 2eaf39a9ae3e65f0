/** JSON Schemas (2020-12, as in OpenAPI 3.1) of the bodies; the OpenAPI document contains exactly these. */

export const schemas = {
  BacklogCacheStatus: {
    type: "object",
    description: "The status of the cache that holds the public roadmap backlog.",
    required: ["updatedAt", "isRefreshing"],
    additionalProperties: false,
    properties: {
      updatedAt: {
        type: ["integer", "null"],
        description:
          "Unix epoch time in milliseconds of the last successful backlog refresh. null when the cache has never been populated.",
      },
      isRefreshing: {
        type: "boolean",
        description: "true while a background refresh from the code-hosting service is in flight.",
      },
    },
  },
  Problem: {
    type: "object",
    description: "RFC 9457 problem details, the body of every error.",
    required: ["type", "title", "status"],
    properties: {
      type: {
        type: "string",
        format: "uri-reference",
        description: "Identifies the problem type; about:blank means no more than the status code.",
      },
      title: { type: "string", description: "Short human-readable summary of the problem type." },
      status: { type: "integer", description: "HTTP status code of this occurrence." },
      detail: { type: "string", description: "Human-readable explanation of this occurrence." },
      instance: {
        type: "string",
        format: "uri-reference",
        description: "Identifies this occurrence.",
      },
    },
  },
  Backlog: {
    type: "object",
    description: "The public roadmap backlog. An addition to the published contract.",
    required: ["statuses", "items"],
    additionalProperties: false,
    properties: {
      statuses: {
        type: "array",
        items: { type: "string" },
        description: "The statuses that are shown, in their order.",
      },
      items: {
        type: "array",
        description: "By the order of the statuses, then by number.",
        items: { $ref: "#/components/schemas/BacklogItem" },
      },
    },
  },
  BacklogItem: {
    type: "object",
    required: ["number", "title", "url", "labels", "status"],
    additionalProperties: false,
    properties: {
      number: { type: "integer" },
      title: { type: "string" },
      url: { type: "string", format: "uri" },
      labels: {
        type: "array",
        items: {
          type: "object",
          required: ["name", "color"],
          additionalProperties: false,
          properties: {
            name: { type: "string" },
            color: { type: ["string", "null"], description: "Six hexadecimal digits." },
          },
        },
      },
      status: { type: "string" },
    },
  },
} as const;

/** Every header that an operation may declare. */
export const headerSchemas = {
  "RateLimit-Limit": { description: "Requests allowed per window.", schema: { type: "integer" } },
  "RateLimit-Remaining": {
    description: "Requests remaining in the current window.",
    schema: { type: "integer" },
  },
  "RateLimit-Reset": {
    description: "Seconds until the current window resets.",
    schema: { type: "integer" },
  },
  "Retry-After": { description: "Seconds to wait before the next request.", schema: { type: "integer" } },
  "API-Version": {
    description: "Version that served the response. Non-normative.",
    schema: { type: "string" },
  },
  Deprecation: {
    description: "When the path was deprecated: @ and a Unix timestamp (RFC 9745).",
    schema: { type: "string" },
  },
  Link: {
    description: 'The versioned replacement, with rel="successor-version" (RFC 5829).',
    schema: { type: "string" },
  },
  ETag: { description: "Identifies this state of the backlog.", schema: { type: "string" } },
} as const;

export type SchemaName = keyof typeof schemas;
export type HeaderName = keyof typeof headerSchemas;
