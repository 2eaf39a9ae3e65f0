/** A version of CHANGELOG.md (Keep a Changelog), newest first. */
export interface ChangelogSection {
  /** `1.2.3`, or "Unreleased". */
  readonly version: string;
  /** For example `2026-11-21`; absent for an unreleased version. */
  readonly date: string | undefined;
  readonly entries: number;
}

export function changelogSections(text: string): ChangelogSection[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, version = "", date] = /^\[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?\s*$/m.exec(section) ?? [];
      return { version, date, entries: [...section.matchAll(/^- /gm)].length };
    });
}

/**
 * Faults that prevent a release of the version; with `unreleased`, faults of a version in development, whose
 * changes are still under Unreleased.
 */
export function changelogFaults(text: string, version: string, unreleased: boolean): string[] {
  const sections = changelogSections(text);
  const [first, ...others] = sections;
  if (first?.version !== "Unreleased") return ["CHANGELOG.md must begin with the section [Unreleased]"];
  const versions = others.map((section) => section.version);
  if (unreleased && !versions.includes(version)) {
    return first.entries > 0 ? [] : [`CHANGELOG.md tells nothing of ${version} under [Unreleased]`];
  }
  const faults: string[] = [];
  if (versions[0] !== version) {
    const found = versions[0] === undefined ? "no version" : versions[0];
    faults.push(`package.json has version ${version}, CHANGELOG.md has ${found} as the newest`);
  } else if (others[0]?.date === undefined) faults.push(`CHANGELOG.md has no date for ${version}`);
  else if (others[0].entries === 0) faults.push(`CHANGELOG.md tells nothing of ${version}`);
  if (!unreleased && first.entries > 0) {
    faults.push(
      `CHANGELOG.md has entries under [Unreleased] that belong to ${version} or to a later version`,
    );
  }
  return faults;
}
