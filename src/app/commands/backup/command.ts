import type { Command } from "commander";
import { type CommandContext, type ConfigOptions, configSources, configured } from "../command.ts";

interface FileOptions extends ConfigOptions {
  readonly project?: string;
}

/** Registers the commands that back up and restore the platform. */
export function registerBackup(program: Command, { stdout, stderr, stopSignal }: CommandContext): void {
  const backup = program
    .command("backup")
    .description("back up and restore the platform that runs here, or one of its projects");

  configured(backup.command("create"))
    .description("write a backup while the platform runs; it has secrets: only its owner may read it")
    .argument("<file>", 'a file, or "-" for standard output')
    .option("--project <organization/name>", "only this project")
    .action(async (path: string, options: FileOptions) => {
      const { createBackup } = await import("./create.ts");
      await createBackup({ ...configSources(options), path }, stdout, stderr, stopSignal());
    });

  configured(backup.command("restore"))
    .description("restore a backup into an empty Redis, or one project into a platform without it")
    .argument("<file>", 'a file, or "-" for standard input')
    .option("--project <organization/name>", "only this project of the backup")
    .action(async (path: string, options: FileOptions) => {
      const { restoreBackup } = await import("./restore.ts");
      await restoreBackup({ ...configSources(options), path }, process.stdin, stderr, stopSignal());
    });

  configured(backup.command("export"))
    .description("print a project as YAML for git and kubectl apply, without what the server writes")
    .requiredOption("--project <organization/name>", "the project")
    .option("--with-secrets", "also print Secrets, with their values")
    .action(async (options: ConfigOptions & { project: string; withSecrets?: boolean }) => {
      const { exportProject } = await import("./export.ts");
      await exportProject({ withSecrets: false, ...configSources(options) }, stdout, stopSignal());
    });
}
