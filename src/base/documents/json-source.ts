/** Limits for texts parsed here; anything larger is left to another parser to reject. */
interface JsonLimits {
  readonly depth: number;
  readonly values: number;
}

/**
 * Parses plain JSON: an object or an array, no duplicate keys, within the limits. Undefined for any other
 * text. Takes linear time.
 *
 * For large generated files: the YAML parser would turn them into many times their size in short-lived tokens
 * and nodes (bench/small-policies.ts).
 */
export function parsePlainJson(text: string, limits: JsonLimits): { readonly value: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const members = new MemberCount(limits);
  // JSON.parse silently keeps the last of two members of the same name.
  return members.add(value, 0) && members.count === keysIn(text) ? { value } : undefined;
}

class MemberCount {
  count = 0;
  readonly #limits: JsonLimits;
  #values = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** @returns false beyond the limits */
  add(value: unknown, depth: number): boolean {
    if (++this.#values >= this.#limits.values || depth > this.#limits.depth) return false;
    if (typeof value !== "object" || value === null) return true;
    const members: unknown[] = Object.values(value);
    if (!Array.isArray(value)) this.count += members.length;
    return members.every((member) => this.add(member, depth + 1));
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** @param json valid JSON, in which keys are exactly the strings followed by a colon */
function keysIn(json: string): number {
  let keys = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) {
    do at += json.charCodeAt(at) === backslash ? 2 : 1;
    while (json.charCodeAt(at) !== quote);
    let next = at + 1;
    while (" \t\r\n".includes(json.charAt(next))) next++;
    if (json.charAt(next) === ":") keys++;
  }
  return keys;
}
