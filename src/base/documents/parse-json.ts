/**
 * Parses JSON (RFC 8259) as `JSON.parse` does, keys with escapes included.
 *
 * V8 of Node.js 24 misreads an escaped key where another object's key equals the beginning of its escaped
 * form: `[{"\\":1},{"\"":2}]` may become two objects with the key `\`. Label names are other people's text,
 * so wherever they are keys, this function reads them.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKey.test(text) ? new ValidJson(text).value() : value;
}

/** Matches the last escape of each key that has one, and rarely the text of a value. Takes linear time. */
const hasEscapedKey = /\\.[^"\\]*"\s*:/s;

/** Reads a text that is known to be JSON. Strings are parsed one by one, where V8 makes no mistake. */
class ValidJson {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return JSON.parse(this.#matched(literal));
    }
  }

  #object(): unknown {
    const members: [string, unknown][] = [];
    this.#at++;
    while (this.#next() !== "}") {
      if (this.#text[this.#at] === ",") this.#at++;
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at++;
      members.push([key, this.value()]);
    }
    this.#at++;
    // Also makes an ordinary member of __proto__.
    return Object.fromEntries(members);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    while (this.#next() !== "]") {
      if (this.#text[this.#at] === ",") this.#at++;
      items.push(this.value());
    }
    this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    while (this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  /** Skips white space. @returns the character after it */
  #next(): string | undefined {
    this.#matched(space);
    return this.#text[this.#at];
  }

  #matched(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }
}

const space = /[ \t\n\r]*/y;
const literal = /[^\s,\]}]*/y;
