import { copyFile, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { startChild } from "../../scripts/servers/child.ts";
import { findGo } from "../../scripts/servers/go.ts";

/** A program of tests in one Go file. */
export interface GoSource {
  readonly name: string;
  readonly source: string;
  /** Modules that it needs, with their versions. */
  readonly modules: readonly string[];
  /** Packages of these modules to build as well: programs beside it, by the last parts of their paths. */
  readonly commands?: readonly string[];
}

/**
 * Builds a program below `.servers`, once for each change of its file.
 *
 * @returns the program's path
 */
export async function buildGoSource(
  { name, source, modules, commands = [] }: GoSource,
  signal: AbortSignal,
): Promise<string> {
  const folder = resolve(".servers", name);
  const program = join(folder, "program");
  const built = await stat(program).catch(() => undefined);
  if (built !== undefined && built.mtimeMs > (await stat(source)).mtimeMs) return program;
  const go = await findGo();
  if (go === undefined) throw new Error(`${name} needs Go, which is not installed`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyFile(source, join(folder, "main.go"));
  const run = async (...args: string[]): Promise<void> => {
    const env = { GOFLAGS: "-mod=mod", PATH: `${dirname(go)}:${process.env["PATH"] ?? ""}` };
    // Other proofs run beside it, and some of them are timed.
    const command = { program: "nice", args: ["-n", "10", go, ...args] };
    const child = await startChild({ name: "go", ...command, cwd: folder, env });
    const abort = () => child.signal("SIGTERM");
    signal.addEventListener("abort", abort);
    const { code } = await child.exited.finally(() => signal.removeEventListener("abort", abort));
    if (code !== 0) throw new Error(`go ${args.join(" ")}:\n${child.log()}`);
  };
  await run("mod", "init", name);
  await run("get", ...modules);
  await run("mod", "tidy");
  for (const each of commands) await run("build", "-o", `${folder}/`, each);
  // Last: it says that all are built.
  await run("build", "-o", program, ".");
  return program;
}
