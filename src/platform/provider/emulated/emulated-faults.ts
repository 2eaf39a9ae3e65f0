/** `provider.emulated.faults`: what the emulated cloud gets wrong, always the same. */
export interface EmulatedFaults {
  /** Roles that the platform's service account lacks at every location. */
  readonly missingRoles: readonly string[];
  /** The cloud organization does not permit the platform's service accounts. */
  readonly domainRestricted: boolean;
  /** Instances that cannot start: `name` or `namespace/name`, in which `*` stands for any characters. */
  readonly failInstances: readonly string[];
  /** Instances that never get beyond Provisioning, in the same form. */
  readonly hang: readonly string[];
}

/**
 * Whether one of the patterns is an Instance's.
 *
 * @param instance `namespace/name`
 */
export function isNamed(patterns: readonly string[], instance: string): boolean {
  const name = instance.slice(instance.indexOf("/") + 1);
  return patterns.some((pattern) => isMatch(pattern, pattern.includes("/") ? instance : name));
}

/** Each part between two `*` is looked for after the one before it: linear, unlike a backtracking pattern. */
function isMatch(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

export function missingRolesMessage(roles: readonly string[]): string {
  return `service account platform-provider lacks: ${roles.join(", ")} (emulated)`;
}
