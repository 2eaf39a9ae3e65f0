/** A secret on its own (a token, a header's value), or a password with its user name. */
export type SecretValue = string | { readonly username: string; readonly password: string };

/** Longer values are masked up to here: no server accepts a longer credential in a header. */
const maxChars = 2_048;
/** Shorter base64 fragments would match by chance. */
const leastEncodedChars = 8;
/** Longer secrets are masked in base64 only as sent, not after other text. */
const maxShiftedChars = 64;

/**
 * Every form in which a secret may be quoted: as is, escaped for JSON, HTML or a URL, and in base64, also
 * within a longer base64 text.
 */
export function secretForms(value: SecretValue): ReadonlySet<string> {
  const secret = (typeof value === "string" ? value : value.password).slice(0, maxChars);
  const plain = [secret, ...escapedForms(secret)];
  const encoded = [base64(secret), ...(secret.length > maxShiftedChars ? [] : shiftedForms(secret))];
  if (typeof value !== "string") {
    const pair = `${value.username.slice(0, maxChars)}:${secret}`;
    // A short password is not masked on its own.
    if (secret.length < 8) plain.push(pair);
    encoded.push(base64(pair));
  }
  return new Set([...plain, ...encoded.flatMap(alphabets)]);
}

function escapedForms(secret: string): string[] {
  if (/^[\w.~-]*$/.test(secret)) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  // Go's encoder escapes HTML's special characters.
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

/** The parts of a base64 text that depend on the secret alone, for each of its three possible alignments. */
function shiftedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 2, 3]
    .map((start, shift) => {
      const whole = base64(Buffer.concat([Buffer.alloc(shift), bytes]));
      return whole.slice(start, Math.floor(((shift + bytes.length) * 8) / 6));
    })
    .filter((text) => text.length >= leastEncodedChars);
}

/** Without padding, which is not secret. */
function base64(text: string | Buffer): string {
  return Buffer.from(text as string)
    .toString("base64")
    .replace(/=+$/, "");
}

/** The standard alphabet, the URL-safe one, and the standard one percent-encoded. */
function alphabets(encoded: string): string[] {
  if (!/[+/]/.test(encoded)) return [encoded];
  const url = encoded.replaceAll("+", "-").replaceAll("/", "_");
  return [encoded, url, encodeURIComponent(encoded)];
}
