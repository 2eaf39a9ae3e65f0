import { defined } from "../../base/core/defined.ts";
import type { KindDefinition } from "../api/kind.ts";
import type { JsonObject } from "../api/object.ts";
import { type ApiPart, apiParts } from "./api-parts.ts";
import type { SharedComponents } from "./components.ts";
import { type ApiPath, type Operation, reasonOf } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import { printComponents, referenceTo, version3 } from "./print-schema.ts";

/** The OpenAPI v3 document of each group version in a plane, keyed by the group version's path (`api/v1`). */
export function openApiV3Documents(
  title: string,
  kinds: readonly KindDefinition[],
  shared: SharedComponents,
): Map<string, JsonObject> {
  const byGroupVersion = new Map<string, ApiPart[]>();
  for (const part of apiParts(kinds, shared)) {
    byGroupVersion.set(part.groupVersion, [...(byGroupVersion.get(part.groupVersion) ?? []), part]);
  }
  return new Map(
    [...byGroupVersion].map(([groupVersion, parts]) => {
      const paths = parts.flatMap((part) => part.paths);
      const components = parts.flatMap((part) => part.components);
      const document = {
        openapi: "3.0.0",
        info: { title, version: groupVersion },
        paths: Object.fromEntries(paths.map((each) => [each.path, pathItem(each)])),
        components: { schemas: printComponents(components, version3) },
      };
      return [groupVersion, document];
    }),
  );
}

function pathItem({ parameters, operations }: ApiPath): JsonObject {
  return {
    parameters: parameters.map(printParameter),
    ...Object.fromEntries(operations.map((each) => [each.method, printOperation(each)])),
  };
}

function printParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return defined({
    name,
    in: place,
    description,
    required: place === "path" || undefined,
    schema: { type, uniqueItems: true },
  });
}

function printOperation(operation: Operation): JsonObject {
  const { body, kind, produces } = operation;
  const content = (mediaTypes: readonly string[], schema: JsonObject): JsonObject =>
    Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
  const responses = Object.entries(operation.responses).map(([code, component]) => {
    const described = { description: reasonOf(code) };
    if (component === undefined) return [code, described] as const;
    return [code, { ...described, content: content(produces, referenceTo(component, version3)) }] as const;
  });
  const requestBody =
    body &&
    defined({
      content: content(body.mediaTypes, referenceTo(body.component, version3)),
      required: body.isRequired || undefined,
    });
  return defined({
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    parameters: operation.parameters.map(printParameter),
    requestBody,
    responses: Object.fromEntries(responses),
    "x-kubernetes-action": operation.action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
  });
}
