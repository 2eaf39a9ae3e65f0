import { systemClock } from "../../../base/core/clock.ts";
import { type BackupContents, type OpenBackup, readContents } from "../../../kube-server/backup/contents.ts";
import { restorePlatform } from "../../../kube-server/backup/restore.ts";
import { withRestoreLease } from "../../../kube-server/backup/restore-lease.ts";
import { restoreProject } from "../../../kube-server/backup/restore-project.ts";
import { platformRecords } from "../../../platform/backup-records.ts";
import { loadCommandConfig } from "../command-config.ts";
import { audited } from "../platform/audited.ts";
import { type PlatformParts, withPlatform } from "../platform/platform-access.ts";
import { createProgress, type Output } from "../progress.ts";
import { printable } from "../table.ts";
import { withBackupInput } from "./backup-input.ts";
import { type BackupOptions, projectPlane } from "./create.ts";

/**
 * `telemetryd backup restore FILE [--project ORGANIZATION/NAME]`: the whole platform into an empty Redis, or
 * one project, from either kind of backup. The file is checked in full before anything is written.
 *
 * @throws INVALID_ARGUMENT for a file that is incomplete or changed, and where what is restored exists
 */
export async function restoreBackup(
  options: BackupOptions,
  stdin: AsyncIterable<Buffer>,
  stderr: Output,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const progress = createProgress(stderr);
  const onProgress = (objects: number) => progress.show(`${objects} objects`, systemClock.nowMs());
  const restore = async (parts: PlatformParts, open: OpenBackup, contents: BackupContents) => {
    const all = { ...parts, own: platformRecords, nowMs: systemClock.nowMs(), onProgress };
    const project = options.project ?? contents.head.project;
    const work = async (
      held: AbortSignal,
    ): Promise<{ objects: number; planes: number; missing?: readonly string[] }> =>
      project === undefined
        ? await restorePlatform(all, open, contents, held)
        : await restoreProject(all, open, contents, project, held);
    return await withRestoreLease(parts, systemClock, work, signal);
  };
  const {
    objects,
    planes,
    missing = [],
  } = await audited(
    config,
    {
      command: "backup restore",
      verb: "create",
      resource: "backups",
      subresource: "restore",
      plane: projectPlane(options.project),
    },
    () =>
      withBackupInput(options.path, stdin, config.state.directory, async (open) => {
        progress.show("checking the backup", systemClock.nowMs());
        const contents = await readContents(open, signal);
        return await withPlatform(config, (parts) => restore(parts, open, contents), signal);
      }),
    () => ({ code: 201 }),
  );
  for (const each of missing) progress.say(`not restored: ${printable(each)}`);
  progress.say(`restored ${objects} objects of ${planes} control planes`);
}
