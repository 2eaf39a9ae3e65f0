import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { runLoop, Wakeup } from "../../base/core/loop.ts";
import { itemSchema, printableText } from "./backlog.ts";
import { type Board, type BoardContent, type BoardResult, failed } from "./board.ts";

const label = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name, color: null })),
  z
    .object({ name: z.string().min(1), color: z.string().nullish() })
    .transform(({ name, color }) => ({ name, color: color?.replace(/^#/, "") ?? null })),
]);

/** GitHub's CLI writes null for what an item does not have. */
const labels = z
  .array(label)
  .nullish()
  .transform((given) => given ?? []);
const status = z
  .string()
  .nullish()
  .transform((given) => given ?? "");

const ours = itemSchema.extend({ labels, status });

/** Output of GitHub's CLI: `gh project item-list 22 --owner acme --limit 10000 --format json`. */
const exported = z
  .object({
    /** Null for an item that the exporting user may not see. */
    content: z
      .object({
        type: z.string().nullish(),
        number: z.number().nullish(),
        title: z.string().nullish(),
        url: z.string().nullish(),
      })
      .nullable(),
    labels,
    status,
  })
  .transform(({ content, labels, status }) =>
    content === null || content.type === "DraftIssue" || (content.url ?? undefined) === undefined
      ? undefined
      : { number: content.number, title: content.title, url: content.url, labels, status },
  )
  .pipe(itemSchema.optional());

/** Not a zod union, so that a fault is reported in terms of the intended form. */
const item = z.unknown().transform((value, context) => {
  const isExported = typeof value === "object" && value !== null && "content" in value;
  const parsed = (isExported ? exported : ours).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
  return z.NEVER;
});

const fileSchema = z.object({
  items: z.array(item),
  /** Set by exports: a total above the number of items means that the export was truncated. */
  totalCount: z.int().optional(),
});

const maxBytes = 64 * 1024 * 1024;
const pollMs = 2_000;
const settleMs = 50;

/**
 * A board in a JSON file: for the demo, for tests, and for boards exported by other means. Its version is a
 * hash of the bytes, so rewriting the same content changes nothing.
 */
export function createFileBoard(file: string, clock: Clock): Board {
  const path = resolve(file);

  async function read(): Promise<BoardResult<{ version: string; bytes: Buffer }>> {
    try {
      const { size } = await stat(path);
      if (size > maxBytes) return failed("malformed", `${file}: larger than ${maxBytes / 1024 / 1024} MiB`);
      const bytes = await readFile(path);
      return { ok: true, value: { version: createHash("sha256").update(bytes).digest("hex"), bytes } };
    } catch (error) {
      return failed("unavailable", `${file}: ${describeError(error)}`);
    }
  }

  return {
    id: `file:${path}`,
    async head() {
      const result = await read();
      return result.ok ? { ok: true, value: { version: result.value.version } } : result;
    },
    async items() {
      const result = await read();
      return result.ok ? parse(file, result.value.bytes.toString("utf8")) : result;
    },
    watch: (onChange, signal) => watchFile(path, onChange, clock, signal),
  };
}

function parse(file: string, text: string): BoardResult<BoardContent> {
  let json: unknown;
  try {
    // PowerShell writes a byte order mark.
    json = JSON.parse(text.replace(/^\ufeff/, ""), (_key, value: unknown) =>
      typeof value === "string" ? printableText(value) : value,
    );
  } catch (error) {
    return failed("malformed", `${file}: ${describeError(error)}`);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failed("malformed", `${file}: ${issue?.path.join(".") || "the file"}: ${issue?.message}`);
  }
  const { items, totalCount } = parsed.data;
  if (totalCount !== undefined && totalCount > items.length) {
    return failed("incomplete", `${file}: holds ${items.length} of ${totalCount} items; export them all`);
  }
  const shown = items.filter((item) => item !== undefined);
  return { ok: true, value: { items: shown, leftOut: items.length - shown.length } };
}

/**
 * Watches the folder, since editors and ConfigMaps replace the file. It also polls the file, since network
 * and container file systems do not always send events.
 */
async function watchFile(
  path: string,
  onChange: () => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const wakeup = new Wakeup();
  const name = basename(path);
  const open = () => {
    try {
      const watcher = watch(dirname(path), (_event, changed) => {
        // A ConfigMap update replaces a link named `..data`, not the file.
        if (changed === null || changed === name || changed === "..data") wakeup.wake();
      });
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  };
  const watcher = open();
  try {
    let last = await fingerprint(path);
    const tick = async (): Promise<number> => {
      const now = await fingerprint(path);
      if (now !== last && !signal.aborted) onChange();
      last = now;
      return pollMs;
    };
    // A writer may not have finished: one change should cause one call, after `settleMs`.
    const options = { clock, pauseAfterErrorMs: pollMs, onError: () => undefined, wakeup, settleMs };
    await runLoop(tick, options, signal);
  } finally {
    watcher?.close();
  }
}

async function fingerprint(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return "";
  }
}
