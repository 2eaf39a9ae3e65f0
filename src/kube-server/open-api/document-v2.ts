import { defined } from "../../base/core/defined.ts";
import type { KindDefinition } from "../api/kind.ts";
import type { JsonObject } from "../api/object.ts";
import { apiParts } from "./api-parts.ts";
import type { SharedComponents } from "./components.ts";
import { type Operation, reasonOf } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import { printComponents, referenceTo, version2 } from "./print-schema.ts";

/** The single OpenAPI v2 document of a plane, for clients that do not support v3. */
export function openApiV2Document(
  title: string,
  kinds: readonly KindDefinition[],
  shared: SharedComponents,
): JsonObject {
  const parts = apiParts(kinds, shared);
  const paths = parts
    .flatMap((part) => part.paths)
    .map(({ path, parameters, operations }) => {
      const item: JsonObject = {
        parameters: parameters.map(printParameter),
        ...Object.fromEntries(operations.map((each) => [each.method, printOperation(each)])),
      };
      return [path, item] as const;
    });
  return {
    swagger: "2.0",
    info: { title, version: "v1" },
    paths: Object.fromEntries(paths),
    definitions: printComponents(
      parts.flatMap(({ components }) => components),
      version2,
    ),
  };
}

function printParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return defined({
    uniqueItems: true,
    type,
    description,
    name,
    in: place,
    required: place === "path" || undefined,
  });
}

function printOperation(operation: Operation): JsonObject {
  const { body, kind, produces } = operation;
  const bodyParameter =
    body &&
    defined({
      name: "body",
      in: "body",
      required: body.isRequired || undefined,
      schema: referenceTo(body.component, version2),
    });
  const responses = Object.entries(operation.responses).map(([code, component]) => {
    const described = { description: reasonOf(code) };
    if (component === undefined) return [code, described] as const;
    return [code, { ...described, schema: referenceTo(component, version2) }] as const;
  });
  return {
    description: operation.description,
    consumes: [...(body?.mediaTypes ?? ["application/json", "application/yaml"])],
    produces: [...produces],
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.id,
    parameters: [
      ...(bodyParameter === undefined ? [] : [bodyParameter]),
      ...operation.parameters.map(printParameter),
    ],
    responses: Object.fromEntries(responses),
    "x-kubernetes-action": operation.action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
  };
}
