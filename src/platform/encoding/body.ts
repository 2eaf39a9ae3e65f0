import { parseYaml as parseYamlSource } from "../../core/yaml-source.ts";
import { isJsonObject, type Json } from "../object.ts";
import { badRequest, unsupportedMediaType } from "../status.ts";
import { decodeProtobuf } from "./protobuf.ts";

/** How deep lists and objects may be within each other. */
const maxDepth = 100;

export const objectTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
] as const;

/**
 * Reads the body of a request for an object.
 *
 * @throws StatusError 400 for a body that cannot be read, 415 for a type that is not known
 */
export function decodeBody(body: Buffer, type: string): Json {
  if (type === "application/json") return parseJson(body);
  if (type === "application/yaml" || type === "text/yaml") return parseYaml(body);
  if (type !== "application/vnd.kubernetes.protobuf") throw unsupportedMediaType(objectTypes);
  const decoded = decodeProtobuf(body);
  if (decoded === undefined)
    throw badRequest("the body is not a protobuf message of a kind that is known here");
  return decoded;
}

/** @throws StatusError 400 */
export function parseJson(body: Buffer): Json {
  const text = body.toString("utf8");
  // Counted before it is parsed: what is parsed recursively must not be deep enough to end the process.
  if (textDepth(text) > maxDepth) throw badRequest("the body is nested too deeply");
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
  if (text.includes("__proto__")) refuseProto(value);
  return value;
}

/** YAML, of which JSON is a part: most clients send JSON under YAML's name, and its parser is much faster. */
export function parseYaml(body: Buffer): Json {
  const text = body.toString("utf8");
  if (text.trimStart().startsWith("{")) {
    try {
      return parseJson(body);
    } catch {
      // Braces start YAML's flow style too.
    }
  }
  const { documents, problems } = parseYamlSource(text);
  const fault = problems[0];
  if (fault !== undefined) {
    throw badRequest(`error converting YAML to JSON: yaml: line ${fault.line}: ${fault.message}`);
  }
  const value = (documents[0]?.value ?? null) as Json;
  if (text.includes("__proto__")) refuseProto(value);
  return value;
}

/** How deep brackets are within each other, outside of texts in double quotes. */
export function textDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isQuoted) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x22) isQuoted = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

function refuseProto(value: Json): void {
  if (Array.isArray(value)) value.forEach(refuseProto);
  if (!isJsonObject(value)) return;
  if (Object.hasOwn(value, "__proto__")) throw badRequest('the name "__proto__" cannot be used for a field');
  Object.values(value).forEach(refuseProto);
}
