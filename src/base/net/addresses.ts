const patterns = [
  /\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>]+/gi,
  // Digits alone are a position in a text, or a time.
  /(?<![\w.-])(?=[\w-]{0,63}[a-z_.])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}:\d{2,5}\b/gi,
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g,
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){1,6}|:):[0-9a-f:.]{0,39})(?:%\w{1,16})?/gi,
];

/** Removes server addresses from a text for readers who must not learn them. */
export function withoutAddresses(text: string): string {
  return patterns.reduce((left, pattern) => left.replace(pattern, "…"), text);
}
