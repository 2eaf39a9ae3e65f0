import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../../src/base/core/program-file.ts";

/** Go's own installer puts it here, and leaves PATH to the user. */
const goFolder = "/usr/local/go/bin";

export async function findGo(): Promise<string | undefined> {
  return findProgram("go", [goFolder]);
}

/** A program that Go builds. */
export interface GoProgram {
  /** With the version of its module: `example.com/module/cmd/program@v1.2.3`. */
  readonly goPackage: string;
  /** The variable of the source that holds the program's version, where it has no other way to know it. */
  readonly versionVariable?: string;
  /** Of the build; see `go help buildconstraint`. */
  readonly tags?: string;
}

/**
 * Builds a program as `file`, which appears when it is complete.
 *
 * @throws an Error with Go's message
 */
export async function buildWithGo(
  go: string,
  { goPackage, versionVariable, tags = "" }: GoProgram,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, "building-"));
  // Without C no compiler for C is needed.
  const env = { ...process.env, GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  const run = (...args: string[]) => promisify(execFile)(go, args, { signal, env, cwd: work });
  const [path = "", version = ""] = goPackage.split("@");
  const program = join(work, basename(file));
  // Without symbols it links faster.
  const flags = ["-s", "-w"];
  if (versionVariable !== undefined) flags.push("-X", `${versionVariable}=${basename(file)}-${version}`);
  try {
    // As a module of ours and not by `go install`, which refuses modules that replace others.
    await run("mod", "init", "build");
    await run("get", goPackage);
    await run("build", "-o", program, "-tags", tags, `-ldflags=${flags.join(" ")}`, path);
    await rename(program, file);
  } catch (error) {
    signal.throwIfAborted();
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(`building ${goPackage}: ${stderr.split("\n").slice(-5).join("; ") || String(error)}`, {
      cause: error,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
