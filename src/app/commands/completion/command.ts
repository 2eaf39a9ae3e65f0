import { Argument, type Command } from "commander";
import type { CommandContext } from "../command.ts";
import type { Shell } from "./scripts.ts";

const installationHelp = `
To install it:
  bash   echo 'source <(telemetryd completion bash)' >> ~/.bashrc
  zsh    echo 'source <(telemetryd completion zsh)' >> ~/.zshrc    (after compinit)
  fish   telemetryd completion fish > ~/.config/fish/completions/telemetryd.fish
`;

/** Registers `completion`, and `__complete`, which its scripts call. */
export function registerCompletion(program: Command, { stdout }: CommandContext): void {
  program
    .command("completion")
    .description("print a script that completes commands, options and values in a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"] satisfies Shell[]))
    .addHelpText("after", installationHelp)
    .action(async (shell: Shell) => {
      const { completionScripts } = await import("./scripts.ts");
      stdout.write(completionScripts[shell]);
    });

  program
    .command("__complete", { hidden: true })
    .argument("[word...]")
    .action(async (words: string[]) => {
      const { completionsFor, printedCompletions } = await import("./completions.ts");
      stdout.write(printedCompletions(completionsFor(program, words)));
    });
}
