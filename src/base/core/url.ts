/**
 * The URL that a text is, or undefined.
 *
 * Not `URL.canParse`: once Node 20 has compiled it, it reads Latin-1 text as UTF-8 and refuses
 * `http://ü.example`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
