/**
 * A plane is where policies come from: a project's control plane, by the project's name, or the directory. The
 * operator's own policies lie in the directory: no tenant filter is forced on them, and they may send to every address
 * that is not denied.
 */
export const directoryPlane = "directory";

/** Why a project cannot be exported under its name; undefined for one that can. */
export function projectNameProblem(project: string): string | undefined {
  if (project !== directoryPlane) return undefined;
  return `cannot be "${directoryPlane}": that is the plane of policies.directory, whose policies have the operator's rights`;
}
