/** A limit on memory for labels that several caches share, and what they hold together. */
export class LabelMemory {
  readonly maxBytes: number;
  /** Number of series. */
  series = 0;
  /** Memory used, estimated. */
  bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }
}
