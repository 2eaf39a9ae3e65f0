import { constants } from "node:crypto";
import { statSync } from "node:fs";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { describeError, TelemetrydError } from "../core/errors.ts";

/**
 * What this program offers and accepts as a TLS server: TLS 1.2 with authenticated encryption (AEAD) and
 * forward secrecy, or TLS 1.3. Renegotiation, which costs the server more than the client, is refused.
 */
export const tlsServerOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
    "ECDHE+AESGCM:ECDHE+CHACHA20",
  ].join(":"),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions;

/**
 * One TLS context for many connections. A context per connection, as is usual, is expensive in time and
 * memory with the system's authorities. The context is rebuilt when its files have changed, so the next
 * connection uses renewed certificates.
 */
export class RenewedContext {
  readonly #look: () => string;
  readonly #read: () => SecureContextOptions;
  #seen = "";
  #context: SecureContext | undefined;

  /**
   * @param look returns a text that changes whenever the files do
   * @param read reads the context's options
   */
  constructor(look: () => string, read: () => SecureContextOptions) {
    this.#look = look;
    this.#read = read;
  }

  /**
   * @throws FILE_UNREADABLE when a file cannot be read or holds no certificate, and there is no earlier
   *   context
   */
  current(): SecureContext {
    try {
      const look = this.#look();
      if (this.#context !== undefined && look === this.#seen) return this.#context;
      this.#context = createSecureContext({ ...this.#read(), minVersion: "TLSv1.2" });
      this.#seen = look;
      return this.#context;
    } catch (error) {
      // Certificate and key are renewed one after the other: the old pair is used until the new one matches.
      if (this.#context !== undefined) return this.#context;
      if (error instanceof TelemetrydError) throw error;
      const message = `the TLS files cannot be used: ${describeError(error)}`;
      throw new TelemetrydError("FILE_UNREADABLE", message, { cause: error });
    }
  }
}

/** A text that changes whenever the file does, or is replaced by another. @throws the file's error */
export function lookOfFile(file: string | undefined): string {
  if (!file) return "-";
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino}:${size}:${mtimeMs}`;
}
