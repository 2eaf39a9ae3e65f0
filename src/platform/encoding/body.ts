import { parseYaml as parseYamlSource } from "../../core/yaml-source.ts";
import { isJsonObject, type Json } from "../object.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status.ts";
import { decodeProtobuf } from "./protobuf.ts";

/** How deep lists and objects may be within each other. */
export const maxDepth = 100;
/** Values of all kinds, each field and each item counted: what comes after the parser walks over all of them. */
const maxValues = 200_000;
/** The YAML parser takes some thirty times as long as the JSON parser; what clients send large is JSON. */
const maxYamlBytes = 128 * 1024;

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

/** @throws StatusError 400, 413 */
export function parseJson(body: Buffer): Json {
  const text = body.toString("utf8");
  checkSize(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
  if (text.includes("__proto__")) refuseProto(value);
  return value;
}

/**
 * YAML, of which JSON is a part: most clients send JSON under YAML's name, and its parser is much faster.
 *
 * @throws StatusError 400, 413
 */
export function parseYaml(body: Buffer): Json {
  const text = body.toString("utf8");
  if (/^\s*\{/.test(text)) {
    try {
      return parseJson(body);
    } catch (error) {
      // Braces start YAML's flow style too.
      if (body.length > maxYamlBytes) throw error;
    }
  }
  if (body.length > maxYamlBytes) {
    throw tooLarge(`Request entity too large: YAML is limited to ${maxYamlBytes} bytes; send JSON instead`);
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

/**
 * Measures a text before it is parsed: what is parsed recursively must not be deep enough to end the process, and many
 * small values take far more time and memory than their text.
 */
function checkSize(text: string): void {
  const { depth, values } = measureJson(text);
  if (depth > maxDepth) throw badRequest("the body is nested too deeply");
  if (values > maxValues) {
    throw tooLarge(`Request entity too large: a body holds at most ${maxValues} values`);
  }
}

/** How deep brackets are within each other, and how many values there are at most, outside of texts in double quotes. */
export function measureJson(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfText(text, i);
    } else if (code === 0x2c) {
      values++;
    } else if (code === 0x7b || code === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return { depth: deepest, values };
}

/** Where the text in double quotes ends that begins at `start`: at its last quote, or at the end of everything. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (quote - first) % 2 === 1;
}

function refuseProto(value: Json): void {
  if (Array.isArray(value)) value.forEach(refuseProto);
  if (!isJsonObject(value)) return;
  if (Object.hasOwn(value, "__proto__")) throw badRequest('the name "__proto__" cannot be used for a field');
  Object.values(value).forEach(refuseProto);
}
