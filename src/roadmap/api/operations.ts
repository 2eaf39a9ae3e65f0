import type { HeaderName, SchemaName } from "./schemas.ts";

/** One possible response of an operation. */
export interface ResponseSpec {
  readonly description: string;
  readonly headers: readonly HeaderName[];
  /** Absent for a response without a body. */
  readonly contentType?: string;
  /** Absent for content without a JSON Schema. */
  readonly schema?: SchemaName;
}

/** One operation, both as served and as documented: routes and OpenAPI document are generated from these. */
export interface Operation {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

const versioned: readonly HeaderName[] = ["API-Version"];
const limited: readonly HeaderName[] = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  ...versioned,
];

const tooManyRequests: ResponseSpec = {
  description: "Rate limit exceeded.",
  headers: [...limited, "Retry-After"],
  contentType: "application/problem+json",
  schema: "Problem",
};
const unexpected: ResponseSpec = {
  description: "Unexpected server-side failure.",
  headers: limited,
  contentType: "application/problem+json",
  schema: "Problem",
};

function statusOperation(
  path: string,
  operationId: string,
  summary: string,
  extra: readonly HeaderName[],
): Operation {
  return {
    path,
    operationId,
    summary,
    responses: {
      200: {
        description: "The status of the backlog cache.",
        headers: [...limited, ...extra],
        contentType: "application/json",
        schema: "BacklogCacheStatus",
      },
      429: tooManyRequests,
      500: unexpected,
    },
  };
}

export const operations = {
  status: statusOperation(
    "/api/v1/roadmap/backlog-meta",
    "getRoadmapBacklogMeta",
    "Status of the roadmap backlog cache",
    [],
  ),
  legacyStatus: {
    ...statusOperation(
      "/api/roadmap/backlog-meta",
      "getRoadmapBacklogMetaLegacy",
      "Status of the roadmap backlog cache (deprecated alias)",
      ["Deprecation", "Link"],
    ),
    description: "The same resource as /api/v1/roadmap/backlog-meta. Stays live indefinitely.",
    deprecated: true,
  },
  backlog: {
    path: "/api/v1/roadmap/backlog",
    operationId: "getRoadmapBacklog",
    summary: "The roadmap backlog",
    description: "An addition to the published contract. Shares the rate limit of the status operations.",
    responses: {
      200: {
        description: "The backlog.",
        headers: [...limited, "ETag"],
        contentType: "application/json",
        schema: "Backlog",
      },
      304: {
        description: "The backlog is still the one that If-None-Match names.",
        headers: [...limited, "ETag"],
      },
      429: tooManyRequests,
      500: unexpected,
      503: {
        description: "The backlog has not been read yet.",
        headers: [...limited, "Retry-After"],
        contentType: "application/problem+json",
        schema: "Problem",
      },
    },
  },
  openapi: {
    path: "/api/v1/openapi.json",
    operationId: "getOpenApi",
    summary: "This document",
    description: "An addition to the published contract.",
    responses: {
      200: {
        description: "The OpenAPI 3.1 description of this API.",
        headers: versioned,
        contentType: "application/json",
      },
    },
  },
  page: {
    path: "/roadmap",
    operationId: "getRoadmapPage",
    summary: "The roadmap page",
    description:
      "An addition to the published contract. Works without script; with it, it follows the backlog.",
    responses: {
      200: { description: "The page.", headers: versioned, contentType: "text/html; charset=utf-8" },
    },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Webhooks are no operation of the public API: their client is the code-hosting service alone. */
export type RouteName = OperationName | "webhook";
