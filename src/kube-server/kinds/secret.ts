import type { KindDefinition } from "../api/kind.ts";
import { isJsonObject, type KubeObject } from "../api/object.ts";
import { objectField } from "../api/schema.ts";
import type { FieldError } from "../api/status.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../api/validate.ts";

/** Total data of a Secret or ConfigMap: 1 MiB, as in Kubernetes. */
const maxDataBytes = 2 ** 20;
const dataKey = /^[-._a-zA-Z0-9]{1,253}$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Keys of the registries' credentials, by Secret type: documents of JSON. */
const credentialKeys: Readonly<Record<string, string>> = {
  "kubernetes.io/dockercfg": ".dockercfg",
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
};
const tokenType = "kubernetes.io/service-account-token";
const accountAnnotation = "kubernetes.io/service-account.name";

/** Required keys by Secret type. */
const requiredKeys: Readonly<Record<string, (keys: ReadonlySet<string>) => string[]>> = {
  "kubernetes.io/basic-auth": (keys) => (keys.has("username") || keys.has("password") ? [] : ["username"]),
  "kubernetes.io/ssh-auth": (keys) => ["ssh-privatekey"].filter((key) => !keys.has(key)),
  "kubernetes.io/tls": (keys) => ["tls.crt", "tls.key"].filter((key) => !keys.has(key)),
};

/** core/v1 Secret. */
export const secretKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  shortNames: [],
  categories: [],
  namespaced: true,
  planes: ["organization", "project"],
  nameRule: "subdomain",
  builtIn: true,
  confidential: true,
  statusSubresource: false,
  schema: objectField("Secret holds secret data of a certain type.", [], {
    type: { type: "string", description: "Says what the data is for.", default: "Opaque" },
    data: {
      type: "object",
      description: "The secret data, each value base64-encoded.",
      additionalProperties: { type: "string", format: "byte", default: "" },
    },
    stringData: {
      type: "object",
      description: "Secret data in plain text; written into data and never shown.",
      additionalProperties: { type: "string", default: "" },
    },
    immutable: { type: "boolean", description: "When true, the data cannot be changed." },
  }),
  columns: [
    {
      name: "Type",
      type: "string",
      description: "What the data is for.",
      priority: 0,
      value: (secret) => String(secret["type"] ?? ""),
    },
    {
      name: "Data",
      type: "string",
      description: "How many values it holds.",
      priority: 0,
      value: (secret) => dataCount(secret),
    },
  ],
  selectableFields: { type: (secret) => String(secret["type"] ?? "") },
  prepare(secret) {
    const plain = secret["stringData"];
    delete secret["stringData"];
    if (!isJsonObject(plain)) return;
    const data = isJsonObject(secret["data"]) ? secret["data"] : {};
    for (const [key, value] of Object.entries(plain)) {
      data[key] = Buffer.from(String(value), "utf8").toString("base64");
    }
    secret["data"] = data;
  },
  validate(secret, old) {
    const data = isJsonObject(secret["data"]) ? secret["data"] : {};
    const errors = validateDataKeys(data, "data");
    const bytes = Object.values(data).reduce<number>((sum, each) => sum + decodedBytes(each), 0);
    errors.push(...validateSize(bytes, "data"));
    for (const [key, value] of Object.entries(data)) {
      if (typeof value === "string" && !base64.test(value)) {
        errors.push(invalidValue(`data[${key}]`, "", "must be base64-encoded"));
      }
    }
    const missing = requiredKeys[String(secret["type"])]?.(new Set(Object.keys(data))) ?? [];
    errors.push(...missing.map((key) => requiredValue(`data[${key}]`)), ...typeFaults(secret, data));
    if (old !== undefined && old["type"] !== secret["type"]) {
      errors.push(invalidValue("type", secret["type"] ?? "", "field is immutable"));
    }
    errors.push(...validateImmutable(secret, old, ["data"]));
    return errors;
  },
};

export function dataCount(object: KubeObject): string {
  const count = (field: string) => (isJsonObject(object[field]) ? Object.keys(object[field]).length : 0);
  return String(count("data") + count("binaryData"));
}

/** Rules of a Secret's type, besides its keys. */
function typeFaults(secret: KubeObject, data: Readonly<Record<string, unknown>>): FieldError[] {
  const { metadata } = secret;
  const type = secret["type"];
  if (type === tokenType && (metadata.annotations?.[accountAnnotation] ?? "") === "") {
    return [requiredValue(`metadata.annotations[${accountAnnotation}]`)];
  }
  const key = credentialKeys[String(type)];
  if (key === undefined) return [];
  const value = data[key];
  if (typeof value !== "string") return [requiredValue(`data[${key}]`)];
  try {
    JSON.parse(Buffer.from(value, "base64").toString());
    return [];
  } catch {
    // The parser's message would show what is secret.
    return [invalidValue(`data[${key}]`, "<secret contents redacted>", "must be a document of JSON")];
  }
}

/** Bytes of a value in base64. */
export function decodedBytes(value: unknown): number {
  return Buffer.byteLength(String(value), "base64");
}

/** @param bytes of all values, without their keys */
export function validateSize(bytes: number, field: string): FieldError[] {
  if (bytes <= maxDataBytes) return [];
  const message = `Too long: may not be more than ${maxDataBytes} bytes`;
  return [{ reason: "FieldValueTooLong", field, message }];
}

/** Validates the names of the entries of a Secret or ConfigMap. */
export function validateDataKeys(data: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    if (!dataKey.test(key) || key === "." || key === "..") {
      const why =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', or 'KEY_NAME', or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
      errors.push(invalidValue(`${field}[${key}]`, key, why));
    }
  }
  return errors;
}

/** Rules of `immutable: true` (Secret, ConfigMap): neither the data nor the flag may change. */
export function validateImmutable(
  object: KubeObject,
  old: KubeObject | undefined,
  fields: readonly string[],
): FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const why = "field is immutable when `immutable` is set";
  const changed = fields.filter(
    (name) => JSON.stringify(old[name] ?? {}) !== JSON.stringify(object[name] ?? {}),
  );
  if (object["immutable"] !== true) changed.unshift("immutable");
  return changed.map((name) => forbiddenValue(name, why));
}
