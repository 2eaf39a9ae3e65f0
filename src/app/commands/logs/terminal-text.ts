/** The text of a log for a terminal: control characters, which could forge other output, become visible. */
export class TerminalText {
  readonly #decoder = new TextDecoder();

  /** @param bytes the next ones, in UTF-8 */
  of(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    return text.replaceAll("\r\n", "\n").replace(hidden, "\uFFFD");
  }
}

/** Controls but line feeds and tabs, bidirectional controls, and further line ends. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
