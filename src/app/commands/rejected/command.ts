import type { Command } from "commander";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  tableOrJson,
  wholeNumber,
} from "../command.ts";

/** Registers `rejected` and its commands. */
export function registerRejected(program: Command, { stdout, log, stopSignal }: CommandContext): void {
  const rejected = program.command("rejected").description("inspect and resend permanently rejected samples");

  const folderOf = async (options: ConfigOptions): Promise<string> => {
    const { loadCommandConfig } = await import("../command-config.ts");
    const { rejectedDirectory } = await import("../../daemon/export-tools.ts");
    return rejectedDirectory(await loadCommandConfig(configSources(options), stopSignal()));
  };
  /** For functions that print a table by default: omitted unless `json`. */
  const jsonOnly = ({ output }: { readonly output: string }) =>
    output === "json" ? { output: "json" as const } : {};

  configured(rejected.command("list"))
    .description("list what is kept, oldest first")
    .addOption(tableOrJson())
    .action(async (options: ConfigOptions & { output: string }) => {
      const { showRejectedList } = await import("./rejected.ts");
      await showRejectedList(await folderOf(options), jsonOnly(options), stdout, Date.now());
    });

  configured(rejected.command("show"))
    .description("show an entry and its first samples")
    .argument("<id>")
    .option("--limit <samples>", "how many samples", wholeNumber, 20)
    .addOption(tableOrJson())
    .action(async (id: string, options: ConfigOptions & { output: string; limit: number }) => {
      const { showRejected } = await import("./rejected.ts");
      const { limit } = options;
      await showRejected(await folderOf(options), id, { ...jsonOnly(options), limit }, stdout);
    });

  configured(rejected.command("replay"))
    .description("resend entries (their samples arrive out of order); those that are delivered are deleted")
    .argument("<id...>")
    .action(async (ids: string[], options: ConfigOptions) => {
      const { replayRejected } = await import("./rejected-replay.ts");
      await replayRejected({ ...configSources(options), ids }, stdout, log, stopSignal());
    });

  configured(rejected.command("delete"))
    .description("delete entries")
    .argument("<id...>")
    .action(async (ids: string[], options: ConfigOptions) => {
      const { deleteRejectedEntries } = await import("./rejected.ts");
      await deleteRejectedEntries(await folderOf(options), ids, stdout);
    });
}
