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

/** The credentials of a URL, decoded; "" where it has none. A percent sign that encodes nothing stays. */
export function credentialsOf({ username, password }: URL): {
  readonly username: string;
  readonly password: string;
} {
  return { username: decoded(username), password: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
