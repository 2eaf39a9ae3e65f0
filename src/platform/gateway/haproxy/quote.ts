/**
 * Tenants' texts as words of HAProxy's configuration (configuration manual 2.6, section 2.2, "Quoting and
 * escaping"): whatever they hold, they stay one word of one line.
 */

/** A word that is taken as it is. */
export function word(text: string): string {
  refuseControlCharacters(text);
  // Nothing is special between single quotes but the quote itself.
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word that HAProxy reads as a log-format string (section 8.2.4), and that comes out as it is. */
export function format(text: string): string {
  return word(literal(text));
}

/** A literal part of a log-format string. */
export function literal(text: string): string {
  return text.replaceAll("%", "%%");
}

/**
 * A sample fetch with one argument, as one word, such as `req.fhdr(x-a)`. Arguments have quotes and escapes
 * of their own (section 2.2): the text goes between double quotes.
 */
export function fetchOf(name: string, argument: string): string {
  const escaped = argument.replace(/["\\]/g, "\\$&");
  return word(`${name}("${escaped}")`);
}

function refuseControlCharacters(text: string): void {
  // Admission refuses them; a line break here would be another line of the configuration.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) throw new Error("a text has control characters");
}
