import { isJsonObject, type Json } from "../api/object.ts";

/** Strings that YAML 1.1 or 1.2 reads as another type. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const plain = /^[A-Za-z_][A-Za-z0-9_./-]*$/;

/**
 * Prints a JSON value as block-style YAML with a final line break. Strings of more than one word are quoted
 * as in JSON, which YAML reads the same. (A general YAML printer is far slower, because of its style
 * options.)
 *
 * @param indent of every line, for a nested value
 */
export function toYaml(value: Json, indent = ""): string {
  const lines: string[] = [];
  if (isEmptyOrScalar(value)) return `${indent}${scalar(value)}\n`;
  write(value, indent, indent, lines);
  return `${lines.join("\n")}\n`;
}

/** @param first prefix of the first line: the indentation, or the text before the value on its line */
function write(value: Json, first: string, indent: string, lines: string[]): void {
  let head = first;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isEmptyOrScalar(item)) lines.push(`${head}- ${scalar(item)}`);
      else write(item, `${head}- `, `${indent}  `, lines);
      head = indent;
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const name = `${head}${text(key)}:`;
    if (isEmptyOrScalar(member)) lines.push(`${name} ${scalar(member)}`);
    else {
      lines.push(name);
      // A list may be indented like its key.
      const deeper = Array.isArray(member) ? indent : `${indent}  `;
      write(member, deeper, deeper, lines);
    }
    head = indent;
  }
}

function isEmptyOrScalar(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isJsonObject(value) || Object.values(value).every((member) => member === undefined);
}

function scalar(value: Json): string {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return "[]";
  return isJsonObject(value) ? "{}" : String(value);
}

function text(value: string): string {
  return plain.test(value) && !reserved.test(value) ? value : JSON.stringify(value);
}
