import { defined } from "../../base/core/defined.ts";
import { version } from "../../base/core/version.ts";
import { type Operation, operations, type ResponseSpec } from "./operations.ts";
import { headerSchemas, schemas } from "./schemas.ts";

/** The OpenAPI 3.1 document, generated from the same tables as the routes. */
export function openApiDocument(): Record<string, unknown> {
  return {
    openapi: "3.1.0",
    info: {
      title: "Website API: roadmap backlog status",
      version: "v1",
      description: `The small public API of the roadmap. Every response that is not 2xx or 304 is application/problem+json (RFC 9457), also those that no operation lists, such as 404, 405 or 400. Served by telemetryd ${version}.`,
    },
    paths: Object.fromEntries(
      Object.values(operations).map((operation: Operation) => [operation.path, { get: describe(operation) }]),
    ),
    components: { schemas, headers: headerSchemas },
  };
}

function describe(operation: Operation): Record<string, unknown> {
  const { operationId, summary, description, deprecated, responses } = operation;
  return defined({
    operationId,
    summary,
    description,
    deprecated: deprecated === true ? true : undefined,
    security: [],
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(response)]),
    ),
  });
}

function describeResponse(response: ResponseSpec): Record<string, unknown> {
  const { description, headers, contentType, schema } = response;
  const content =
    contentType === undefined
      ? {}
      : {
          content: {
            [contentType]: schema === undefined ? {} : { schema: { $ref: `#/components/schemas/${schema}` } },
          },
        };
  return {
    description,
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...content,
  };
}
