import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli, ensureBuilt, projectRoot } from "../../scripts/daemon/build.ts";
import { kubectlBinary } from "../support/plane/connected-kubectl.ts";

/** Completion in real shells and in kubectl, of the installed program. */

const run = promisify(execFile);
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await ensureBuilt(new AbortController().signal, () => undefined);
  folder = await mkdtemp(join(tmpdir(), "telemetryd-completion-"));
  const bin = join(folder, "bin");
  await mkdir(bin);
  const manifest = JSON.parse(await readFile(join(projectRoot, "package.json"), "utf8")) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  for (const [name, path] of Object.entries(manifest.bin))
    await symlink(join(projectRoot, path), join(bin, name));
  await writeFile(join(folder, "telemetryd.yaml"), "");
  env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}`, HOME: folder };
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function output(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { cwd: folder, env })).stdout;
}

async function candidates(...words: string[]): Promise<string[]> {
  const lines = (await output("telemetryd", "__complete", "--", ...words)).trimEnd().split("\n");
  return lines.slice(0, -1).map((line) => line.split("\t")[0] ?? "");
}

/** The names in one part of a command's help. */
function listed(help: string, part: "Commands" | "Options", name: RegExp): string[] {
  const text = new RegExp(`^${part}:\n((?: .*\n)*)`, "m").exec(help)?.[1] ?? "";
  return [...text.matchAll(name)].map(([, found]) => found ?? "");
}

test("every command, option and choice in the help is completed", async () => {
  const visited: string[] = [];
  const visit = async (...path: string[]): Promise<void> => {
    visited.push(path.join(" "));
    const help = await output(process.execPath, builtCli, ...path, "--help");
    const commands = listed(help, "Commands", /^ {2}([a-z-]+)/gm);
    if (commands.length > 0) expect(await candidates(...path, "")).toEqual(commands);
    const options = listed(help, "Options", /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
    expect(await candidates(...path, "--")).toEqual(options);
    const choices = /^ {2}(?:-\w, )?(--[a-z-]+) <(?:(?!\n {2}-)[^(])*\(choices:((?:\s+"\w+",?)+)/gm;
    for (const [, option = "", quoted = ""] of help.matchAll(choices)) {
      const values = [...quoted.matchAll(/"(\w+)"/g)].map(([, value]) => value);
      expect(await candidates(...path, option, "")).toEqual(values);
    }
    for (const command of commands) if (command !== "help") await visit(...path, command);
  };
  await visit();
  expect(visited).toEqual(expect.arrayContaining(["status", "rejected list", "completion"]));
});

describe("bash", () => {
  /** What the script offers at the end of a line, split as readline splits it. */
  async function complete(...words: string[]): Promise<string> {
    const quoted = ["telemetryd", ...words].map((word) => `'${word}'`).join(" ");
    const last = words.at(-1) ?? "";
    const test = `
      source <(telemetryd completion bash)
      compopt() { echo "compopt $*"; }
      COMP_WORDS=(${quoted}) COMP_CWORD=${words.length}
      _telemetryd telemetryd '${last === "=" ? "" : last}' ''
      echo "\${COMPREPLY[*]}"`;
    return (await output("bash", "--norc", "-euo", "pipefail", "-c", test)).trimEnd();
  }

  test.each<[string[], string]>([
    [["stat"], "status"],
    [["rejected", "l"], "list"],
    [["status", "--s"], "--sort"],
    [["status", "--output", "j"], "json"],
    [["status", "--output", "=", "j"], "json"],
    [["status", "--output", "="], "table wide json"],
    [["status", "--output=j"], "--output=json"],
    [["status", "--address", "http", ":", "//h", ":", "1", "--wat"], "--watch"],
    [["run", "--config", ""], "compopt -o default"],
    [["validate", "x"], "compopt -o default"],
    [["explain", '"$(touch evil)"', "`touch evil`", "--o"], "--output"],
    [["nothing", ""], ""],
  ])("%j", async (words, expected) => {
    expect(await complete(...words)).toBe(expected);
    await expect(readFile(join(folder, "evil"))).rejects.toThrow("ENOENT");
  });

  test("the script is registered for the program, and may be sourced twice", async () => {
    const twice = "source <(telemetryd completion bash); source <(telemetryd completion bash); complete -p";
    expect(await output("bash", "--norc", "-c", twice)).toBe("complete -F _telemetryd telemetryd\n");
  });
});

/** Whether a shell is installed here. */
const isThere = (shell: string) =>
  run(shell, ["-c", "true"]).then(
    () => true,
    () => false,
  );

describe.runIf(await isThere("zsh"))("zsh", () => {
  /**
   * What the script offers at the end of a line, whose words are as typed, quotes included. `compset -P` strips
   * a prefix of the word, which the completion system itself does outside of a test.
   */
  async function complete(...words: string[]): Promise<string> {
    const test = `
      compdef() { :; }
      _describe() { echo "$1 of <$PREFIX>"; print -rl -- "\${(@P)2}"; }
      _files() { echo "files of <$PREFIX>"; }
      compset() { [[ $1 == -P ]] && PREFIX=\${PREFIX#\${~2}}; }
      source <(telemetryd completion zsh)
      words=(telemetryd "$@") CURRENT=$(( $# + 1 )) PREFIX=$argv[-1]
      _telemetryd`;
    return (await output("zsh", "-f", "-u", "-c", test, "zsh", ...words)).trimEnd();
  }

  const offers = (typed: string, ...lines: string[]) => [`telemetryd of <${typed}>`, ...lines].join("\n");
  test.each<[string[], string | RegExp]>([
    [["stat"], /^telemetryd of <stat>\nstatus:show [^\n]+$/],
    [["rejected", "l"], /^telemetryd of <l>\nlist:[^\n]+$/],
    [["status", "--s"], /^telemetryd of <--s>\n--sort:[^\n]+$/],
    [["status", "--output", ""], offers("", "table", "wide", "json")],
    [["status", "--output", "j"], offers("j", "json")],
    // The part before the value is no part of what is replaced.
    [["status", "--output=j"], offers("j", "json")],
    [["run", "--config", ""], "files of <>"],
    [["run", "--config=tele"], "files of <tele>"],
    [["validate", "x"], "files of <x>"],
    // The program is given what the quotes mean.
    [["'rejected'", '"l"'], /^telemetryd of <"l">\nlist:[^\n]+$/],
    [["explain", '"$(touch evil)"', "`touch evil`", "--o"], /^telemetryd of <--o>\n--output:[^\n]+$/],
    [["nothing", ""], ""],
  ])("%j", async (words, expected) => {
    expect(await complete(...words)).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
    await expect(readFile(join(folder, "evil"))).rejects.toThrow("ENOENT");
  });
});

describe.runIf(await isThere("fish"))("fish", () => {
  test.each<[string, RegExp]>([
    ["telemetryd stat", /^status\tshow/],
    ["telemetryd status --output=j", /^--output=json\n$/],
    ["telemetryd run --config tele", /^telemetryd\.yaml/m],
    ["telemetryd run --config=tele", /^--config=telemetryd\.yaml/m],
  ])("%s", async (line, expected) => {
    const command = `telemetryd completion fish | source; complete --do-complete '${line}'`;
    expect(await output("fish", "--no-config", "-c", command)).toMatch(expected);
  });
});

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  const kubectl = (...args: string[]) => output(kubectlBinary ?? "kubectl", ...args);

  test("finds the plugin, whose help has its name", async () => {
    expect(await kubectl("plugin", "list", "--name-only").catch(({ stdout }) => stdout)).toContain(
      "kubectl-telemetryd",
    );
    expect(await kubectl("telemetryd", "status", "--help")).toMatch(
      /^Usage: kubectl telemetryd status \[options\]/,
    );
  });

  test("passes on arguments and exit statuses", async () => {
    await expect(kubectl("telemetryd", "status", "--sort", "size")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Allowed choices are name, lag, state, error."),
    });
  });

  test.each<[string[], string]>([
    [["sta"], "status\tshow what a running daemon does\n:4"],
    [["status", "--output", ""], "table\nwide\njson\n:4"],
    [["run", "--config", ""], ":0"],
  ])("completes %j", async (words, expected) => {
    expect((await kubectl("__complete", "telemetryd", ...words)).trimEnd()).toBe(expected);
  });
});
