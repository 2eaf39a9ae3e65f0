/** Runs tasks one after another, in the order in which they were added. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** @returns undefined when the signal aborts before the task's turn */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const before = this.#last;
    let done: () => void = () => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    // An aborted wait must not let the tasks behind it overtake the one in front.
    this.#last = before.then(() => own);
    try {
      await settledOrAborted(before, signal);
      return signal.aborted ? undefined : await task();
    } finally {
      done();
    }
  }
}

function settledOrAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      signal.removeEventListener("abort", settle);
      resolve();
    };
    signal.addEventListener("abort", settle);
    void promise.then(settle);
    if (signal.aborted) settle();
  });
}
