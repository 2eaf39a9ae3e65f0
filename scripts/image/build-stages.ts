import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, posix, resolve } from "node:path";
import { prepareBase } from "./debian-base.ts";
import { dockerContext } from "./docker-ignore.ts";
import { type Instruction, neededStages, parseDockerfile, type Stage } from "./dockerfile.ts";
import { ended, startInStage } from "./stage-root.ts";

/** The last stage, ready to run: a folder with its files, and the command to start. */
export interface BuiltImage {
  readonly folder: string;
  /** The folder contains its own programs; otherwise this machine's are used in place of the base image's. */
  readonly isWhole?: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

export interface BuildOptions {
  /** The project folder: the build context. */
  readonly context: string;
  /** An empty folder for the stages. */
  readonly work: string;
  readonly onStep: (text: string) => void;
}

interface StageState {
  readonly folder: string;
  env: Record<string, string>;
  cwd: string;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
}

/**
 * Runs the steps of the Dockerfile, each stage in its own folder, with this machine in place of the base
 * image.
 */
export async function buildStages(options: BuildOptions): Promise<BuiltImage> {
  const stages = neededStages(parseDockerfile(readFileSync(join(options.context, "Dockerfile"), "utf8")));
  const built = new Map<string, StageState>();
  let last: StageState | undefined;
  for (const stage of stages) {
    last = await buildStage(stage, built, options);
    built.set(stage.name, last);
  }
  if (last === undefined) throw new Error("the Dockerfile has no stage");
  return last;
}

async function buildStage(
  stage: Stage,
  built: ReadonlyMap<string, StageState>,
  options: BuildOptions,
): Promise<StageState> {
  const folder = join(options.work, stage.name);
  mkdirSync(folder, { recursive: true });
  prepareBase(folder);
  const state: StageState = {
    ...{ folder, env: {}, cwd: "/", user: "0:0", entrypoint: [], command: [], healthcheck: [] },
  };
  for (const instruction of stage.instructions) {
    await runInstruction(instruction, state, built, options);
  }
  return state;
}

async function runInstruction(
  instruction: Instruction,
  state: StageState,
  built: ReadonlyMap<string, StageState>,
  options: BuildOptions,
): Promise<void> {
  const { keyword, words, text } = instruction;
  switch (keyword) {
    case "WORKDIR":
      state.cwd = posix.resolve(state.cwd, text);
      mkdirSync(join(state.folder, state.cwd), { recursive: true });
      return;
    case "ENV":
      for (const [, name = "", value = ""] of text.matchAll(/(\w+)=(\S+)/g)) state.env[name] = value;
      return;
    case "COPY":
      copy(instruction, state, built, options.context);
      return;
    case "RUN": {
      options.onStep(`RUN ${text}`);
      const argv = ["/bin/sh", "-c", text];
      const { status, output } = await ended(
        startInStage(state.folder, { argv, cwd: state.cwd, env: { ...state.env, CI: "true" } }),
      );
      if (status !== 0) throw new Error(`RUN ${text} ended with ${status}:\n${output}`);
      return;
    }
    case "USER":
      state.user = text;
      return;
    case "ENTRYPOINT":
      state.entrypoint = words;
      return;
    case "CMD":
      state.command = words;
      return;
    case "HEALTHCHECK":
      state.healthcheck = words;
      return;
    case "ARG":
    case "LABEL":
    case "EXPOSE":
    case "VOLUME":
      return;
    default:
      throw new Error(`the Dockerfile has ${keyword}, which this script cannot do`);
  }
}

function copy(
  { words, flags }: Instruction,
  state: StageState,
  built: ReadonlyMap<string, StageState>,
  context: string,
): void {
  const from = flags["from"];
  const target = words.at(-1) ?? "";
  const targetPath = join(state.folder, posix.resolve(state.cwd, target));
  const other = from === undefined ? undefined : built.get(from);
  if (from !== undefined && other === undefined)
    throw new Error(`COPY --from=${from}: there is no such stage`);
  const keeps = dockerContext(readFileSync(join(context, ".dockerignore"), "utf8"));
  for (const source of words.slice(0, -1)) {
    const sourcePath = other === undefined ? resolve(context, source) : join(other.folder, source);
    const isFolder = statSync(sourcePath).isDirectory();
    const to = target.endsWith("/") && !isFolder ? join(targetPath, basename(source)) : targetPath;
    mkdirSync(dirname(to), { recursive: true });
    const filter = (path: string): boolean =>
      other !== undefined || statSync(path).isDirectory() || keeps(path.slice(context.length + 1));
    cpSync(sourcePath, to, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** Total size of the files below a folder, in bytes, as `du --apparent-size` counts it. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Creates a folder owned by a user, like a volume at VOLUME. */
export function volumeFor(user: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const [uid = 0, gid = 0] = user.split(":").map(Number);
  chownSync(folder, uid, gid);
  return folder;
}
