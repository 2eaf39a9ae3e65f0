import type { KindDefinition } from "../api/kind.ts";
import { isJsonObject } from "../api/object.ts";
import { objectField } from "../api/schema.ts";
import { invalidValue } from "../api/validate.ts";
import { dataCount, decodedBytes, validateDataKeys, validateImmutable, validateSize } from "./secret.ts";

/** core/v1 ConfigMap. */
export const configMapKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  categories: [],
  namespaced: true,
  planes: ["organization", "project"],
  nameRule: "subdomain",
  builtIn: true,
  statusSubresource: false,
  schema: objectField("ConfigMap holds configuration data.", [], {
    data: {
      type: "object",
      description: "Text by key.",
      additionalProperties: { type: "string", default: "" },
    },
    binaryData: {
      type: "object",
      description: "Bytes by key, base64-encoded. A key is in data or here, not in both.",
      additionalProperties: { type: "string", format: "byte", default: "" },
    },
    immutable: { type: "boolean", description: "When true, the data cannot be changed." },
  }),
  columns: [
    {
      name: "Data",
      type: "string",
      description: "How many values it holds.",
      priority: 0,
      value: (map) => dataCount(map),
    },
  ],
  selectableFields: {},
  validate(map, old) {
    const data = isJsonObject(map["data"]) ? map["data"] : {};
    const binary = isJsonObject(map["binaryData"]) ? map["binaryData"] : {};
    const errors = [...validateDataKeys(data, "data"), ...validateDataKeys(binary, "binaryData")];
    let bytes = 0;
    for (const value of Object.values(data)) bytes += Buffer.byteLength(String(value));
    for (const value of Object.values(binary)) bytes += decodedBytes(value);
    // Kubernetes' name of the whole object.
    errors.push(...validateSize(bytes, "[]"));
    for (const key of Object.keys(binary)) {
      if (Object.hasOwn(data, key)) {
        errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
      }
    }
    errors.push(...validateImmutable(map, old, ["data", "binaryData"]));
    return errors;
  },
};
