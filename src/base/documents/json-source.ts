/** What a text may hold to be read here; beyond it is somebody else's to refuse. */
export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
}

/**
 * The value of a text that is plain JSON: an object or a list, no key twice in one object, within the limits. Undefined for
 * any other text. Takes time in proportion to the text.
 *
 * For large generated files: the YAML parser makes some hundred times their size in tokens and nodes of them, all of it
 * garbage a moment later (bench/small-policies.ts).
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
  // JSON.parse keeps the last of two members of the same name and says nothing.
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

/** @param json valid JSON, where exactly a key is a string with a colon behind it */
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
