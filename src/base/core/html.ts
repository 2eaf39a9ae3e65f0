/** Markup that is safe to send. Only {@link html} and {@link trustedHtml} create it. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Builds markup from a template: text and numbers are escaped, {@link Html} is not, lists are joined, `false`
 * and `undefined` are omitted. The escaping is valid between tags and inside double-quoted attributes,
 * nowhere else.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = literals[0] ?? "";
  for (const [index, part] of parts.entries()) markup += render(part) + (literals[index + 1] ?? "");
  return { markup };
}

/** For constants of this program only; never for external input. */
export function trustedHtml(markup: string): Html {
  return { markup };
}

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "string") return escapeText(part);
  if (typeof part === "number") return String(part);
  if ("markup" in part) return part.markup;
  return part.map(render).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
