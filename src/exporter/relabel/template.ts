/** The groups of a match; undefined for one that took no part in it. */
export interface Groups {
  at(index: number): string | undefined;
  named(name: string): string | undefined;
}

/** Go's `$name` and `${name}`: letters, digits and underscores, as many as there are. */
const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * Expands a template as Go's `Regexp.Expand` does: `$1`, `${1}`, `$name`, `$$` for a dollar sign. An unknown
 * group is empty; a `$` that begins no reference stays.
 *
 * @param maxLength the result is cut right after this, so that a few references cannot take any memory
 */
export function expand(template: string, groups: Groups, maxLength: number): string {
  if (!template.includes("$")) return template;
  let text = "";
  let from = 0;
  for (const match of template.matchAll(reference)) {
    const [all, braced, plain] = match;
    text += template.slice(from, match.index);
    from = match.index + all.length;
    const name = braced ?? plain;
    text += name === undefined ? "$" : (groupOf(name, groups) ?? "");
    if (text.length > maxLength) return text;
  }
  return text + template.slice(from);
}

function groupOf(name: string, groups: Groups): string | undefined {
  // Of more digits, Go makes a name; no pattern has as many groups.
  const isNumber = /^(?:0|[1-9][0-9]{0,8})$/.test(name);
  return isNumber ? groups.at(Number(name)) : groups.named(name);
}
