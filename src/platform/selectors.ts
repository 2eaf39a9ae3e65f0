/** One requirement of a label selector; all requirements of a selector must hold. */
export type LabelRequirement =
  | { readonly operator: "in" | "notin"; readonly key: string; readonly values: ReadonlySet<string> }
  | { readonly operator: "exists" | "absent"; readonly key: string };

export interface FieldRequirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

export type SelectorOutcome<T> =
  | { readonly ok: true; readonly requirements: readonly T[] }
  | { readonly ok: false; readonly message: string };

const keyPattern =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const valuePattern = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

export function isLabelKey(text: string): boolean {
  return keyPattern.test(text) && text.length <= 317;
}

export function isLabelValue(text: string): boolean {
  return valuePattern.test(text);
}

/**
 * Reads a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas.
 * As in Kubernetes, `!=` and `notin` also hold where the label is missing. `gt` and `lt` are not offered.
 */
export function parseLabelSelector(text: string): SelectorOutcome<LabelRequirement> {
  const requirements: LabelRequirement[] = [];
  for (const part of splitOutsideParentheses(text)) {
    const requirement = parseLabelRequirement(part);
    if (requirement === undefined) {
      return { ok: false, message: `unable to parse requirement: found '${part}' in label selector` };
    }
    requirements.push(requirement);
  }
  return { ok: true, requirements };
}

function parseLabelRequirement(part: string): LabelRequirement | undefined {
  const set = /^([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set !== null) {
    const values = (set[3] ?? "").split(",").map((value) => value.trim());
    return checked({
      operator: set[2] === "in" ? "in" : "notin",
      key: set[1] ?? "",
      values: new Set(values),
    });
  }
  const equality = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/.exec(part);
  if (equality !== null) {
    const operator = equality[2] === "!=" ? "notin" : "in";
    return checked({ operator, key: equality[1] ?? "", values: new Set([equality[3] ?? ""]) });
  }
  const presence = /^(!?)\s*([^\s!=,()]+)$/.exec(part);
  if (presence === null) return undefined;
  return checked({ operator: presence[1] === "!" ? "absent" : "exists", key: presence[2] ?? "" });
}

function checked(requirement: LabelRequirement): LabelRequirement | undefined {
  if (!isLabelKey(requirement.key)) return undefined;
  if ("values" in requirement && ![...requirement.values].every(isLabelValue)) return undefined;
  return requirement;
}

function splitOutsideParentheses(text: string): string[] {
  const parts = text.split(/,(?![^()]*\))/).map((part) => part.trim());
  return parts.length === 1 && parts[0] === "" ? [] : parts;
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

function holds(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "in":
      return value !== undefined && requirement.values.has(value);
    case "notin":
      return value === undefined || !requirement.values.has(value);
  }
}

/** Reads a field selector: `metadata.name=a`, `type!=b`, joined by commas; `\` escapes `,`, `=` and `\`. */
export function parseFieldSelector(text: string): SelectorOutcome<FieldRequirement> {
  const requirements: FieldRequirement[] = [];
  for (const part of text.match(/(?:\\.|[^,\\])+/g) ?? []) {
    const match = /^([^=!]+)(==|=|!=)((?:\\.|[^=\\])*)$/.exec(part);
    if (match === null) {
      return { ok: false, message: `invalid selector: '${text}'; can't understand '${part}'` };
    }
    const value = (match[3] ?? "").replace(/\\(.)/g, "$1");
    requirements.push({ field: match[1] ?? "", value, equal: match[2] !== "!=" });
  }
  return { ok: true, requirements };
}

/** @param fieldOf the text of a field of the object in question */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  fieldOf: (field: string) => string,
): boolean {
  return requirements.every(({ field, value, equal }) => (fieldOf(field) === value) === equal);
}
