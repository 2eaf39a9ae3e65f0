/**
 * One instruction of a Dockerfile: `COPY --from=build /app ./app` is COPY, { from: "build" }, ["/app",
 * "./app"].
 */
export interface Instruction {
  readonly keyword: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The words of the JSON (exec) form if used, else the words between spaces. */
  readonly words: readonly string[];
  /** Everything after the flags, as written. */
  readonly text: string;
  readonly isExecForm: boolean;
}

export interface Stage {
  /** The name after AS, else its number. */
  readonly name: string;
  /** The base image or stage. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Parses the project's Dockerfile: heredocs, ONBUILD and escape directives are not supported. */
export function parseDockerfile(text: string): Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(text)) {
    const stage = stages.at(-1);
    if (instruction.keyword === "FROM") {
      const [base = "", , name = String(stages.length)] = instruction.words;
      stages.push({ name, base, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else if (instruction.keyword !== "ARG") throw new Error(`${instruction.keyword} before the first FROM`);
  }
  return stages;
}

/** The stages that the last one is made from, and itself, as an engine builds them. */
export function neededStages(stages: readonly Stage[]): Stage[] {
  const needed = new Set<string>();
  return stages
    .toReversed()
    .filter(({ name, base, instructions }, index) => {
      if (index > 0 && !needed.has(name)) return false;
      for (const from of [base, ...instructions.map(({ flags }) => flags["from"])]) {
        if (from !== undefined) needed.add(from);
      }
      return true;
    })
    .toReversed();
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map(parseInstruction);
}

function parseInstruction(line: string): Instruction {
  const [, keyword = "", afterKeyword = ""] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
  const flags: Record<string, string> = {};
  let text = afterKeyword;
  for (;;) {
    const match = /^--([a-z-]+)=(\S+)\s+/.exec(text);
    if (match === null) break;
    flags[match[1] ?? ""] = match[2] ?? "";
    text = text.slice(match[0].length);
  }
  // HEALTHCHECK's command follows a keyword of its own.
  const command = keyword.toUpperCase() === "HEALTHCHECK" ? text.replace(/^CMD\s+/, "") : text;
  const isExecForm = command.startsWith("[");
  const words = isExecForm
    ? (JSON.parse(command) as string[])
    : command.split(/\s+/).filter((word) => word !== "");
  return { keyword: keyword.toUpperCase(), flags, words, text: command, isExecForm };
}

/** The last instruction with that keyword in a stage, which is the effective one. */
export function lastOf(stage: Stage, keyword: string): Instruction | undefined {
  return stage.instructions.findLast((instruction) => instruction.keyword === keyword);
}
