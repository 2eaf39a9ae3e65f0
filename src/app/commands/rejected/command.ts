import type { Command } from "commander";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { RejectedAccess } from "../../../exporter/remote-write/rejected/rejected-access.ts";
import { type CommandContext, overrides, tableOrJson, wholeNumber } from "../command.ts";
import { opsAddressOption } from "../ops-address.ts";
import type { RejectedPlace } from "./open-rejected.ts";
import type { RejectedChoice, RejectedSelection } from "./rejected.ts";

interface SelectOptions extends RejectedPlace {
  readonly sink?: string;
  readonly reason?: string;
  readonly since?: string;
}

/** Registers `rejected` and its commands. */
export function registerRejected(program: Command, { stdout, log, stopSignal }: CommandContext): void {
  const rejected = program.command("rejected").description("inspect and resend permanently rejected samples");

  const withAccess = async (
    place: RejectedPlace,
    work: (access: RejectedAccess, signal: AbortSignal) => Promise<void>,
    sends = false,
  ): Promise<void> => {
    const { withRejected } = await import("./open-rejected.ts");
    const signal = stopSignal();
    await withRejected(place, sends, (access) => work(access, signal), log, signal);
  };
  /** For functions that print a table by default: omitted unless `json`. */
  const jsonOnly = ({ output }: { readonly output: string }) =>
    output === "json" ? { output: "json" as const } : {};

  selecting(placed(rejected.command("list")))
    .description("list what is kept, for each sink and reason, the newest first")
    .option("--entries", "list each entry, oldest first")
    .option("--limit <lines>", "how many of the newest", wholeNumber, 50)
    .addOption(tableOrJson())
    .action(async (options: SelectOptions & { output: string; limit: number; entries?: true }) => {
      const { showRejectedList } = await import("./rejected.ts");
      const { limit, entries } = options;
      const list = { ...(await selectionOf(options)), ...jsonOnly(options), limit, entries };
      await withAccess(options, (access, signal) =>
        showRejectedList(access, list, stdout, Date.now(), signal),
      );
    });

  placed(rejected.command("show"))
    .description("show an entry, an example of its series and its first samples")
    .argument("<id>")
    .option("--limit <samples>", "how many samples", wholeNumber, 20)
    .addOption(tableOrJson())
    .action(async (id: string, options: RejectedPlace & { output: string; limit: number }) => {
      const { showRejected } = await import("./rejected.ts");
      const shown = { ...jsonOnly(options), limit: options.limit };
      await withAccess(options, (access, signal) => showRejected(access, id, shown, stdout, signal));
    });

  selecting(placed(rejected.command("replay")))
    .description("resend entries (their samples arrive out of order); those that are delivered are deleted")
    .argument("[id...]")
    .action(async (ids: string[], options: SelectOptions) => {
      const { replayRejectedEntries } = await import("./rejected.ts");
      const choice = await choiceOf(ids, options);
      await withAccess(
        options,
        (access, signal) => replayRejectedEntries(access, choice, stdout, signal),
        true,
      );
    });

  selecting(placed(rejected.command("delete")))
    .description("delete entries")
    .argument("[id...]")
    .action(async (ids: string[], options: SelectOptions) => {
      const { deleteRejectedEntries } = await import("./rejected.ts");
      const choice = await choiceOf(ids, options);
      await withAccess(options, (access, signal) => deleteRejectedEntries(access, choice, stdout, signal));
    });
}

/** A command that asks a running daemon, or reads the folder of a configuration. */
function placed(command: Command): Command {
  return overrides(
    command
      .addOption(opsAddressOption())
      .option("--config <file>", "configuration file (YAML), to use its state directory instead of a daemon"),
  );
}

function selecting(command: Command): Command {
  return command
    .option("--sink <namespace/policy/sink>", "only of this sink")
    .option("--reason <text>", "only if the receiver's message contains this text")
    .option(
      "--since <time>",
      "only those rejected since: RFC 3339, Unix seconds, or a duration before now (6h)",
    );
}

async function selectionOf({ sink, reason, since }: SelectOptions): Promise<RejectedSelection> {
  const { parseTime } = await import("../time.ts");
  return { sink, reason, sinceMs: since === undefined ? undefined : parseTime(since, "--since", Date.now()) };
}

async function choiceOf(ids: readonly string[], options: SelectOptions): Promise<RejectedChoice> {
  const { sink, ...selection } = await selectionOf(options);
  if (ids.length > 0) {
    if (sink === undefined && options.reason === undefined && options.since === undefined) return ids;
    throw new TelemetrydError("INVALID_ARGUMENT", "give ids, or --sink with --reason and --since, not both");
  }
  // Without a sink, a forgotten argument would select everything.
  if (sink === undefined) throw new TelemetrydError("INVALID_ARGUMENT", "give ids, or --sink");
  return { ...selection, sink };
}
