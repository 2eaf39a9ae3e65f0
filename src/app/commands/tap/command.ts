import type { Command } from "commander";
import { type CommandContext, textOrJson, wholeNumber } from "../command.ts";
import { opsAddressOption } from "../ops-address.ts";

/** Registers `tap`. */
export function registerTap(program: Command, { stdout, stderr, stopSignal }: CommandContext): void {
  program
    .command("tap")
    .description("show what a sink sends, as it is sent; Ctrl-C ends it")
    .argument("<sink>", "namespace/policy/sink; of a control plane: project/namespace/policy/sink")
    .argument("[selector]", "series to show, such as '{job=\"node\"}'")
    .option("--rate <samples>", "samples a second to show at most; 0: all", wholeNumber, 100)
    .addOption(opsAddressOption())
    .addOption(textOrJson())
    .action(async (sink: string, selector: string | undefined, options: TapCallOptions) => {
      const { tap } = await import("./tap.ts");
      const { address, rate, output } = options;
      await tap({ address, sink, selector, rate, json: output === "json" }, stdout, stderr, stopSignal());
    });
}

interface TapCallOptions {
  readonly address: string;
  readonly rate: number;
  readonly output: "text" | "json";
}
