import type { Command } from "commander";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  tableOrJson,
} from "../command.ts";
import { opsAddressOption } from "../ops-address.ts";

interface DoctorCommandOptions extends ConfigOptions {
  readonly address: string;
  readonly bundle?: string;
  readonly output: "table" | "json";
}

/** Registers `doctor`. */
export function registerDoctor(program: Command, { stopSignal, finish }: CommandContext): void {
  configured(program.command("doctor"))
    .description("check an installation: what the configuration needs, whether it is there, and what to do")
    .option("--bundle <file.tar.gz>", "also write the results for a support request, without secrets")
    .addOption(opsAddressOption())
    .addOption(tableOrJson())
    .action(async (options: DoctorCommandOptions) => {
      const { doctor } = await import("./doctor.ts");
      finish(await doctor(configSources(options), stopSignal()));
    });
}
