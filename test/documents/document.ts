import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectRoot } from "../../scripts/daemon/build.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { DocumentShell, outputFault } from "./document-shell.ts";

/** A document whose blocks are run in their order, as printed. */
export interface DocumentRun {
  readonly document: string;
  /** The heading that ends what is run. */
  readonly until?: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands in place of an address or a path of the document. Later ones may come from an output. */
  readonly replace: [text: string, by: string][];
  /** Blocks with one of these texts are not run. */
  readonly skip?: readonly string[];
  /** Called after each block of commands, with what it printed. */
  readonly after?: (block: string, output: string) => Promise<void> | void;
}

const block = /^([ ]*)```([a-z]+)\n(.*?)^\1```$/gms;
const outputLimitMs = 120_000;
const startLimitMs = 20_000;
const { signal } = new AbortController();

/** @returns the number of blocks that were used @throws an Error that names the document and the line */
export async function runDocument(run: DocumentRun): Promise<number> {
  const whole = await readFile(join(projectRoot, run.document), "utf8");
  const text = run.until === undefined ? whole : whole.slice(0, whole.indexOf(`\n${run.until}\n`));
  if (text === "") throw new Error(`${run.document} has no heading ${run.until}`);
  const shell = new DocumentShell(run.folder, run.env);
  let last: { commands: string; output: string; end: number } | undefined;
  let used = 0;
  try {
    for (const match of text.matchAll(block)) {
      const [, indent = "", language, body = ""] = match;
      const place = `${run.document}:${text.slice(0, match.index).split("\n").length}`;
      const printed = body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      if (run.skip?.some((each) => printed.includes(each))) continue;
      const content = () => run.replace.reduce((done, [from, by]) => done.replaceAll(from, by), printed);
      try {
        if (language === "yaml" || language === "json") {
          const file = fileNamed(text.slice(0, match.index));
          if (file === undefined) continue;
          await mkdir(dirname(join(run.folder, file)), { recursive: true });
          await writeFile(join(run.folder, file), content());
        } else if (language === "sh") {
          const output = await runBlock(shell, inBackground(content()));
          last = { commands: content(), output, end: match.index + match[0].length };
          await run.after?.(printed, output);
        } else if (language === "text" && last !== undefined && isNext(text, last.end, match.index)) {
          await expectOutput(shell, last, printed);
        } else continue;
      } catch (error) {
        throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
      }
      used++;
      console.log(`  ${place}`);
    }
  } finally {
    await shell.close();
  }
  return used;
}

/** An output follows its commands at once; any other text is an example. */
function isNext(text: string, end: number, begin: number): boolean {
  return text.slice(end, begin).trim() === "";
}

/** The file that the paragraph before a block names last, if it ends with a colon. */
function fileNamed(before: string): string | undefined {
  const paragraph =
    before
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  if (!paragraph.endsWith(":")) return undefined;
  return [...paragraph.matchAll(/`([\w./-]+\.(?:yaml|json))`/g)].at(-1)?.[1];
}

/** A daemon runs on in another terminal of the reader's. */
function inBackground(commands: string): string {
  return commands.replace(
    /^(telemetryd run .*)$/gm,
    "$1 >telemetryd.log 2>&1 &\nuntil curl -sf http://$TELEMETRYD_OPS_LISTEN/readyz >/dev/null; do sleep 0.2; kill -0 $! || { cat telemetryd.log; exit 1; }; done",
  );
}

/** What was just started may not listen yet. */
async function runBlock(shell: DocumentShell, commands: string): Promise<string> {
  const endMs = performance.now() + startLimitMs;
  for (;;) {
    try {
      return await shell.run(commands);
    } catch (error) {
      if (!isRepeatable(commands) || performance.now() > endMs) throw error;
      await sleep(500, signal);
    }
  }
}

/** Whether commands only show something. */
function isRepeatable(commands: string): boolean {
  const shows = /^(telemetryd (status|query|rejected list)|kubectl (\S+ \S+ )?get|curl -s|grep|export) ?/;
  return commands
    .trim()
    .split("\n")
    .every((line) => shows.test(line));
}

/** Commands that only show something are repeated until they show it. */
async function expectOutput(
  shell: DocumentShell,
  { commands, output }: { readonly commands: string; readonly output: string },
  printed: string,
): Promise<void> {
  let shown = output;
  const endMs = performance.now() + outputLimitMs;
  for (;;) {
    const fault = outputFault(printed, shown);
    if (fault === undefined) return;
    if (!isRepeatable(commands) || performance.now() > endMs)
      throw new Error(`${fault} in the output:\n${shown}`);
    await sleep(500, signal);
    shown = await shell.run(commands);
  }
}
