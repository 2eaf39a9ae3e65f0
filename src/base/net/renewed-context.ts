import { statSync } from "node:fs";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { describeError, TelemetrydError } from "../core/errors.ts";

/**
 * One TLS context for many connections: made for each, as is usual, it takes 3 MB and a tenth of a second with the system's
 * authorities. Made anew when the files behind it have changed, so that renewed certificates are used from the next connection
 * on.
 */
export class RenewedContext {
  readonly #look: () => string;
  readonly #read: () => SecureContextOptions;
  #seen = "";
  #context: SecureContext | undefined;

  /**
   * @param look tells whether something has changed
   * @param read reads what the context is made of
   */
  constructor(look: () => string, read: () => SecureContextOptions) {
    this.#look = look;
    this.#read = read;
  }

  /** @throws FILE_UNREADABLE for what cannot be read or holds no certificate, when there was no good context before */
  current(): SecureContext {
    try {
      const look = this.#look();
      if (this.#context !== undefined && look === this.#seen) return this.#context;
      this.#context = createSecureContext({ ...this.#read(), minVersion: "TLSv1.2" });
      this.#seen = look;
      return this.#context;
    } catch (error) {
      // Certificate and key are renewed one after another: until they fit each other again, the old ones serve.
      if (this.#context !== undefined) return this.#context;
      if (error instanceof TelemetrydError) throw error;
      const message = `the TLS files cannot be used: ${describeError(error)}`;
      throw new TelemetrydError("FILE_UNREADABLE", message, { cause: error });
    }
  }
}

/** Changes whenever the file does, also when another takes its place. @throws the file's error */
export function lookOfFile(file: string | undefined): string {
  if (!file) return "-";
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino}:${size}:${mtimeMs}`;
}
