import { type Command, InvalidArgumentError } from "commander";
import { parseDuration } from "../../../base/core/duration.ts";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  textOrJson,
} from "../command.ts";

interface PlanCommandOptions extends ConfigOptions {
  readonly project?: string;
  readonly probe?: true;
  readonly window: number;
  readonly output: "text" | "json";
}

/** Registers `plan`. */
export function registerPlan(program: Command, { log, stopSignal, finish }: CommandContext): void {
  configured(program.command("plan"))
    .description("what policies would select and send, from the store's last minutes; nothing is delivered")
    .argument("<file>", "manifest of ExportPolicies, and of Secrets that they name")
    .option("--project <name>", "as policies of this project; default: as those of a directory")
    .option("--probe", "send each receiver an empty request, with the sink's credentials")
    .option("--window <duration>", "how much to read of the store, up to 1h", duration, 300_000)
    .addOption(textOrJson())
    .action(async (policies: string, options: PlanCommandOptions) => {
      const { plan } = await import("./plan.ts");
      const wanted = { ...configSources(options), policies, windowMs: options.window };
      finish(await plan(wanted, log, stopSignal()));
    });
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1_000 && ms <= 3_600_000) return ms;
  throw new InvalidArgumentError("It must be a duration from 1s to 1h.");
}
