/**
 * A plane is the origin of policies: a project's control plane, by the project's name, or the directory. The
 * directory holds the operator's own policies: no tenant filter is forced on them, and they may send to any
 * address that is not denied.
 */
export const directoryPlane = "directory";

/** The reason a project cannot be exported under its name, or undefined. */
export function projectNameProblem(project: string): string | undefined {
  if (project !== directoryPlane) return undefined;
  return `cannot be "${directoryPlane}": that is the plane of policies.directory, whose policies have the operator's rights`;
}
