/**
 * Parses a URL; undefined when the text is not one.
 *
 * Not `URL.canParse`: once Node.js 20 has compiled it, it reads Latin-1 text as UTF-8 and rejects
 * `http://ü.example`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
