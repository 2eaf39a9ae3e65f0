import { open } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";

/** Minimum interval between checks for changes. */
const staleMs = 5_000;
/** Parsing more would block the event loop for too long; the rest of a longer file is ignored. */
const maxBytes = 512 * 1024;

/** A system file, parsed on first use and again after a change. A missing file is empty. */
export class ParsedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #version = "";
  #value: T;
  #checking: Promise<void> | undefined;

  constructor(path: string, parse: (text: string) => T, clock: Pick<Clock, "monotonicMs">) {
    this.#path = path;
    this.#parse = parse;
    this.#clock = clock;
    this.#value = parse("");
  }

  /** The parsed value; the same object until the file changes. */
  async value(): Promise<T> {
    if (this.#clock.monotonicMs() - this.#checkedAtMs > staleMs) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
      await this.#checking;
    }
    return this.#value;
  }

  async #check(): Promise<void> {
    try {
      const file = await open(this.#path);
      try {
        const { mtimeMs, size, ino } = await file.stat();
        const version = `${mtimeMs} ${size} ${ino}`;
        if (version !== this.#version) {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, maxBytes)));
          this.#value = this.#parse(buffer.toString("utf8", 0, bytesRead));
          this.#version = version;
        }
      } finally {
        await file.close();
      }
    } catch {
      if (this.#version !== "") this.#value = this.#parse("");
      this.#version = "";
    }
    this.#checkedAtMs = this.#clock.monotonicMs();
  }
}
