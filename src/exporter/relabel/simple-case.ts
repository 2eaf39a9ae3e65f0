/**
 * Go's `strings.ToLower` and `strings.ToUpper`: character by character, each to one character. JavaScript
 * follows the rules of languages: ß becomes SS, and a Σ at the end of a word another letter.
 */
export function toLower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : Array.from(text, lowerOf).join("");
}

export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : Array.from(text, upperOf).join("");
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}

/** Only İ has a lower case of two characters. */
function lowerOf(char: string): string {
  return char === "\u0130" ? "i" : char.toLowerCase();
}

function upperOf(char: string): string {
  const upper = char.toUpperCase();
  if (isOneCharacter(upper)) return upper;
  const code = char.codePointAt(0) ?? 0;
  // Greek letters with an iota below have an upper case of their own, and are written apart in full.
  if (code >= 0x1f80 && code <= 0x1faf && (code & 8) === 0) return String.fromCodePoint(code + 8);
  if (code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) return String.fromCodePoint(code + 9);
  return char;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
