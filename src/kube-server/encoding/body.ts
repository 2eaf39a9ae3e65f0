import { maxProblems } from "../../base/documents/yaml/document.ts";
import { parseYaml as parseYamlSource } from "../../base/documents/yaml-source.ts";
import { isJsonObject, type Json } from "../api/object.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../api/status.ts";
import { duplicateFields, endOfText } from "./duplicate-fields.ts";
import { decodeProtobuf } from "./protobuf.ts";

/** Maximum nesting depth of lists and objects. */
export const maxDepth = 100;
/**
 * Maximum number of values, every field and item counted: decoding walks over them in one step. Twelve times
 * an object's own, for its managed fields.
 */
const maxValues = 100_000;
/** Of these, fields of objects: the parser takes ten times as long for a field as for an item. */
const maxMembers = 50_000;
/** The YAML parser is far slower than the JSON parser; large bodies are JSON. */
const maxYamlBytes = 128 * 1024;
/** Names, values, punctuation and the spaces between them: they determine the parser's time. */
const maxYamlTokens = 6_000;
/** Aliases expand a few bytes to many values. */
const maxYamlValues = 40_000;

export const objectTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
] as const;

/** A decoded body, with problems that do not make it unreadable. */
export interface DecodedBody {
  readonly value: Json;
  /** Fields that occur more than once, in the Kubernetes API server's wording; the last one wins. */
  readonly duplicates: readonly string[];
}

/**
 * Decodes a request body that contains an object.
 *
 * @throws StatusError 400 for an unreadable body, 413 for one that is too large, 415 for an unknown media
 * type
 */
export function decodeBody(body: Buffer, type: string): DecodedBody {
  if (type === "application/json") return parseJson(body);
  if (type === "application/yaml") return parseYaml(body);
  if (type !== "application/vnd.kubernetes.protobuf") throw unsupportedMediaType(objectTypes);
  const decoded = decodeProtobuf(body);
  if (decoded === undefined)
    throw badRequest("the body is not a protobuf message of a kind that is known here");
  return { value: decoded, duplicates: [] };
}

/** @throws StatusError 400, 413 */
export function parseJson(body: Buffer): DecodedBody {
  const text = body.toString("utf8");
  const { members } = checkSize(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
  if (text.includes("__proto__")) rejectProto(value);
  // Look for duplicate fields only if the parser has dropped any.
  if (membersIn(value) === members) return { value, duplicates: [] };
  return { value, duplicates: duplicateFields(text).map((path) => `duplicate field "${path}"`) };
}

/** @throws StatusError 400 for a number that is too large for a double: it would become null */
function membersIn(value: Json): number {
  if (typeof value !== "object" || value === null) {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      throw badRequest("the body has a number that is out of range");
    return 0;
  }
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + membersIn(item), 0);
  // Names of a large object are there already; a list of its values would have to be made.
  const names = Object.keys(value);
  let members = names.length;
  for (const name of names) members += membersIn(value[name] ?? null);
  return members;
}

/**
 * YAML, which includes JSON: most clients send JSON as YAML, and the JSON parser is much faster.
 *
 * @throws StatusError 400, 413
 */
export function parseYaml(body: Buffer): DecodedBody {
  const text = body.toString("utf8");
  if (/^\s*\{/.test(text)) {
    try {
      return parseJson(body);
    } catch (error) {
      // A brace also starts YAML flow style.
      if (body.length > maxYamlBytes) throw error;
    }
  }
  if (body.length > maxYamlBytes) {
    throw tooLarge(`Request entity too large: YAML is limited to ${maxYamlBytes} bytes; send JSON instead`);
  }
  const limits = { maxValues: maxYamlValues, maxTokens: maxYamlTokens };
  const { documents, problems } = parseYamlSource(text, { hasOldBooleans: true, ...limits });
  if (problems[0]?.hasTooManyTokens === true) {
    throw tooLarge(`Request entity too large: YAML is limited to ${maxYamlTokens} tokens; send JSON instead`);
  }
  // When the list of problems is full, there may be more.
  const fault =
    problems.length < maxProblems ? problems.find((each) => each.duplicateKey === undefined) : problems[0];
  if (fault !== undefined) {
    throw badRequest(`error converting YAML to JSON: yaml: line ${fault.line}: ${fault.message}`);
  }
  const value = (documents[0]?.value ?? null) as Json;
  if (text.includes("__proto__")) rejectProto(value);
  const duplicates = problems.map(({ line, duplicateKey }) => {
    return `line ${line}: key ${JSON.stringify(duplicateKey)} already set in map`;
  });
  return { value, duplicates };
}

/**
 * Measures a text before parsing: recursive parsing must not overflow the stack, and many small values take
 * far more time and memory than their text.
 */
function checkSize(text: string): JsonMeasure {
  const measure = measureJson(text);
  const { depth, values, members } = measure;
  if (depth > maxDepth) throw badRequest("the body is nested too deeply");
  if (values > maxValues) {
    throw tooLarge(`Request entity too large: a body holds at most ${maxValues} values`);
  }
  if (members > maxMembers) {
    throw tooLarge(`Request entity too large: a body holds at most ${maxMembers} fields`);
  }
  return measure;
}

export interface JsonMeasure {
  /** Maximum bracket depth. */
  readonly depth: number;
  /** Upper bound on the number of values. */
  readonly values: number;
  /** Number of fields in all objects, duplicates included. */
  readonly members: number;
}

/** Measures everything outside double-quoted strings. */
export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfText(text, i);
    } else if (code === 0x2c) {
      values++;
    } else if (code === 0x3a) {
      members++;
    } else if (code === 0x7b || code === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return { depth: deepest, values, members };
}

function rejectProto(value: Json): void {
  if (Array.isArray(value)) value.forEach(rejectProto);
  if (!isJsonObject(value)) return;
  if (Object.hasOwn(value, "__proto__")) throw badRequest('the name "__proto__" cannot be used for a field');
  Object.values(value).forEach(rejectProto);
}
