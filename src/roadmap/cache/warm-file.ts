import { readFile } from "node:fs/promises";
import { z } from "zod";
import { describeError } from "../../base/core/errors.ts";
import { replaceFile } from "../../base/core/replace-file.ts";
import type { Logger } from "../../base/log/log.ts";
import { parseBacklog } from "../board/backlog.ts";
import type { Entry } from "./shared-cache.ts";

/**
 * The last known backlog in a file, so that a replica starts warm even when Redis is unreachable. The file is
 * optional: an unreadable one counts as absent, and write errors are only logged.
 */
export interface WarmFile {
  read(): Promise<Entry | undefined>;
  /**
   * Writes in the background, one at a time; of the entries that arrive meanwhile, only the last is written.
   */
  save(entry: Entry): void;
  /** Resolves when all writes have ended. */
  saved(): Promise<void>;
}

/** The texts as stored, so that the hash in the meta still matches the items. */
const fileSchema = z.object({ revision: z.int().nonnegative(), meta: z.string(), items: z.string() });

export function createWarmFile(file: string, log: Logger): WarmFile {
  let latest: Entry | undefined;
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    for (let written: Entry | undefined; latest !== undefined && latest !== written; ) {
      written = latest;
      try {
        await replaceFile(file, textOf(written));
      } catch (error) {
        log.warn({ file, error: describeError(error) }, "the roadmap's warm file is not written");
      }
    }
    writing = undefined;
  }

  return {
    async read() {
      try {
        const { revision, meta, items } = fileSchema.parse(JSON.parse(await readFile(file, "utf8")));
        const backlog = parseBacklog(meta, items);
        return backlog === undefined ? undefined : { revision, backlog, itemsJson: items };
      } catch {
        return undefined;
      }
    },
    save(entry) {
      latest = entry;
      writing ??= writeAll();
    },
    saved: async () => writing,
  };
}

function textOf({ revision, backlog, itemsJson }: Entry): string {
  return JSON.stringify({ revision, meta: JSON.stringify(backlog.meta), items: itemsJson });
}
