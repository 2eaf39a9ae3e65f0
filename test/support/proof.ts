import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Option, readOptions, type ValuesOf } from "../../scripts/run/options.ts";
import { describeError } from "../../src/base/core/errors.ts";
import { Releasers } from "../../src/base/core/service.ts";

/** A proof that `npm run prove` runs by its name. */
export interface Proof<O extends Readonly<Record<string, Option<unknown>>>> {
  readonly name: string;
  /** For `--help`: what the proof does. */
  readonly about: string;
  readonly options: O;
  /** The run fails after this long; default: never. */
  limitMs?(options: ValuesOf<O>): number;
  /** @returns whether the proof holds; faults may also be thrown */
  run(options: ValuesOf<O>, context: ProofContext): Promise<boolean>;
}

export interface ProofContext {
  /** An empty folder. It is removed when the proof holds, and its path is printed otherwise. */
  readonly folder: string;
  /** Released at the end, also on SIGINT, SIGTERM and after the time limit. */
  readonly releasers: Releasers;
}

/** Runs a proof with this process's arguments; the process ends with 0 if it holds. */
export async function runProof<O extends Readonly<Record<string, Option<unknown>>>>(
  proof: Proof<O>,
): Promise<void> {
  const { name } = proof;
  const options = readOptions(`npm run prove -- ${name}`, proof.about, proof.options);
  const shown = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const repeated = shown.map(([option, value]) => ` --${option}${value === true ? "" : ` ${value}`}`);
  console.log(`${name}:${repeated.join("")}`);
  const folder = await mkdtemp(join(tmpdir(), `telemetryd-${name}-`));
  const releasers = new Releasers();
  const end = (status: number): void =>
    void releasers
      .releaseAll()
      .catch(() => undefined)
      .finally(() => process.exit(status));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end(130));
  const limitMs = proof.limitMs?.(options);
  const watchdog =
    limitMs === undefined
      ? undefined
      : setTimeout(() => {
          console.error(`${name}: not over after ${limitMs / 1000} s; logs and state: ${folder}`);
          end(1);
        }, limitMs);
  let holds = false;
  try {
    holds = await proof.run(options, { folder, releasers });
  } catch (error) {
    console.error(`${name}: ${describeError(error)}`);
  }
  clearTimeout(watchdog);
  await releasers.releaseAll().catch((error: unknown) => {
    console.error(`${name}: ${describeError(error)}`);
    holds = false;
  });
  if (holds) await rm(folder, { recursive: true, force: true });
  else console.log(`${name}: logs and state: ${folder}`);
  process.exitCode = holds ? 0 : 1;
}
