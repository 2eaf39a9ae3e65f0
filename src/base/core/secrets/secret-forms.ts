/** A secret by itself (a token, a header's value), or a password with the name that it is sent with. */
export type SecretValue = string | { readonly username: string; readonly password: string };

/** So much of a secret is known: more than any server accepts in a header is no credential. */
const maxChars = 2_048;
/** In less of its base64 than this, a text would be found by chance. */
const leastEncodedChars = 8;
/** A longer secret is looked for in base64 only as it is sent, and not behind other text. */
const maxShiftedChars = 64;

/**
 * Every text that a secret may be quoted as: itself, escaped for JSON, HTML or an address, and in base64, also as a part of a
 * longer text in base64.
 */
export function secretForms(value: SecretValue): ReadonlySet<string> {
  const secret = (typeof value === "string" ? value : value.password).slice(0, maxChars);
  const plain = [secret, ...escapedForms(secret)];
  const encoded = [base64(secret), ...(secret.length > maxShiftedChars ? [] : shiftedForms(secret))];
  if (typeof value !== "string") {
    const pair = `${value.username.slice(0, maxChars)}:${secret}`;
    // A short password is not looked for by itself.
    if (secret.length < 8) plain.push(pair);
    encoded.push(base64(pair));
  }
  return new Set([...plain, ...encoded.flatMap(alphabets)]);
}

function escapedForms(secret: string): string[] {
  if (/^[\w.~-]*$/.test(secret)) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  // Go's encoder escapes what HTML would take for markup.
  const goJson = json.replace(/[<>&]/g, (char) => `\\u00${hexOf(char)}`);
  const html = secret.replace(/[&<>"']/g, (char) => htmlEntities[char] ?? char);
  const goHtml = secret.replace(/[&<>"']/g, (char) => goEntities[char] ?? char);
  const wellFormed = Buffer.from(secret).toString();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/g, (char) => `%${hexOf(char).toUpperCase()}`);
  const form = strict.replaceAll("%20", "+");
  return [json, goJson, html, goHtml, encodeURI(wellFormed), component, strict, form].flatMap((text) => [
    text,
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const goEntities: Readonly<Record<string, string>> = { ...htmlEntities, '"': "&#34;" };

function hexOf(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, "0");
}

/** What of the base64 of any text that holds the secret depends on the secret alone; it may begin at any of three places. */
function shiftedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 2, 3]
    .map((start, shift) => {
      const whole = base64(Buffer.concat([Buffer.alloc(shift), bytes]));
      return whole.slice(start, Math.floor(((shift + bytes.length) * 8) / 6));
    })
    .filter((text) => text.length >= leastEncodedChars);
}

/** Without padding: that is no part of what is secret. */
function base64(text: string | Buffer): string {
  return Buffer.from(text as string)
    .toString("base64")
    .replace(/=+$/, "");
}

/** The usual alphabet, that of URLs, and the usual one within an URL. */
function alphabets(encoded: string): string[] {
  if (!/[+/]/.test(encoded)) return [encoded];
  const url = encoded.replaceAll("+", "-").replaceAll("/", "_");
  return [encoded, url, encodeURIComponent(encoded)];
}
