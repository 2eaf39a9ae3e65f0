import { readFile, stat } from "node:fs/promises";
import type { Clock } from "../core/clock.ts";
import { describeError, TelemetrydError } from "../core/errors.ts";
import { liveSecrets } from "./live-secrets.ts";

/** Minimum interval between checks of the file. */
const lookEveryMs = 1_000;
const maxSecretBytes = 64 * 1024;

/**
 * The content of a …File key: read on first use, and again when the file has changed. One trailing line break
 * is removed, since editors add one.
 *
 * While the file is missing or unreadable (during a mount update), the last content stays in force.
 */
export class SecretFile {
  readonly path: string;
  readonly #clock: Clock;
  #content: string | undefined;
  #look = "";
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** @throws FILE_UNREADABLE when there is no content yet and the file is unreadable or empty */
  async value(signal: AbortSignal): Promise<string> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#content !== undefined && nowMs - this.#lookedAtMs < lookEveryMs) return this.#content;
    this.#lookedAtMs = nowMs;
    try {
      const { dev, ino, size, mtimeNs } = await stat(this.path, { bigint: true });
      const look = [dev, ino, size, mtimeNs].join(" ");
      if (this.#content !== undefined && look === this.#look) return this.#content;
      if (size > maxSecretBytes) throw new Error("it is larger than 64 KiB");
      const content = (await readFile(this.path, { encoding: "utf8", signal })).replace(/\r?\n$/, "");
      if (content === "") throw new Error("it is empty");
      liveSecrets.hold(`file ${this.path}`, [content]);
      this.#content = content;
      this.#look = look;
      return content;
    } catch (error) {
      signal.throwIfAborted();
      if (this.#content !== undefined) return this.#content;
      const message = `the file ${this.path} cannot be used: ${describeError(error)}`;
      throw new TelemetrydError("FILE_UNREADABLE", message, { cause: error });
    }
  }
}
