import { spawn } from "node:child_process";
import { delimiter, resolve } from "node:path";
import { commandsFor, type Script } from "./programs.ts";

/** `npm run prove -- NAME [OPTIONS]`, and `bench` and `generate` likewise: runs a program of `programs.ts`. */
const projectRoot = resolve(import.meta.dirname, "../..");
const [script, name, ...options] = process.argv.slice(2);
const commands = commandsFor(script as Script, name);
if (typeof commands === "string") {
  process.stderr.write(`${commands}\n`);
  process.exitCode = 2;
} else {
  for (const command of commands) process.exitCode ||= await run(command);
}

/** @returns the exit status */
async function run(command: string): Promise<number> {
  const child = spawn("sh", ["-c", `exec ${command} "$@"`, "sh", ...options], {
    cwd: projectRoot,
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${projectRoot}/node_modules/.bin${delimiter}${process.env["PATH"] ?? ""}`,
    },
  });
  // The program ends in order first; a terminal sends its signals to both.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  const status = await new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code ?? 1));
  });
  for (const signal of signals) process.off(signal, forward);
  return status;
}
