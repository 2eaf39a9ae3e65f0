export interface FieldRequirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

export type SelectorOutcome<T> =
  | { readonly ok: true; readonly requirements: readonly T[] }
  | { readonly ok: false; readonly message: string };

const keyPattern =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const valuePattern = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** A name of at most 63 characters, optionally after a prefix: a DNS subdomain of at most 253 and a slash. */
export function isLabelKey(text: string): boolean {
  // Check the length first: it bounds the pattern's work.
  return text.length <= 317 && keyPattern.test(text) && text.indexOf("/") <= 253;
}

export function isLabelValue(text: string): boolean {
  return text.length <= 63 && valuePattern.test(text);
}

/** Parses a field selector: `metadata.name=a`, `type!=b`, joined by commas; `\` escapes `,`, `=` and `\`. */
export function parseFieldSelector(text: string): SelectorOutcome<FieldRequirement> {
  const requirements: FieldRequirement[] = [];
  // A backslash at the end escapes nothing.
  if (endsInEscape(text)) {
    return { ok: false, message: "invalid field selector: invalid escape sequence: \\" };
  }
  for (const part of text.match(/(?:\\.|[^,\\])+/g) ?? []) {
    const match = /^([^=!]+)(==|=|!=)((?:\\.|[^=\\])*)$/.exec(part);
    if (match === null) {
      return { ok: false, message: `invalid selector: '${text}'; can't understand '${part}'` };
    }
    const wrong = /\\[^,=\\]/.exec((match[3] ?? "").replaceAll("\\\\", ""))?.[0];
    if (wrong !== undefined) {
      return { ok: false, message: `invalid field selector: invalid escape sequence: ${wrong}` };
    }
    const value = (match[3] ?? "").replace(/\\(.)/g, "$1");
    requirements.push({ field: match[1] ?? "", value, equal: match[2] !== "!=" });
  }
  return { ok: true, requirements };
}

function endsInEscape(text: string): boolean {
  let first = text.length;
  while (text[first - 1] === "\\") first--;
  return (text.length - first) % 2 === 1;
}

/** @param fieldOf returns the text of a field of the object */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  fieldOf: (field: string) => string,
): boolean {
  return requirements.every(({ field, value, equal }) => (fieldOf(field) === value) === equal);
}
