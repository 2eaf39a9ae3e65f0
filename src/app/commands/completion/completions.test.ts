import { Argument, Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { completionsFor, printedCompletions } from "./completions.ts";

const program = new Command("demo").version("1.0.0", "-V, --version", "print the version");
program
  .command("run")
  .description("run it")
  .requiredOption("--config <file>", "its configuration")
  .option("--set <key=value>", "a key; repeatable", (value, previous: string[]) => [...previous, value], [])
  .addOption(new Option("-o, --output <format>", "how to print").choices(["text", "json"]))
  .option("-w, --watch", "keep on")
  .addOption(new Option("--secret <text>").hideHelp());
program.command("check").argument("<path...>", "files").option("--limit <number>", "how many");
program.command("shell").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
program.command("query").argument("<query>");
program.command("hidden", { hidden: true });
const group = program.command("group").description("several");
group.command("list").description("list them");
group.command("show").argument("<id>");

const complete = (...words: string[]) => {
  const { candidates, files } = completionsFor(program, words);
  return files ? "files" : candidates.map(({ value }) => value).join(" ");
};

describe("completionsFor", () => {
  const runOptions = "--config --set --output --watch --help";
  test.each<[string[], string]>([
    [[], "run check shell query group help"],
    [[""], "run check shell query group help"],
    [["r"], "run"],
    [["hid"], ""],
    [["-"], "--version --help"],
    [["nothing", ""], ""],
    [["run", ""], runOptions],
    [["run", "--"], runOptions],
    [["run", "--o"], "--output"],
    [["run", "--watch", "--"], "--config --set --output --help"],
    [["run", "-w", "--"], "--config --set --output --help"],
    [["run", "--set", "a=b", "--s"], "--set"],
    [["run", "--set=a=b", "--s"], "--set"],
    [["run", "--set", "--watch", "--w"], "--watch"],
    [["run", "--output", ""], "text json"],
    [["run", "-o", "j"], "json"],
    [["run", "--output=j"], "json"],
    [["run", "--output="], "text json"],
    [["run", "--output", "json", ""], "--config --set --watch --help"],
    [["run", "--config", ""], "files"],
    [["run", "--config", "-"], "files"],
    [["run", "--config=x"], "files"],
    [["run", "--set", ""], ""],
    [["run", "--set="], ""],
    [["run", "--unknown=x"], ""],
    [["run", "--unknown", "--w"], "--watch"],
    [["check", ""], "files"],
    [["check", "one", "two", ""], "files"],
    [["check", "one", "--"], "--limit --help"],
    [["check", "--", "--"], "files"],
    [["check", "--limit", ""], ""],
    [["shell", ""], "bash zsh"],
    [["shell", "z"], "zsh"],
    [["shell", "bash", ""], "--help"],
    [["query", "run", ""], "--help"],
    [["query", ""], ""],
    [["group", ""], "list show help"],
    [["group", "show", "list", ""], "--help"],
    [["group", "list", ""], "--help"],
    [["help", "gr"], "group"],
    [["help", "group", "l"], "list"],
    [["help", "help", ""], "run check shell query group help"],
  ])("%j", (words, expected) => {
    expect(complete(...words)).toBe(expected);
  });
});

test("printed as cobra's programs print them", () => {
  expect(printedCompletions(completionsFor(program, ["group", "l"]))).toBe("list\tlist them\n:4\n");
  expect(printedCompletions(completionsFor(program, ["run", "-o", ""]))).toBe("text\njson\n:4\n");
  expect(printedCompletions(completionsFor(program, ["check", ""]))).toBe(":0\n");
  expect(printedCompletions(completionsFor(program, ["query", ""]))).toBe(":4\n");
});
