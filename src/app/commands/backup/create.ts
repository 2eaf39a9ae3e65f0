import { formatByteSize } from "../../../base/core/byte-size.ts";
import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { BackupWriter } from "../../../kube-server/backup/backup-file.ts";
import { writeSnapshot } from "../../../kube-server/backup/snapshot.ts";
import { platformRecords } from "../../../platform/backup-records.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { audited } from "../platform/audited.ts";
import { type PlatformParts, withPlatform } from "../platform/platform-access.ts";
import { createProgress, type Output } from "../progress.ts";
import { withBackupOutput } from "./backup-output.ts";

export interface BackupOptions extends ConfigCommandOptions {
  /** `-`: the standard stream. */
  readonly path: string;
  /** `ORGANIZATION/NAME`: only this project. */
  readonly project?: string | undefined;
}

/**
 * `telemetryd backup create FILE [--project ORGANIZATION/NAME]`: writes all that the platform has in Redis,
 * as it is at one moment, while it runs.
 *
 * @throws INVALID_ARGUMENT for a file that cannot be written, or a project that does not exist
 */
export async function createBackup(
  options: BackupOptions,
  stdout: NodeJS.WriteStream,
  stderr: Output,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const progress = createProgress(stderr);
  const write = async (parts: PlatformParts) => {
    const project = options.project === undefined ? undefined : await findProject(parts, options.project);
    return await withBackupOutput(options.path, stdout, async (output) => {
      const writer = new BackupWriter((bytes) => output.write(bytes));
      const onProgress = (objects: number) => progress.show(`${objects} objects`, systemClock.nowMs());
      const all = { ...parts, own: platformRecords, writer, onProgress };
      const summary = await writeSnapshot(all, project, signal);
      return { ...summary, bytes: writer.bytes };
    });
  };
  const { objects, planes, bytes, resourceVersion } = await audited(
    config,
    { command: "backup create", verb: "get", resource: "backups", plane: projectPlane(options.project) },
    () => withPlatform(config, write, signal),
  );
  const size = formatByteSize(bytes);
  progress.say(
    `${objects} objects of ${planes} control planes at resource version ${resourceVersion}: ${size}. The file has secrets and tokens' hashes: keep it as you keep them`,
  );
}

/** The control plane of `ORGANIZATION/NAME`, for the audit log. */
export function projectPlane(project: string | undefined) {
  if (project === undefined) return undefined;
  return { type: "project", name: project.slice(project.indexOf("/") + 1) } as const;
}

/** @throws INVALID_ARGUMENT if there is no such project */
export async function findProject({ directory }: PlatformParts, wanted: string): Promise<Plane> {
  const project = (await directory.listProjects()).find(
    ({ organization, name }) => `${organization}/${name}` === wanted,
  );
  if (project !== undefined) return project;
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `there is no project ${wanted}: name it as ORGANIZATION/NAME`,
  );
}
