import { checkSchema } from "../../../base/documents/schema-issue.ts";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { asErrors, type DocumentFault } from "./document-fault.ts";
import { metadataSchema } from "./schema.ts";
import type { Secret } from "./types.ts";

export const basicAuthType = "kubernetes.io/basic-auth";

const credentialKeys = ["username", "password"];

/** Kubernetes' limit for a Secret's data. */
const maxSecretBytes = 1024 * 1024;

/**
 * Checks one Secret (plain JSON): `data` is base64; `stringData` is plain text and takes precedence. An
 * unreadable value is left out; no message contains a value.
 *
 * @returns every fault, and the Secret, which is absent when it cannot be identified
 */
export function checkSecret(
  json: Readonly<Record<string, unknown>>,
  plane: string,
): { secret: Secret | undefined; faults: readonly DocumentFault[] } {
  const faults: DocumentFault[] = [];
  const invalid = (path: DocumentPath, message: string) =>
    faults.push({ severity: "error", path, reason: "FieldValueInvalid", message });
  if (json["apiVersion"] !== "v1") invalid(["apiVersion"], "must be v1");
  const metadata = checkSchema(metadataSchema, json["metadata"], ["metadata"]);
  faults.push(...asErrors(metadata.issues));
  const type = json["type"] ?? "Opaque";
  if (typeof type !== "string") invalid(["type"], `must be text such as ${basicAuthType}`);

  const data = new Map<string, string>();
  const unreadable = new Map<string, string>();
  let bytes = 0;
  for (const field of ["data", "stringData"]) {
    const members = json[field] ?? {};
    if (!isObject(members)) {
      invalid([field], "must be an object");
      continue;
    }
    for (const [key, text] of Object.entries(members)) {
      const value = field === "data" ? decode(text) : textOf(text);
      if (typeof value === "string") {
        data.set(key, value);
        unreadable.delete(key);
        bytes += value.length;
      } else {
        // Secrets of other types hold binary values rightly, such as a key store.
        if (type === basicAuthType || value.problem !== notText) invalid([field, key], value.problem);
        data.delete(key);
        unreadable.set(key, value.problem);
      }
    }
  }
  if (bytes > maxSecretBytes) invalid(["data"], "must be at most 1 MiB in all");
  if (type === basicAuthType) {
    for (const key of credentialKeys) {
      const written = valueAt(json, ["data", key]) ?? valueAt(json, ["stringData", key]);
      if (written === undefined) {
        const message = `is required in a Secret of type ${basicAuthType}`;
        faults.push({ severity: "error", path: ["data", key], reason: "FieldValueRequired", message });
      } else if (/[\r\n]$/.test(data.get(key) ?? "")) {
        const field = valueAt(json, ["stringData", key]) === undefined ? "data" : "stringData";
        const message = "ends with a line break, which is sent as part of it (echo -n leaves it out)";
        faults.push({ severity: "warning", path: [field, key], reason: "FieldValueInvalid", message });
      }
    }
  }
  if (metadata.issues !== undefined || typeof type !== "string" || bytes > maxSecretBytes) {
    return { secret: undefined, faults };
  }
  const { name, namespace } = metadata.value;
  const isKept = ([key]: [string, string]) => type !== basicAuthType || credentialKeys.includes(key);
  const faulty = [...unreadable].filter(isKept);
  const common = { plane, namespace, name, type, data: new Map([...data].filter(isKept)) };
  return { secret: faulty.length === 0 ? common : { ...common, unreadable: new Map(faulty) }, faults };
}

const notText = "must be UTF-8 text in base64";

/** Standard base64, line breaks allowed, as Kubernetes reads it; the content must be UTF-8 text. */
function decode(value: unknown): string | { problem: string } {
  if (typeof value !== "string") return { problem: "must be base64 text" };
  const text = value.replace(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    return { problem: "must be base64; plain text belongs in stringData" };
  }
  const bytes = Buffer.from(text, "base64");
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded, "utf8").equals(bytes) ? decoded : { problem: notText };
}

function textOf(value: unknown): string | { problem: string } {
  return typeof value === "string" ? value : { problem: "must be text; put it in quotes" };
}
