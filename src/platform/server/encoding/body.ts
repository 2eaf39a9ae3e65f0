import { maxProblems, parseYaml as parseYamlSource } from "../../../base/documents/yaml-source.ts";
import { isJsonObject, type Json } from "../object.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status.ts";
import { duplicateFields, endOfText } from "./duplicate-fields.ts";
import { decodeProtobuf } from "./protobuf.ts";

/** How deep lists and objects may be within each other. */
export const maxDepth = 100;
/** Values of all kinds, each field and each item counted: what comes after the parser walks over all of them. */
const maxValues = 200_000;
/** The YAML parser takes some thirty times as long as the JSON parser; what clients send large is JSON. */
const maxYamlBytes = 128 * 1024;
/** Names, values, signs and the spaces between them: what the parser's time follows from. */
const maxYamlTokens = 6_000;
/** Aliases make many values of few bytes. */
const maxYamlValues = 40_000;

export const objectTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
] as const;

/** What a body says, and what is wrong with it without making it unreadable. */
export interface DecodedBody {
  readonly value: Json;
  /** Fields that are written more than once, in the words of a Kubernetes API server; the last one counts. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the body of a request for an object.
 *
 * @throws StatusError 400 for a body that cannot be read, 413 for one that is too large, 415 for a type that is not known
 */
export function decodeBody(body: Buffer, type: string): DecodedBody {
  if (type === "application/json") return parseJson(body);
  if (type === "application/yaml" || type === "text/yaml") return parseYaml(body);
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
  if (text.includes("__proto__")) refuseProto(value);
  // A look at the text for fields that the parser has dropped is worth it only where there are any.
  if (membersIn(value) === members) return { value, duplicates: [] };
  return { value, duplicates: duplicateFields(text).map((path) => `duplicate field "${path}"`) };
}

function membersIn(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + membersIn(item), 0);
  let members = 0;
  for (const child of Object.values(value)) members += 1 + membersIn(child);
  return members;
}

/**
 * YAML, of which JSON is a part: most clients send JSON under YAML's name, and its parser is much faster.
 *
 * @throws StatusError 400, 413
 */
export function parseYaml(body: Buffer): DecodedBody {
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
  const limits = { maxValues: maxYamlValues, maxTokens: maxYamlTokens };
  const { documents, problems } = parseYamlSource(text, { hasOldBooleans: true, ...limits });
  if (problems[0]?.hasTooManyTokens === true) {
    throw tooLarge(`Request entity too large: YAML is limited to ${maxYamlTokens} tokens; send JSON instead`);
  }
  // Where there are as many problems as are told, others may be behind them.
  const fault =
    problems.length < maxProblems ? problems.find((each) => each.duplicateKey === undefined) : problems[0];
  if (fault !== undefined) {
    throw badRequest(`error converting YAML to JSON: yaml: line ${fault.line}: ${fault.message}`);
  }
  const value = (documents[0]?.value ?? null) as Json;
  if (text.includes("__proto__")) refuseProto(value);
  const duplicates = problems.map(({ line, duplicateKey }) => {
    return `line ${line}: key ${JSON.stringify(duplicateKey)} already set in map`;
  });
  return { value, duplicates };
}

/**
 * Measures a text before it is parsed: what is parsed recursively must not be deep enough to end the process, and many
 * small values take far more time and memory than their text.
 */
function checkSize(text: string): JsonMeasure {
  const measure = measureJson(text);
  const { depth, values } = measure;
  if (depth > maxDepth) throw badRequest("the body is nested too deeply");
  if (values > maxValues) {
    throw tooLarge(`Request entity too large: a body holds at most ${maxValues} values`);
  }
  return measure;
}

export interface JsonMeasure {
  /** How deep brackets are within each other. */
  readonly depth: number;
  /** How many values there are at most. */
  readonly values: number;
  /** How many fields the objects have together, each as often as it is written. */
  readonly members: number;
}

/** Measures what is outside of texts in double quotes. */
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

function refuseProto(value: Json): void {
  if (Array.isArray(value)) value.forEach(refuseProto);
  if (!isJsonObject(value)) return;
  if (Object.hasOwn(value, "__proto__")) throw badRequest('the name "__proto__" cannot be used for a field');
  Object.values(value).forEach(refuseProto);
}
